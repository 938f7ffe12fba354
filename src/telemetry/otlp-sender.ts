import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { SpanRecord } from '../model/records.ts';
import { otlpGrpcTransport } from './otlp-grpc-transport.ts';
import { otlpHttpTransport } from './otlp-http-transport.ts';
import { readableSpans } from './readable-spans.ts';
import type { OtlpTransport, Sent } from './sent.ts';

export interface OtlpEndpoint {
  /**
   * `grpc://host:port`, with TLS `grpcs://`; `http(s)://host:port`, to whose path `/v1/traces` is added where there is none.
   * Port 4317 without a path speaks gRPC.
   */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where an endpoint really is. */
export interface OtlpTarget {
  readonly protocol: 'grpc' | 'http';
  readonly isSecure: boolean;
  /** Always with its port and, over HTTP, its path. */
  readonly url: URL;
}

const GRPC_PORT = '4317';
const SCHEMES: ReadonlySet<string> = new Set(['grpc:', 'grpcs:', 'http:', 'https:']);

/** @throws TypeError when it is no such URL */
export function otlpTarget(endpoint: string): OtlpTarget {
  const { protocol, host, hostname, port, pathname, search, username, password } = new URL(endpoint);
  if (!SCHEMES.has(protocol) || hostname === '' || username !== '' || password !== '')
    throw new TypeError('no OTLP endpoint');
  const isSecure = protocol === 'grpcs:' || protocol === 'https:';
  const isGrpc = protocol.startsWith('grpc') || (port === GRPC_PORT && pathname === '/');
  if (isGrpc) {
    const address = port === '' ? `${host}:${GRPC_PORT}` : host;
    return { protocol: 'grpc', isSecure, url: new URL(`${isSecure ? 'https' : 'http'}://${address}`) };
  }
  const path = pathname === '/' ? '/v1/traces' : pathname;
  return { protocol: 'http', isSecure, url: new URL(`${protocol}//${host}${path}${search}`) };
}

/** Sends spans to another receiver of OTLP. Nothing of the environment's `OTEL_*` goes along. */
export class OtlpSender {
  private readonly transport: OtlpTransport;

  /** @throws TypeError when the endpoint is no URL of one */
  constructor({ endpoint, headers = {} }: OtlpEndpoint) {
    const { protocol, isSecure, url } = otlpTarget(endpoint);
    const port = url.port === '' ? (isSecure ? '443' : '80') : url.port;
    this.transport =
      protocol === 'grpc'
        ? otlpGrpcTransport(`${url.hostname}:${port}`, isSecure, headers)
        : otlpHttpTransport(url, headers);
  }

  /** One request; never rejects. */
  async send(spans: readonly SpanRecord[]): Promise<Sent> {
    const body = ProtobufTraceSerializer.serializeRequest(readableSpans(spans));
    return body ? this.transport.send(body) : { outcome: 'refused', reason: 'it cannot be encoded' };
  }

  close(): void {
    this.transport.close();
  }
}
