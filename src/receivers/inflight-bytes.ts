import { assert } from '../base/assert.ts';
import { DEFAULT_MAX_INFLIGHT_BYTES } from './config.ts';

/**
 * The memory that request bodies may take up at any moment, shared by all servers: what arrives, what is
 * inflated, and what is being worked on.
 */
export class InflightBytes {
  readonly limit: number;
  private held = 0;

  constructor(limit: number = DEFAULT_MAX_INFLIGHT_BYTES) {
    assert(limit > 0, 'the in-flight limit is positive');
    this.limit = limit;
  }

  get used(): number {
    return this.held;
  }

  /** One request's share; grows as its bytes come. */
  open(): Reservation {
    return new Reservation((bytes) => this.take(bytes));
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
  private own = 0;
  private closed = false;

  constructor(take: (bytes: number) => boolean) {
    this.take = take;
  }

  /** False when the shared limit is reached; then nothing was added. A closed reservation takes nothing. */
  grow(bytes: number): boolean {
    if (this.closed) return false;
    if (!this.take(bytes)) return false;
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
