import { Pace } from '../../src/base/pace.ts';
import { systemClock } from '../../src/base/clock.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../src/receivers/config.ts';
import { InflightBytes } from '../../src/transport/inflight-bytes.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { unlimited } from '../../src/access/limits.ts';
import { createAccess, type AuthOption } from '../../src/access/access.ts';
import { adaptationRoutes } from '../../src/servers/http/adaptation-routes.ts';
import { mcpRoute } from '../../src/servers/http/mcp/mcp-route.ts';
import { readerRoutes } from '../../src/servers/http/reader-routes.ts';
import type { HttpSpace } from '../../src/servers/http/http-space.ts';
import { createHostOriginCheck } from '../../src/transport/host-origin-check.ts';
import { GrpcReaders, type GrpcReadersOptions } from '../../src/servers/grpc/grpc-readers.ts';
import { ingestRoute } from '../../src/servers/http/ingest-route.ts';
import { HttpApi, type HttpApiOptions } from '../../src/servers/http/http-api.ts';
import { OnePortServer, type OnePortOptions } from '../../src/servers/one-port/one-port-server.ts';
import { WebSocketReaders } from '../../src/servers/websocket/websocket-server.ts';
import type { WebSocketReadersOptions } from '../../src/servers/websocket/websocket-server.ts';
import type { SpanRecord } from '../../src/model/records.ts';
import type { ReaderApi } from '../../src/subscriptions/reader-api.ts';
import type { Reader } from '../../src/subscriptions/reader.ts';
import { AdaptationStore } from '../../src/adaptations/adaptation-store.ts';
import { AdaptationAnswers } from '../../src/service/adaptation-answers.ts';
import { makeEngine } from './make-engine.ts';
import { batchOf, safe } from './world.ts';

export interface TestServersOptions {
  readonly auth?: AuthOption;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly http?: Partial<HttpApiOptions>;
  readonly webSocket?: Partial<WebSocketReadersOptions>;
  readonly grpc?: Partial<GrpcReadersOptions>;
  readonly onePort?: Partial<OnePortOptions>;
}

export interface TestServers {
  readonly address: { readonly host: string; readonly port: number };
  readonly reader: Reader;
  /** Subscriptions whose connection is there. */
  attachedCount(): number;
  /** Puts spans behind the redaction door; readers have been told when it resolves. */
  feed(spans: readonly SpanRecord[]): Promise<void>;
  stop(): Promise<void>;
  readonly server: OnePortServer;
  readonly webSocket: WebSocketReaders;
  readonly grpc: GrpcReaders;
}

/** The real servers over a real engine, without receivers, on a free port. */
export async function startTestServers(options: TestServersOptions = {}): Promise<TestServers> {
  const { engine } = makeEngine();
  const { reader } = engine;
  const attached = new Set<string>();
  const counted = countingAttached(reader, attached);
  const logger = silentLogger;
  const host = '127.0.0.1';
  const { allowedHosts = [], allowedOrigins = [] } = options;
  const hostOriginCheck = createHostOriginCheck({ host, allowedHosts, allowedOrigins });
  const access = createAccess(options.auth ?? 'none');
  const inflight = new InflightBytes(160 * 1024 * 1024);
  const adaptations = new AdaptationAnswers({
    store: new AdaptationStore({ path: '/nowhere/adaptations.json', clock: systemClock, logger }),
    reader,
    redact: (text) => text,
    pace: new Pace(systemClock),
  });
  const space: HttpSpace = {
    reader: counted,
    routes: [
      ...readerRoutes(counted),
      ...adaptationRoutes(adaptations),
      mcpRoute({ reader: counted, adaptations, logger }),
    ],
  };
  const shared = { access, spaceOf: () => space, perKey: unlimited(), hostOriginCheck, logger };
  const http = new HttpApi({
    ...shared,
    bodies: { limits: DEFAULT_RECEIVER_LIMITS, inflight, clock: systemClock, pace: new Pace(systemClock) },
    readiness: () => ({ ready: true, reasons: [] }),
    metrics: (_, response) => void response.end('# metrics'),
    routes: ['/api/cot', '/api/events'].map((path) =>
      ingestRoute({ path, query: [], counts: 'spans' }, async () => ({
        status: 202,
        body: { accepted: 1, rejected: 0, errors: [] },
      })),
    ),
    ...options.http,
  });
  const webSocket = new WebSocketReaders({ ...shared, ...options.webSocket });
  const grpc = new GrpcReaders({ ...shared, inflight, clock: systemClock, ...options.grpc });
  const server = new OnePortServer({ host, port: 0, http, webSocket, grpc, logger, ...options.onePort });
  const address = await server.start();
  return {
    address,
    reader,
    server,
    webSocket,
    grpc,
    attachedCount: () => attached.size,
    feed: async (spans) => {
      await engine.correlator.consume(batchOf(spans.map(safe)));
      engine.flush();
    },
    stop: () => server.stop(),
  };
}

function countingAttached(reader: Reader, attached: Set<string>): ReaderApi {
  return new Proxy<ReaderApi>(reader, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'unsubscribe') {
        return (id: string) => {
          target.unsubscribe(id);
          attached.delete(id);
        };
      }
      if (name !== 'subscribe') return typeof member === 'function' ? member.bind(target) : member;
      return (...args: Parameters<ReaderApi['subscribe']>) => {
        const handle = target.subscribe(...args);
        attached.add(handle.subscriptionId);
        const disconnected = (): void => {
          attached.delete(handle.subscriptionId);
          handle.disconnected();
        };
        return { ...handle, disconnected };
      };
    },
  });
}
