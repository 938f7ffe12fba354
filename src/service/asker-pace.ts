import type { Principal } from '../access/principal.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import { TokenBucket } from '../base/token-bucket.ts';

const REFILL_MS = 60_000;
const MAX_ASKERS = 1_000;

/** How often one asker may do something in a minute. Who has not asked for longest is forgotten first. */
export class AskerPace {
  private readonly most: number;
  private readonly what: string;
  private readonly clock: Clock;
  private readonly askers = new Map<string, TokenBucket>();

  /** @param what they may do, for the refusal */
  constructor(most: number, what: string, clock: Clock) {
    this.most = most;
    this.what = what;
    this.clock = clock;
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED */
  admit({ id }: Pick<Principal, 'id'>): void {
    const bucket = this.askers.get(id) ?? new TokenBucket(this.most, REFILL_MS, this.clock);
    this.askers.delete(id);
    this.askers.set(id, bucket);
    for (const first of this.askers.keys()) {
      if (this.askers.size <= MAX_ASKERS) break;
      this.askers.delete(first);
    }
    if (bucket.take()) return;
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      `you may ${this.what} ${this.most} times a minute: ask again later`,
      { retryAfterMs: REFILL_MS / this.most },
    );
  }
}
