import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { MANY, ownerOf } from './connection-owners.ts';

/** Idle connections of one port: more than the agents of a host, and 1,000 of them take a few megabytes. */
const MAX_IDLE = 1_000;
/** When all connections are busy, this part of them, the oldest, is never evicted; newcomers replace one another in the rest. */
const KEPT_PART = 7 / 8;
/** Time for a peer to read the end of an answer after our side is closed. */
export const LINGER_MS = 1_000;
/** A peer that reads none of its pending bytes for this long counts as stalled; long enough for a laptop that sleeps. */
const STALL_MS = 30_000;
const CHECK_MS = 5_000;
/** Evictions are logged at most once per interval, with their number: a flood must not flood the log. */
const SAY_EVERY_MS = 60_000;

export interface ConnectionsOptions {
  readonly maxConnections: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxIdle?: number;
}

/**
 * The connections of one port, and which of them is evicted when there is no room. A newcomer is never refused. Evicted
 * first is the connection that has been idle longest; then the one that has been busy longest and where everything that
 * runs waits for the peer (half a request, an unread answer); then, where others were let in, the oldest of those who were
 * not; then the last of who has more than newcomers have in all; then the oldest that `KEPT_PART` does not protect.
 */
export class Connections {
  private readonly options: ConnectionsOptions;
  private readonly all = new Map<Socket, Connection>();
  /** Longest idle first. */
  private readonly idle = new Set<Connection>();
  /** Longest in use first. */
  private readonly busy = new Set<Connection>();
  private check: Timer | undefined;
  private evicted = 0;
  private saidAt = -Infinity;

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  get size(): number {
    return this.all.size;
  }

  /** Adds a new socket, evicting another one if there is no room. */
  admit(socket: Socket): Connection {
    if (this.all.size >= this.options.maxConnections) this.evict(this.victim());
    const connection = new Connection(socket, this.options.clock, (isBusy) => {
      this.move(connection, isBusy);
    });
    this.all.set(socket, connection);
    this.move(connection, false);
    // Peers reset connections all the time; each protocol sees the close that follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.remove(connection));
    this.check ??= this.options.clock.after(CHECK_MS, () => this.dropStalled());
    return connection;
  }

  /** The same connection, which is from now on read and written through a socket of TLS that lies on its own. */
  replace(connection: Connection, socket: Socket): Connection {
    this.remove(connection);
    return this.admit(socket);
  }

  of(socket: Socket): Connection | undefined {
    return this.all.get(socket);
  }

  destroyAll(): void {
    for (const { socket } of this.all.values()) socket.destroy();
  }

  /** Closes the connections on which nothing runs. */
  endIdle(): void {
    for (const connection of this.idle) connection.end();
  }

  private move(connection: Connection, isBusy: boolean): void {
    if (!this.all.has(connection.socket)) return;
    (isBusy ? this.idle : this.busy).delete(connection);
    (isBusy ? this.busy : this.idle).add(connection);
    const [longestIdle] = this.idle;
    if (this.idle.size > (this.options.maxIdle ?? MAX_IDLE)) this.evict(longestIdle);
  }

  private victim(): Connection | undefined {
    const [longestIdle] = this.idle;
    if (longestIdle !== undefined) return longestIdle;
    const kept = Math.floor(this.options.maxConnections * KEPT_PART);
    let index = 0;
    let unkept: Connection | undefined;
    let stranger: Connection | undefined;
    let isAnybodyKnown = false;
    const owned = new Map<string, Connection[]>();
    for (const connection of this.busy) {
      if (connection.isWaitingForPeer) return connection;
      if (index++ === kept) unkept = connection;
      const owner = ownerOf(connection.socket);
      if (owner === undefined) stranger ??= connection;
      if (owner !== undefined) isAnybodyKnown = true;
      if (owner === undefined || owner === MANY) continue;
      const theirs = owned.get(owner);
      if (theirs) theirs.push(connection);
      else owned.set(owner, [connection]);
    }
    if (stranger && isAnybodyKnown) return stranger;
    const most = [...owned.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    return most.length > this.options.maxConnections - kept ? most.at(-1) : unkept;
  }

  private evict(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.remove(connection);
    connection.end();
    this.evicted++;
    const { clock, logger, maxConnections } = this.options;
    if (clock.monotonic() - this.saidAt < SAY_EVERY_MS) return;
    logger.warn({ evicted: this.evicted, maxConnections }, 'connections closed to make room for new ones');
    this.saidAt = clock.monotonic();
    this.evicted = 0;
  }

  private remove(connection: Connection): void {
    this.all.delete(connection.socket);
    this.idle.delete(connection);
    this.busy.delete(connection);
  }

  private dropStalled(): void {
    for (const connection of this.all.values()) connection.dropIfStalled();
    this.check =
      this.all.size === 0 ? undefined : this.options.clock.after(CHECK_MS, () => this.dropStalled());
  }
}

/** One connection and its running requests, calls and subscriptions. */
export class Connection {
  readonly socket: Socket;
  /** Closes gracefully, by the means of the protocol (GOAWAY). Called while nothing runs. */
  closeGently: (() => void) | undefined;
  private readonly clock: Clock;
  private readonly changed: (isBusy: boolean) => void;
  private readonly running = new Set<() => boolean>();
  private takenBytes = 0;
  private tookAt: number;
  private lingering: Timer | undefined;

  constructor(socket: Socket, clock: Clock, changed: (isBusy: boolean) => void) {
    this.socket = socket;
    this.clock = clock;
    this.changed = changed;
    this.tookAt = clock.monotonic();
    socket.on('finish', () => this.destroySoon());
    socket.on('close', () => this.lingering?.cancel());
  }

  /**
   * Registers a request, call or subscription.
   * @param isWaitingForPeer whether it waits for the peer
   * @returns to be called at its end; further calls do nothing
   */
  begin(isWaitingForPeer: () => boolean): () => void {
    const one = (): boolean => isWaitingForPeer();
    this.running.add(one);
    if (this.running.size === 1) this.changed(true);
    return () => {
      if (this.running.delete(one) && this.running.size === 0) this.changed(false);
    };
  }

  /** Everything that runs waits for the peer. */
  get isWaitingForPeer(): boolean {
    for (const isWaiting of this.running) if (!isWaiting()) return false;
    return true;
  }

  end(): void {
    if (this.running.size > 0 || this.closeGently === undefined) {
      this.socket.destroy();
      return;
    }
    this.closeGently();
    this.destroySoon();
  }

  /** The peer has read none of the pending bytes for `STALL_MS`. */
  dropIfStalled(): void {
    const { socket } = this;
    const taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== this.takenBytes) {
      this.takenBytes = taken;
      this.tookAt = this.clock.monotonic();
    } else if (this.clock.monotonic() - this.tookAt >= STALL_MS) {
      socket.destroy();
    }
  }

  /** Does not wait for the peer to close its side. */
  private destroySoon(): void {
    this.lingering ??= this.clock.after(LINGER_MS, () => this.socket.destroy());
  }
}
