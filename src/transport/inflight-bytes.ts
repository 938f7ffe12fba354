import { assert } from '../base/assert.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { ByteShares } from './byte-shares.ts';

/**
 * When the budget is full, requests that have been arriving for longer than this are dropped, the oldest first; their
 * senders retry. On a normal network a request is complete sooner.
 */
const EVICT_AFTER_MS = 2_000;

/** How long a complete request may wait for the memory that decoding it takes: senders are answered within two seconds. */
const MAX_WAIT_MS = 1_000;

/** Encoding of a body. Anything not declared as protobuf is parsed as JSON. */
export type BodyFormat = 'json' | 'protobuf';

/**
 * Memory that decoding needs per byte of a body, besides the body: reserved before decoding. Estimates for ordinary
 * batches; bodies of nothing but small values need more and are bounded by `maxValues` and `MAX_JSON_VALUES`.
 */
const DECODED_PER_BYTE: Readonly<Record<BodyFormat, number>> = { json: 8, protobuf: 4 };

/** Of those who send and of whom nothing is known. */
const ANYBODY = '';

/** Who sends, as far as bytes are concerned. */
export interface Sender {
  /** The same for all that it sends. */
  readonly id: string;
  /** A body of so many bytes came over the wire. */
  arrived(bytes: number): void;
}

interface Waiting {
  readonly who: string;
  readonly bytes: number;
  /** @returns false when it still does not fit */
  readonly retry: () => boolean;
}

/**
 * The memory that requests may take up at any moment, shared by all ways in: what has arrived, what is inflated,
 * and what decoding makes of it. When it is full, everybody who sends has a share of it: who has more makes room for who has
 * less, and leaves a part free for who comes.
 */
export class InflightBytes {
  readonly limit: number;
  private readonly onFull: () => void;
  private readonly clock: Clock;
  private readonly shares: ByteShares;
  private held = 0;
  /** Requests that are not complete, the oldest first. */
  private readonly arriving = new Set<Reservation>();
  /** Complete requests that wait for memory to decode in, in their order. */
  private readonly waiting = new Set<Waiting>();

  /** @param onFull told of each request that did not fit, once */
  constructor(limit: number, onFull: () => void = () => undefined, clock: Clock = systemClock) {
    assert(limit > 0, 'the in-flight limit is positive');
    this.limit = limit;
    this.onFull = onFull;
    this.clock = clock;
    this.shares = new ByteShares(limit, clock);
  }

  get used(): number {
    return this.held;
  }

  /**
   * One request's share; grows as its bytes arrive.
   * @param drop ends the request early, with what its sender is told
   * @param who sends it, as far as it is known by now
   */
  open(drop: (error: BoundaryError) => void = () => undefined, who = ANYBODY): Reservation {
    const reservation = new Reservation(this, drop, this.clock.monotonic(), who);
    this.arriving.add(reservation);
    return reservation;
  }

  /** For `Reservation` alone. False when the bytes do not fit. */
  take(who: string, bytes: number): boolean {
    if (this.held + bytes > this.shares.limitFor(who, bytes)) return false;
    this.held += bytes;
    this.shares.add(who, bytes);
    return true;
  }

  /** For `Reservation` alone: so many bytes turn out to be of somebody. */
  known(bytes: number, before: string, who: string): void {
    if (who !== ANYBODY) this.shares.came(who);
    this.shares.add(before, -bytes);
    this.shares.add(who, bytes);
  }

  /** For `Reservation` alone: drops slow requests, and those of who has more than its share, until the bytes fit. */
  evictFor(asking: Reservation, bytes: number): void {
    const fits = (): boolean => this.held + bytes <= this.shares.limitFor(asking.who, bytes);
    const now = this.clock.monotonic();
    for (const reservation of this.arriving) {
      if (fits() || now - reservation.openedAt < EVICT_AFTER_MS) break;
      if (reservation !== asking) reservation.evict();
    }
    if (fits() || !this.shares.isWithin(asking.who, bytes)) return;
    // The last that came has lost the least.
    for (const reservation of [...this.arriving].reverse()) {
      if (fits()) return;
      if (reservation.who !== asking.who && !this.shares.isWithin(reservation.who)) reservation.evict();
    }
  }

