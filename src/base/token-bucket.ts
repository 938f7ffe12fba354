import type { Clock } from './clock.ts';

/** Allows `capacity` takes at once and refills evenly over `refillMs`. */
export class TokenBucket {
  private readonly capacity: number;
  private readonly perMs: number;
  private readonly clock: Clock;
  private tokens: number;
  private filledAt: number;

  constructor(capacity: number, refillMs: number, clock: Clock) {
    this.capacity = capacity;
    this.perMs = capacity / refillMs;
    this.clock = clock;
    this.tokens = capacity;
    this.filledAt = clock.monotonic();
  }

  /** False when it is empty. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.tokens = Math.min(this.capacity, this.tokens + (now - this.filledAt) * this.perMs);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
