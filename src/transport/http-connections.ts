import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection, Connections } from './connections.ts';

/** Headers are a few hundred bytes; a peer that needs longer is a slow-loris attack. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Outer bound of a whole request; `UploadWatch` has a tighter one for the body. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the 60 s between the exports of an SDK's metrics. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Requests of one connection that wait for the answer before theirs. Clients that pipeline at all send fewer. */
const MAX_PIPELINED = 16;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** HTTP/1.1 on sockets accepted elsewhere, within the time limits of every port. */
export class HttpConnections {
  /** For listeners of `clientError`; requests go to `serve`, upgrades to `serveUpgrades`. */
  readonly server: Server;
  private readonly connections: Connections;
  /** Per busy connection: the requests that wait for the answer before theirs. */
  private readonly waiting = new WeakMap<Socket, (() => void)[]>();

  constructor(connections: Connections, headersTimeoutMs = HEADERS_TIMEOUT_MS) {
    this.connections = connections;
    this.server = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headersTimeoutMs),
      connectionsCheckingInterval: Math.max(100, Math.floor(headersTimeoutMs / 10)),
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Other upgrades (curl offers h2c) are answered as the plain requests they also are. Node before 22.21 does
      // not know this option: there the WebSocket server refuses them.
      shouldUpgradeCallback: (request) =>
        this.server.listenerCount('upgrade') > 0 && request.headers.upgrade?.toLowerCase() === 'websocket',
    });
    // Node enforces headersTimeout and requestTimeout from `listen` on. This server never listens, so the checks are
    // started here.
    this.server.emit('listening');
  }

  /**
   * Handles all requests, those of one connection one at a time, so that unread answers cannot pile up.
   * @param handle also gets requests with `Expect`, whatever they expect
   */
  serve(handle: RequestHandler): void {
    const inTurn: RequestHandler = (request, response) => {
      const { socket } = request;
      const begin = (): void => {
        this.track(request, response);
        response.once('close', () => this.next(socket));
        handle(request, response);
      };
      const waiting = this.waiting.get(socket);
      if (waiting === undefined) {
        this.waiting.set(socket, []);
        begin();
      } else if (waiting.push(begin) > MAX_PIPELINED) socket.destroy();
    };
    this.server.on('request', inTurn).on('checkContinue', inTurn).on('checkExpectation', inTurn);
  }

  /** Without it a WebSocket that is asked for is a plain request: nobody is left waiting. */
  serveUpgrades(handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void {
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // For as long as the connection lasts.
      this.connections.of(request.socket)?.begin(() => request.socket.writableLength > 0);
      handle(request, socket, head);
    });
  }

  accept({ socket }: Connection): void {
    this.server.emit('connection', socket);
  }

  /** Stops the timeout checks. */
  stop(): void {
    this.server.close();
  }

  private next(socket: Socket): void {
    const begin = this.waiting.get(socket)?.shift();
    if (begin === undefined || socket.destroyed) this.waiting.delete(socket);
    else begin();
  }

  private track(request: IncomingMessage, response: ServerResponse): void {
    const socket: Socket = request.socket;
    const end = this.connections.of(socket)?.begin(() => !request.complete || socket.writableLength > 0);
    if (end !== undefined) response.once('close', end);
  }
}