  /** For `Reservation` alone. */
  give(who: string, bytes: number): void {
    this.held -= bytes;
    this.shares.add(who, -bytes);
    assert(this.held >= 0, 'more in-flight bytes released than taken');
    // First who has no more than its share.
    for (const isFirst of [true, false])
      for (const waiting of this.waiting)
        if (this.shares.isWithin(waiting.who, waiting.bytes) === isFirst && waiting.retry())
          this.waiting.delete(waiting);
  }

  /** For `Reservation` alone: it can no longer be dropped for others. */
  arrived(reservation: Reservation): void {
    this.arriving.delete(reservation);
  }

  /** For `Reservation` alone: resolves as soon as `retry` succeeds; false when it does not in time. */
  wait(who: string, bytes: number, retry: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.clock.after(MAX_WAIT_MS, () => {
        this.waiting.delete(waiting);
        resolve(false);
      });
      const waiting: Waiting = {
        who,
        bytes,
        retry: () => {
          if (!retry()) return false;
          timer.cancel();
          resolve(true);
          return true;
        },
      };
      this.waiting.add(waiting);
    });
  }

  /** For `Reservation` alone. */
  refused(): void {
    this.onFull();
  }
}

export class Reservation {
  readonly openedAt: number;
  private readonly shared: InflightBytes;
  private readonly drop: (error: BoundaryError) => void;
  private own = 0;
  private state: 'arriving' | 'working' | 'closed' = 'arriving';
  private wasRefused = false;
  private sender: string;

  constructor(shared: InflightBytes, drop: (error: BoundaryError) => void, openedAt: number, who: string) {
    this.shared = shared;
    this.sender = who;
    shared.known(0, who, who);
    this.drop = drop;
    this.openedAt = openedAt;
  }

  /** Whose it is. */
  get who(): string {
    return this.sender;
  }

  /** It turns out who sends it. */
  belongsTo(who: string): void {
    if (this.state !== 'closed') this.shared.known(this.own, this.sender, who);
    this.sender = who;
  }

  /** False when the shared limit is reached; then nothing was added. A closed reservation takes nothing. */
  grow(bytes: number): boolean {
    if (this.state === 'closed') return false;
    if (this.take(bytes) || this.takeFromOthers(bytes)) return true;
    this.refuse();
    return false;
  }

  /**
   * The request is complete: takes what decoding makes of it as well. False when there was no room in time.
   */
  async work(format: BodyFormat): Promise<boolean> {
    return (await this.reserve(this.own * DECODED_PER_BYTE[format])) !== undefined;
  }

  /**
   * Reserves `wanted` bytes for a complete request, waiting briefly if they do not fit. At most half of the budget is reserved,
   * so that the largest allowed request can be processed, alone.
   * @returns the bytes reserved; undefined when there was no room in time
   */
  async reserve(wanted: number): Promise<number | undefined> {
    if (this.state === 'closed') return undefined;
    this.state = 'working';
    this.shared.arrived(this);
    const bytes = Math.min(wanted, Math.floor(this.shared.limit / 2));
    const retry = (): boolean => this.isClosed || this.take(bytes);
    if (!retry() && !this.takeFromOthers(bytes) && !(await this.shared.wait(this.who, bytes, retry)))
      this.refuse();
    return this.wasRefused || this.isClosed ? undefined : bytes;
  }

  /** Releases some of the bytes. */
  shrink(bytes: number): void {
    if (this.state === 'closed') return;
    assert(bytes <= this.own, 'more bytes given back than taken');
    this.own -= bytes;
    this.shared.give(this.who, bytes);
  }

  /** Releases everything; further calls do nothing. */
  close(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.shared.arrived(this);
    this.shared.give(this.who, this.own);
  }

  /** Ends the request in favour of others. */
  evict(): void {
    this.close();
    this.refuse();
    this.drop(inflightExhausted());
  }

  private get isClosed(): boolean {
    return this.state === 'closed';
  }

  private take(bytes: number): boolean {
    if (!this.shared.take(this.who, bytes)) return false;
    this.own += bytes;
    return true;
  }

  private takeFromOthers(bytes: number): boolean {
    this.shared.evictFor(this, bytes);
    return this.take(bytes);
  }

  private refuse(): void {
    if (!this.wasRefused) this.shared.refused();
    this.wasRefused = true;
  }
}

export function inflightExhausted(): BoundaryError {
  return new BoundaryError('RESOURCE_EXHAUSTED', 'too many request bytes in flight; send again later', {
    retryAfterMs: 1_000,
  });
}
