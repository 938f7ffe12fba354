import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../telemetry/logger.ts';
import { answerClientError } from './client-error.ts';
import { detectProtocol } from './detect-protocol.ts';

/** A connection that says nothing for so long holds a descriptor for nothing. */
const SNIFF_TIMEOUT_MS = 10_000;
/** Below the usual limit of 1,024 descriptors a process, with room for files and the OTLP ports. */
const MAX_CONNECTIONS = 800;
/** Headers are a few hundred bytes; who needs longer is a slow loris. */
const HEADERS_TIMEOUT_MS = 10_000;
/** 16 MiB at 300 KB/s. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the 5 s of Node's default, so that polling clients keep their connection. */
const KEEP_ALIVE_TIMEOUT_MS = 30_000;
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
  inject(socket: Duplex): void;
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
  readonly maxConnections?: number;
  readonly sniffTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  readonly drainGraceMs?: number;
}

/** One TCP port for gRPC (h2c with prior knowledge), HTTP/1.1 and WebSocket: the first bytes decide. */
export class OnePortServer {
  private readonly options: OnePortOptions;
  private readonly listener: Server;
  private readonly httpServer: HttpServer;
  private readonly sockets = new Set<Socket>();
  private closing: Promise<void> | undefined;

  constructor(options: OnePortOptions) {
    this.options = options;
    this.httpServer = this.createHttp();
    this.listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket));
    this.listener.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
    this.listener.on('drop', () => options.logger.warn({}, 'connection refused: too many are open'));
  }

  /** Resolves when the port is open. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL */
  start(): Promise<{ readonly host: string; readonly port: number }> {
    return new Promise((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen(this.options.port, this.options.host, () => {
        this.listener.off('error', reject);
        this.listener.on('error', (error) =>
          this.options.logger.error({ code: (error as NodeJS.ErrnoException).code }, 'listener failed'),
        );
        // Node starts the checks behind headersTimeout and requestTimeout when an HTTP server listens; this
        // one gets its connections from us and never would.
        this.httpServer.emit('listening');
        const { address, port } = this.listener.address() as AddressInfo;
        resolve({ host: address, port });
      });
    });
  }

  /**
   * Takes no new connections, tells every reader why, and lets running requests end. Resolves when no connection
   * is left or the grace is over. A second call changes nothing.
   */
  async drain(reason: string): Promise<void> {
    this.closing ??= this.closeListener();
    this.options.webSocket.close(reason);
    this.options.grpc.close(reason);
    this.httpServer.closeIdleConnections();
    const graceMs = this.options.drainGraceMs ?? DRAIN_GRACE_MS;
    const idle = setInterval(() => this.httpServer.closeIdleConnections(), Math.max(1, graceMs / 20));
    await Promise.race([this.closing, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    clearInterval(idle);
  }

  /** Closes everything at once. Resolves when the port is free. */
  async stop(): Promise<void> {
    this.closing ??= this.closeListener();
    this.options.webSocket.close('the service stops');
    this.options.grpc.stop();
    this.httpServer.closeAllConnections();
    this.httpServer.close();
    for (const socket of this.sockets) socket.destroy();
    await this.closing;
  }

  /** Resolves when the last connection has gone, too. */
  private closeListener(): Promise<void> {
    return new Promise((resolve) => this.listener.close(() => resolve()));
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // Peers reset connections all the time; each protocol sees the close that follows.
    socket.on('error', () => undefined);
    detectProtocol(socket, this.options.sniffTimeoutMs ?? SNIFF_TIMEOUT_MS, (protocol) => {
      if (protocol === undefined || this.closing !== undefined) socket.destroy();
      else if (protocol === 'http2') this.options.grpc.inject(socket);
      else this.httpServer.emit('connection', socket);
    });
  }

  private createHttp(): HttpServer {
    const { http, webSocket } = this.options;
    const headersTimeout = this.options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
    const server = createHttpServer(
      {
        headersTimeout,
        requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headersTimeout),
        connectionsCheckingInterval: Math.max(100, Math.floor(headersTimeout / 4)),
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        // Other upgrades (curl offers h2c) are answered as the plain requests they also are. Node before 22.21 does
        // not know this option: there the WebSocket server refuses them.
        shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
      },
      (request, response) => {
        if (this.closing !== undefined) response.setHeader('Connection', 'close');
        http.handle(request, response);
      },
    );
    server.on('upgrade', (request, socket, head) => webSocket.handleUpgrade(request, socket, head));
    server.on('clientError', answerClientError);
    return server;
  }
}
