import { EventEmitter } from 'node:events';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import {
  ServerCredentials,
  logVerbosity,
  setLogVerbosity,
  type ChannelOptions,
  type ConnectionInjector,
  type Server,
} from '@grpc/grpc-js';
import { assert } from '../base/assert.ts';
import type { Connection } from './connections.ts';
import { skipResetStreams } from './skip-reset-streams.ts';

/** Options of every gRPC server: a peer that answers no ping is gone, and so is one that has called nothing for long. */
export const GRPC_CONNECTION_OPTIONS: ChannelOptions = {
  // A lost network leaves no other trace.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
  // A client that is told GOAWAY connects again by itself with its next call. Collectors send more often than this.
  'grpc.max_connection_idle_ms': 300_000,
};

/**
 * What a sender may send without waiting for leave to go on. By default it is 64 KiB: then a body takes as many turns of the event loop
 * as it has pieces, each behind the work of others. Nothing is held for it: what has come is counted against the bytes in flight.
 */
const CALL_WINDOW_BYTES = 1024 * 1024;
/** Of all calls of a connection together. */
const CONNECTION_WINDOW_BYTES = 4 * CALL_WINDOW_BYTES;

/** gRPC (HTTP/2 with prior knowledge, or settled by TLS) on sockets accepted elsewhere. */
export class GrpcConnections {
  private readonly injector: ConnectionInjector;
  private readonly http2Server: EventEmitter;

  constructor(server: Server) {
    // grpc-js writes headers it cannot parse to stderr, and a token may be among them.
    setLogVerbosity(logVerbosity.NONE);
    // TLS ends before: in `TlsEntrance`, or before the service.
    this.injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.http2Server = http2ServerOf(server);
    skipResetStreams(this.http2Server);
  }

  accept(connection: Connection): void {
    const { socket } = connection;
    // A peer that half-closes an HTTP/2 connection has left; all its streams end.
    socket.allowHalfOpen = false;
    const begun = (session: ServerHttp2Session): void => {
      connection.closeGently = () => session.close();
      session.settings({ initialWindowSize: CALL_WINDOW_BYTES });
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      session.on('stream', (stream) => track(connection, stream));
    };
    this.http2Server.once('session', begun);
    this.injector.injectConnection(socket);
    this.http2Server.off('session', begun);
  }

  /** Connections get GOAWAY, and are cut off after `graceMs`. */
  drain(graceMs: number): void {
    this.injector.drain(graceMs);
  }

  destroy(): void {
    this.injector.destroy();
  }
}

function track(connection: Connection, stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  const end = connection.begin(() => isHalfSent(stream) || stream.writableLength > 0);
  stream.once('close', end);
}

function isHalfSent(stream: ServerHttp2Stream): boolean {
  return !stream.readableEnded && !stream.endAfterHeaders;
}

/** Not in grpc-js's types, and there is no public way to it; the version is pinned. */
function http2ServerOf(server: Server): EventEmitter {
  const { http2Servers } = server as unknown as { readonly http2Servers?: ReadonlyMap<unknown, unknown> };
  const [http2Server] = http2Servers?.keys() ?? [];
  assert(http2Server instanceof EventEmitter, 'grpc-js keeps its HTTP/2 server');
  return http2Server;
}
