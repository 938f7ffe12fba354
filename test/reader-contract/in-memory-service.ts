import { silentLogger } from '../../src/telemetry/logger.ts';
import { createAuthenticator } from '../../src/servers/access/authenticator.ts';
import type { AuthOption } from '../../src/servers/access/authenticator.ts';
import { createHostGuard } from '../../src/servers/access/host-guard.ts';
import { GrpcReaders } from '../../src/servers/grpc/grpc-readers.ts';
import { HttpApi } from '../../src/servers/http/http-api.ts';
import type { HttpApiOptions } from '../../src/servers/http/http-api.ts';
import { OnePortServer } from '../../src/servers/one-port/one-port-server.ts';
import type { OnePortOptions } from '../../src/servers/one-port/one-port-server.ts';
import { WebSocketReaders } from '../../src/servers/websocket/websocket-server.ts';
import type { WebSocketReadersOptions } from '../../src/servers/websocket/websocket-server.ts';
import { InMemoryReader } from './in-memory-reader.ts';
import type { Harness } from './reader-contract.ts';

export interface InMemoryServiceOptions {
  readonly auth?: AuthOption;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly http?: Partial<HttpApiOptions>;
  readonly webSocket?: Partial<WebSocketReadersOptions>;
  readonly onePort?: Partial<OnePortOptions>;
}

export interface InMemoryService extends Harness {
  readonly reader: InMemoryReader;
  readonly server: OnePortServer;
  readonly webSocket: WebSocketReaders;
  readonly grpc: GrpcReaders;
}

/** The real servers over the in-memory reader, on a free port. */
export async function startInMemoryService(options: InMemoryServiceOptions = {}): Promise<InMemoryService> {
  const reader = new InMemoryReader();
  const logger = silentLogger;
  const host = '127.0.0.1';
  const { allowedHosts = [], allowedOrigins = [] } = options;
  const hostGuard = createHostGuard({ host, allowedHosts, allowedOrigins });
  const authenticator = createAuthenticator(options.auth ?? 'none');
  const shared = { reader, hostGuard, authenticator, logger };
  const http = new HttpApi({
    ...shared,
    readiness: () => ({ ready: true, reasons: [] }),
    metrics: (_, response) => void response.end('# metrics'),
    cot: async () => ({ status: 202, body: { accepted: 1, rejected: 0, errors: [] } }),
    events: async () => ({ status: 202, body: { accepted: 1, rejected: 0, errors: [] } }),
    ...options.http,
  });
  const webSocket = new WebSocketReaders({ ...shared, ...options.webSocket });
  const grpc = new GrpcReaders(shared);
  const server = new OnePortServer({ host, port: 0, http, webSocket, grpc, logger, ...options.onePort });
  const address = await server.start();
  return {
    address,
    reader,
    server,
    webSocket,
    grpc,
    maxQueuedUpdates: reader.maxQueuedUpdates,
    feed: async (records) => reader.feed(records),
    flush: async () => undefined,
    stop: () => server.stop(),
  };
}
