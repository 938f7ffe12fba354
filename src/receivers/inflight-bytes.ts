import { assert } from '../base/assert.ts';
import { DEFAULT_MAX_INFLIGHT_BYTES } from './config.ts';

/**
 * The memory that request bodies may take up at any moment, shared by all servers: what arrives, what is
 * inflated, and what is being worked on.
 */
export class InflightBytes {
  readonly limit: number;
  private readonly onFull: () => void;
  private held = 0;

  /** @param onFull told of each request that did not fit, once */
  constructor(limit: number = DEFAULT_MAX_INFLIGHT_BYTES, onFull: () => void = () => undefined) {
    assert(limit > 0, 'the in-flight limit is positive');
    this.limit = limit;
    this.onFull = onFull;
  }

  get used(): number {
    return this.held;
  }

  /** One request's share; grows as its bytes come. */
  open(): Reservation {
    return new Reservation((bytes) => this.take(bytes), this.onFull);
  }

  private take(bytes: number): boolean {
    if (bytes > 0 && this.held + bytes > this.limit) return false;
    this.held += bytes;
    assert(this.held >= 0, 'more in-flight bytes released than taken');
    return true;
  }
}

export class Reservation {
  private readonly take: (bytes: number) => boolean;
  private readonly onFull: () => void;
  private own = 0;
  private closed = false;
  private refused = false;

  constructor(take: (bytes: number) => boolean, onFull: () => void) {
    this.take = take;
    this.onFull = onFull;
  }

  /** False when the shared limit is reached; then nothing was added. A closed reservation takes nothing. */
  grow(bytes: number): boolean {
    if (this.closed) return false;
    if (!this.take(bytes)) {
      if (!this.refused) this.onFull();
      this.refused = true;
      return false;
    }
    this.own += bytes;
    return true;
  }

  /** Gives everything back; any further call does nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.take(-this.own);
  }
}
