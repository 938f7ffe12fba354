import { BoundaryError } from '../base/boundary-error.ts';

/** Events of one run or agent that are taken in a second: many times what a model streams. */
const EVENTS_PER_SECOND = 5_000;
/** What is taken at once after a silence, such as a stream that was recorded. */
const BURST = 20_000;
/** Runs or agents whose rate is known; of one that was forgotten it begins anew. */
const MAX_KNOWN = 4_000;

interface Bucket {
  left: number;
  /** Clock.monotonic(). */
  at: number;
}

/** How fast events come. A body is taken whole while anything is left, and what it takes beyond that has to come back first. */
export class EventRate {
  private readonly buckets = new Map<string, Bucket>();
  private readonly what: string;

  /** @param what such as `events a second come of this run` */
  constructor(what: string) {
    this.what = what;
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED: nothing was taken */
  check(key: string, now: number): void {
    const left = this.leftAt(key, now);
    if (left > 0) return;
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      `more than ${EVENTS_PER_SECOND} ${this.what}; send them again later, many in one request`,
      { retryAfterMs: Math.ceil(((1 - left) * 1000) / EVENTS_PER_SECOND) },
    );
  }

  take(key: string, events: number, now: number): void {
    const left = this.leftAt(key, now) - events;
    this.buckets.delete(key);
    this.buckets.set(key, { left, at: now });
    if (this.buckets.size <= MAX_KNOWN) return;
    for (const oldest of this.buckets.keys()) return void this.buckets.delete(oldest);
  }

  private leftAt(key: string, now: number): number {
    const bucket = this.buckets.get(key);
    if (!bucket) return BURST;
    return Math.min(BURST, bucket.left + ((now - bucket.at) * EVENTS_PER_SECOND) / 1000);
  }
}
