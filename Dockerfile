# The service as an image: `docker build -t explainability-agent .`
# It listens on all addresses of the container, so it wants to know who may ask: give it
#   -e EXPLAINABILITY_AGENT_AUTH='{"token": "…"}'   or, on a network that nobody else reaches,   …_AUTH=none
#   -e EXPLAINABILITY_AGENT_TLS='{"certFile": "/tls/tls.crt", "keyFile": "/tls/tls.key"}'   with the folder mounted, or
#      …_TLS=terminated   where something in front of the container speaks TLS, or nobody else can listen
# Names that readers reach it by, other than localhost and IP addresses: …_ALLOWED_HOSTS='["explain.internal"]'
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No script of a dependency runs: none of them has anything to build.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/build-ui.ts scripts/sbom.ts scripts/
COPY ui ui
COPY src src
RUN node scripts/build.ts

FROM node:${NODE_VERSION}-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Types and source maps are more than half of what is installed, and nothing reads them at run time.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete

# What `kafka` needs: no dependency of the package, so it has a folder of its own, where Node looks after /app.
FROM node:${NODE_VERSION}-slim AS kafka
WORKDIR /client
COPY package.json ./its/
RUN npm install --ignore-scripts --no-audit --no-fund \
  "@platformatic/kafka@$(node -p 'require("./its/package.json").devDependencies["@platformatic/kafka"]')"

FROM node:${NODE_VERSION}-slim
LABEL org.opencontainers.image.title="ExplainabilityAgent" \
  org.opencontainers.image.description="A live causal graph of what LLM agents thought and did, and why" \
  org.opencontainers.image.licenses="Apache-2.0"
# A named volume takes over owner and mode of the folder that it is mounted on.
RUN install -d -o node -g node -m 0700 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=kafka /client/node_modules /node_modules
COPY package.json LICENSE SECURITY.md ./
COPY config/defaults.jsonc config/
COPY proto proto
COPY examples examples
COPY --from=build /build/dist dist
ENV NODE_ENV=production \
  EXPLAINABILITY_AGENT_HOST=0.0.0.0 \
  EXPLAINABILITY_AGENT_DATA_DIR=/data
# The user `node` by number, so that Kubernetes' runAsNonRoot can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 4317 4318 9000
# Node is process 1 and drains on this signal; its V8 flags are set by dist/main.js itself.
STOPSIGNAL SIGTERM
# A port with TLS answers plain text with 400: it is alive, too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.EXPLAINABILITY_AGENT_PORT || 9000}/healthz`, { signal: AbortSignal.timeout(2500) }).then((answer) => process.exit(answer.ok || answer.status === 400 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
