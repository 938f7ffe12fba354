import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Pace } from '../../base/pace.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { clientErrorAnswer } from '../../transport/client-error.ts';
import { Connections, type Connection } from '../../transport/connections.ts';
import { detectProtocol } from '../../transport/detect-protocol.ts';
import { HttpConnections } from '../../transport/http-connections.ts';
import { Seldom } from '../../transport/seldom.ts';
import { refuseTls } from '../../transport/tls/refusals.ts';
import type { TlsEntrance } from '../../transport/tls/tls-entrance.ts';
import { TcpListener, type ListenAddress } from '../../transport/tcp-listener.ts';

/** Below the usual limit of 1,024 descriptors a process, with room for files and the OTLP ports. */
const MAX_CONNECTIONS = 800;
/** What running requests may take at the end. */
const DRAIN_GRACE_MS = 2_000;

export interface HttpFace {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface WebSocketFace {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection with the reason and takes no more. */
  close(reason: string): void;
}

export interface GrpcFace {
  /** Takes over an HTTP/2 connection that has not been read from. */
  accept(connection: Connection): void;
  /** Ends streams with the reason and takes no more calls. */
  close(reason: string): void;
  /** Destroys what is left. */
  stop(): void;
}

export interface OnePortOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly http: HttpFace;
  readonly webSocket: WebSocketFace;
  readonly grpc: GrpcFace;
  readonly logger: Logger;
  /** Plain text if absent. */
  readonly tls?: TlsEntrance | undefined;
  readonly clock?: Clock;
  readonly pace?: Pace;
  readonly maxConnections?: number;
  readonly maxIdleConnections?: number;
  readonly sniffTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  readonly drainGraceMs?: number;
}

/** One TCP port for gRPC (HTTP/2), HTTP/1.1 and WebSocket, behind TLS or plain: the first bytes decide. */
export class OnePortServer {
  private readonly options: OnePortOptions;
  private readonly connections: Connections;
  private readonly listener: TcpListener;
  private readonly httpConnections: HttpConnections;
  private readonly seldom: Seldom;

  constructor(options: OnePortOptions) {
    this.options = options;
    const {
      host,
      port,
      logger,
      pace,
      tls,
      maxConnections = MAX_CONNECTIONS,
      maxIdleConnections: maxIdle,
    } = options;
    const clock = options.clock ?? systemClock;
    this.connections = new Connections({
      maxConnections,
      clock,
      logger,
      ...(maxIdle !== undefined && { maxIdle }),
    });
    this.seldom = new Seldom(clock, logger);
    this.httpConnections = this.createHttp();
    const accept = (connection: Connection): void => this.accept(connection);
    this.listener = new TcpListener({ host, port, logger, pace, tls, accept, connections: this.connections });
  }

  /** Resolves when the port is open. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL */
  start(): Promise<ListenAddress> {
    return this.listener.start();
  }

  /**
   * Takes no new connections, tells every reader why, and lets running requests end. Resolves when no connection
   * is left or the grace is over. A second call changes nothing.
   */
  async drain(reason: string): Promise<void> {
    void this.listener.close();
    this.options.webSocket.close(reason);
    this.options.grpc.close(reason);
    await this.listener.closeWithin(this.options.drainGraceMs ?? DRAIN_GRACE_MS);
  }

  /** Closes everything at once. Resolves when the port is free. */
  async stop(): Promise<void> {
    const stopped = this.listener.stop();
    this.options.webSocket.close('the service stops');
    this.options.grpc.stop();
    this.httpConnections.stop();
    await stopped;
  }

  private accept(connection: Connection): void {
    const { socket } = connection;
    detectProtocol(socket, this.options.sniffTimeoutMs, (protocol) => {
      if (protocol === undefined || this.listener.isClosing) socket.destroy();
      else if (protocol === 'http2') this.options.grpc.accept(connection);
      else if (protocol === 'tls') refuseTls(socket, this.seldom);
      else this.httpConnections.accept(connection);
    });
  }

  private createHttp(): HttpConnections {
    const { http, webSocket } = this.options;
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      if (this.listener.isClosing) response.setHeader('Connection', 'close');
      http.handle(request, response);
    };
    const made = new HttpConnections(this.connections, this.options.headersTimeoutMs);
    // What reads the body answers who asks first, when it begins to read.
    made.serve(handle);
    made.serveUpgrades((request, socket, head) => webSocket.handleUpgrade(request, socket, head));
    made.server.on(
      'clientError',
      clientErrorAnswer('this is neither HTTP/1.1 nor HTTP/2', (message) =>
        JSON.stringify({ error: { code: 'INVALID_ARGUMENT', message } }),
      ),
    );
    return made;
  }
}
