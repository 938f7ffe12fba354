import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { chosenSubprotocol, httpCredentials } from '../../access/credentials.ts';
import type { Limits } from '../../access/limits.ts';
import { demand, type Access, type Principal } from '../../access/principal.ts';
import { assert } from '../../base/assert.ts';
import { BoundaryError, HTTP_STATUS, invalid } from '../../base/boundary-error.ts';
import { SharedPlaces } from '../../base/shared-places.ts';
import { systemClock, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { isOwnOrigin, type HostOriginCheck } from '../../transport/host-origin-check.ts';
import { rawAnswer } from '../../transport/security-headers.ts';
import type { SpaceOf } from '../space.ts';
import { CLOSE_GOING_AWAY, CLOSE_POLICY_VIOLATION, CLOSE_TRY_AGAIN } from './close-codes.ts';
import { Connection } from './connection.ts';
import { ControlConnection } from './control-connection.ts';
import { Heartbeat } from './heartbeat.ts';

const WEBSOCKET_PATH = '/explain';
/** What agents wait on. */
const CONTROL_PATH = '/api/control';

/** What each path needs. */
export const PATH_NEEDS = { [WEBSOCKET_PATH]: 'see', [CONTROL_PATH]: 'send' } as const;
type Path = keyof typeof PATH_NEEDS;

/** A frame is a request; a filter with thousands of ids still fits. */
const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 500;
const MAX_SUBSCRIPTIONS = 64;
/** About the kernel's own buffers; beyond it merging is cheaper than queueing. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** Below the 60 s after which proxies drop silent connections. */
const HEARTBEAT_MS = 30_000;
/** After the close frame, for the reader's own. */
const CLOSE_GRACE_MS = 1_000;

/** It used to be taken there, for browsers. */
const TOKEN_IN_URL =
  'a token in the address is taken no more, since addresses stand in logs: send `Authorization: Bearer …`; from a page, offer the subprotocols `explain` and `explain.bearer.TOKEN`, or log in at /login';

export interface WebSocketReadersOptions {
  readonly access: Access;
  readonly spaceOf: SpaceOf;
  readonly perKey: Limits;
  readonly hostOriginCheck: HostOriginCheck;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly maxConnections?: number;
  readonly maxSubscriptionsPerConnection?: number;
  readonly maxBufferedBytes?: number;
  readonly heartbeatMs?: number;
}

/** The WebSocket face of the service: `ws://HOST:PORT/explain`. */
export class WebSocketReaders {
  private readonly options: WebSocketReadersOptions;
  private readonly clock: Clock;
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    // Measured: compression per client costs fourteen times the sending itself.
    perMessageDeflate: false,
    handleProtocols: chosenSubprotocol,
  });
  private readonly connections = new Map<WebSocket, Pick<Connection, 'close'>>();
  private readonly heartbeat: Heartbeat;
  private readonly places: SharedPlaces;
  private closeReason: string | undefined;
  private closeTimer: Timer | undefined;

  constructor(options: WebSocketReadersOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.places = new SharedPlaces({
      most: options.maxConnections ?? MAX_CONNECTIONS,
      refusal: () => new BoundaryError('UNAVAILABLE', 'too many readers are connected; try again later'),
    });
    this.server.on('wsClientError', (_, socket) =>
      refuseUpgrade(socket, invalid('this is no handshake of a WebSocket (RFC 6455, 4.2.1)')),
    );
    this.heartbeat = new Heartbeat(this.clock, options.heartbeatMs ?? HEARTBEAT_MS);
  }

  /** An `upgrade` listener of node:http. Never throws: a refusal is an HTTP answer. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => undefined);
    const target = parseTarget(request.url);
    let principal: Principal;
    let release: () => void;
    let end = (): void => void socket.destroy();
    try {
      principal = this.admit(request, target);
      release = this.hold(principal, () => end());
    } catch (error) {
      refuseUpgrade(socket, BoundaryError.from(error));
      return;
    }
    socket.on('close', release);
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      end = this.open(webSocket, principal, target);
    });
  }

  get connectionCount(): number {
    return this.connections.size;
  }

  /** Closes every connection with 1001 and the reason; who doesn't answer is cut off. Takes no more. */
  close(reason: string): void {
    if (this.closeReason !== undefined) return;
    this.closeReason = reason;
    this.heartbeat.stop();
    for (const connection of this.connections.values()) connection.close(CLOSE_GOING_AWAY, reason);
    this.closeTimer = this.clock.after(CLOSE_GRACE_MS, () => {
      for (const webSocket of this.connections.keys()) webSocket.terminate();
    });
  }

  private admit(request: IncomingMessage, { pathname, searchParams }: URL): Principal {
    this.options.hostOriginCheck.check(request.headers);
    if (!isPath(pathname))
      throw new BoundaryError('NOT_FOUND', `the WebSockets are at ${Object.keys(PATH_NEEDS).join(' and ')}`);
    if (searchParams.has('access_token')) throw new BoundaryError('UNAUTHENTICATED', TOKEN_IN_URL);
    const principal = this.identified(request, pathname);
    // While a refusal is an answer yet: the project of whoever comes may not be open.
    this.options.spaceOf(principal);
    if (this.closeReason !== undefined) throw new BoundaryError('UNAVAILABLE', this.closeReason);
    return principal;
  }

  private identified(request: IncomingMessage, path: Path): Principal {
    const { access } = this.options;
    const credentials = httpCredentials(request);
    let principal: Principal | undefined;
    try {
      principal = access.identify(credentials);
      // Another port of the same host is the same site: browsers send the cookie from its pages as well.
      if (principal.session && !isOwnOrigin(request.headers))
        throw new BoundaryError('PERMISSION_DENIED', 'with the cookie of a log-in the page must be our own');
      demand(principal, PATH_NEEDS[path]);
      return principal;
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      access.refused({ way: `GET ${path}`, error, credentials, principal });
      throw error;
    }
  }

  /** @param end what makes room for others @returns gives it back */
  private hold(principal: Principal, end: () => void): () => void {
    const release = this.options.perKey.hold(principal, 'connections');
    try {
      const free = this.places.take(principal.id, end);
      return () => {
        free();
        release();
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns ends it, so that it makes room for others */
  private open(socket: WebSocket, principal: Principal, { pathname, searchParams }: URL): () => void {
    const { clock } = this;
    const connection =
      pathname === CONTROL_PATH
        ? this.controlOf(socket, principal, searchParams)
        : this.readerOf(socket, principal);
    this.connections.set(socket, connection);
    const end = (code: number, reason: string): void => {
      connection.close(code, reason);
      clock.after(CLOSE_GRACE_MS, () => socket.terminate());
    };
    const unwatch = this.options.access.watch(principal, (reason) => end(CLOSE_POLICY_VIOLATION, reason));
    this.heartbeat.watch(socket);
    socket.on('close', () => {
      unwatch();
      this.connections.delete(socket);
      this.heartbeat.forget(socket);
      if (this.connections.size === 0) this.closeTimer?.cancel();
    });
    return () => end(CLOSE_TRY_AGAIN, 'others have less: this one makes room');
  }

  private controlOf(socket: WebSocket, principal: Principal, query: URLSearchParams): ControlConnection {
    const { spaceOf, perKey } = this.options;
    const { control } = spaceOf(principal);
    assert(control, 'whoever has agents that are told can be waited for');
    return new ControlConnection({ socket, principal, perKey, control, query, clock: this.clock });
  }

  private readerOf(socket: WebSocket, principal: Principal): Connection {
    const { spaceOf, perKey, logger } = this.options;
    const { reader, pruned } = spaceOf(principal);
    const limits = {
      maxBufferedBytes: this.options.maxBufferedBytes ?? MAX_BUFFERED_BYTES,
      maxSubscriptions: this.options.maxSubscriptionsPerConnection ?? MAX_SUBSCRIPTIONS,
    };
    return new Connection({
      socket,
      principal,
      perKey,
      reader,
      pruned,
      refused: (way, error, wasLetIn = false) =>
        this.options.access.refused({ way, error, credentials: {}, principal, wasLetIn }),
      logger,
      limits,
      clock: this.clock,
    });
  }
}

function isPath(path: string): path is Path {
  return Object.hasOwn(PATH_NEEDS, path);
}

function parseTarget(target = '/'): URL {
  const url = `http://reader${target.startsWith('/') ? target : '/'}`;
  return URL.canParse(url) ? new URL(url) : new URL('http://reader/');
}

function refuseUpgrade(socket: Duplex, error: BoundaryError): void {
  const status = HTTP_STATUS[error.code];
  const body = JSON.stringify({ error: { code: error.code, message: error.message } });
  const headers: Record<string, string> =
    error.code === 'UNAUTHENTICATED' ? { 'WWW-Authenticate': 'Bearer' } : {};
  const answer = rawAnswer(
    `${status} ${STATUS_CODES[status]}`,
    'application/json; charset=utf-8',
    body,
    headers,
  );
  socket.end(answer, () => socket.destroy());
}
