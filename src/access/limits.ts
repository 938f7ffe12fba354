import { BoundaryError } from '../base/boundary-error.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import type { KeyLimits } from './key-limits.ts';
import type { Access, Principal } from './principal.ts';
import { Turns } from './turns.ts';

/** What is counted a second, and what at once. */
const TAKEN_RATES = ['bytes', 'spans', 'thoughts'] as const;
export type Rate = 'requests' | (typeof TAKEN_RATES)[number];
export type AtOnce = 'subscriptions' | 'connections';

export interface LimitsOptions {
  readonly clock: Clock;
  /** Where a key names none of its own. */
  readonly defaults: KeyLimits;
  /** Told of each refusal, by what was too much; never by whom. */
  readonly onRefused: (what: Rate | AtOnce) => void;
}

/** So many are counted; of more those that came last. Who is forgotten begins with nothing used. */
const MAX_COUNTED = 10_000;

/** Of sums of fractions, in milliseconds. */
const ROUNDING = 1e-6;

/** Limits that hold for somebody, and whose they are: who asks, or the gateway, for all its callers together. */
interface Bound {
  readonly id: string;
  readonly limits: KeyLimits;
  readonly whose: 'this key' | 'the key of this gateway';
}

/** What somebody has used. */
interface Used {
  /** What may still be used now; below 0 by what was too much of the last requests. */
  readonly left: Map<Rate, { amount: number; at: number }>;
  readonly held: Map<AtOnce, number>;
}

/**
 * Limits by who asks, and not by connection or address. How much is in a request is known when it was read: the first that is too
 * much is taken, and the next ones are refused until the time for it is over. So no batch is refused for its size alone.
 */
export class Limits {
  private readonly options: LimitsOptions;
  /** By the id of a principal, the one that came longest ago first. */
  private readonly used = new Map<string, Used>();
  private readonly turns: Turns;

  constructor(options: LimitsOptions) {
    this.options = options;
    this.turns = new Turns(options.clock);
  }

  /** One more request. @throws BoundaryError RESOURCE_EXHAUSTED, with when to come again */
  admit(principal: Principal): void {
    for (const bound of this.boundsOf(principal)) this.check(bound, 'requests');
    this.spend(principal, 'requests', 1);
  }

  /**
   * Something more to take in, asked before its body is read.
   * @throws BoundaryError RESOURCE_EXHAUSTED, with when to come again, when the last ones were too much
   */
  admitMore(principal: Principal): void {
    for (const bound of this.boundsOf(principal)) for (const rate of TAKEN_RATES) this.check(bound, rate);
  }

  /** So much was in a request that was admitted. */
  spend(principal: Principal, rate: Rate, amount: number): void {
    for (const { id, limits } of this.boundsOf(principal)) {
      const most = limits[`${rate}PerSecond`];
      if (most !== undefined) this.leftOf(id, rate, most).amount -= amount;
    }
  }

  /** As ports count what somebody sends. */
  sender(principal: Principal): { readonly id: string; arrived(bytes: number): void } {
    return { id: principal.id, arrived: (bytes) => this.spend(principal, 'bytes', bytes) };
  }

  /**
   * Takes in what somebody sent, when it is their turn.
   * @throws BoundaryError RESOURCE_EXHAUSTED when too many wait; else what `work` throws
   */
  inTurn<T>({ id }: Principal, work: () => Promise<T>): Promise<T> {
    return this.turns.take(id, work);
  }

  /** Counts what is handed over on somebody's behalf. */
  counted(principal: Principal, consumer: RecordConsumer): RecordConsumer {
    if (this.boundsOf(principal).length === 0) return consumer;
    return {
      consume: (batch) => {
        const thoughts = batch.records.filter(({ kind }) => kind === 'cot').length;
        this.spend(principal, 'thoughts', thoughts);
        this.spend(principal, 'spans', batch.records.length - thoughts);
        return consumer.consume(batch);
      },
    };
  }

  /**
   * One more at once, until the answer is called.
   * @throws BoundaryError RESOURCE_EXHAUSTED
   */
  hold(principal: Principal, what: AtOnce): () => void {
    const counts = this.boundsOf(principal).flatMap((bound) => this.roomFor(bound, what));
    for (const held of counts) held.set(what, (held.get(what) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) for (const held of counts) held.set(what, (held.get(what) ?? 1) - 1);
      isHeld = false;
    };
  }

  /** @returns where one more is counted, if it is @throws BoundaryError RESOURCE_EXHAUSTED */
  private roomFor({ id, limits, whose }: Bound, what: AtOnce): Map<AtOnce, number>[] {
    const most = limits[what];
    if (most === undefined) return [];
    const { held } = this.usedBy(id);
    if ((held.get(what) ?? 0) >= most)
      throw this.refused(what, `${whose} may have ${most} ${what} at once: end one first`, 1_000);
    return [held];
  }

  private check({ id, limits, whose }: Bound, rate: Rate): void {
    const most = limits[`${rate}PerSecond`];
    if (most === undefined) return;
    const { amount } = this.leftOf(id, rate, most);
    // A request is known to be one; of what is in it at least something has to be left.
    const isEnough = rate === 'requests' ? amount >= Math.min(1, most) : amount > 0;
    if (isEnough) return;
    const missing = rate === 'requests' ? Math.min(1, most) - amount : -amount;
    const retryAfterMs = Math.max(1, Math.ceil((missing / most) * 1000 - ROUNDING));
    throw this.refused(rate, `${whose} may send ${most} ${rate} a second: send again later`, retryAfterMs);
  }

  private refused(what: Rate | AtOnce, message: string, retryAfterMs: number): BoundaryError {
    this.options.onRefused(what);
    return new BoundaryError('RESOURCE_EXHAUSTED', message, { retryAfterMs });
  }

  /** What is left of a second's worth by now. */
  private leftOf(id: string, rate: Rate, most: number): { amount: number } {
    const now = this.options.clock.monotonic();
    const { left } = this.usedBy(id);
    const before = left.get(rate) ?? { amount: most, at: now };
    before.amount = Math.min(most, before.amount + ((now - before.at) / 1000) * most);
    before.at = now;
    left.set(rate, before);
    return before;
  }

  private usedBy(id: string): Used {
    const known = this.used.get(id) ?? { left: new Map(), held: new Map() };
    this.used.delete(id);
    this.used.set(id, known);
    for (const [first, { held }] of this.used) {
      if (this.used.size <= MAX_COUNTED) break;
      // Who holds something stays: else what it holds would count for nothing.
      if (first !== id && !hasAny(held)) this.used.delete(first);
    }
    return known;
  }

  /**
   * None for who is not limited: the tokens of the settings, and who was not asked. Of a gateway only the limits that its
   * own key names hold for its callers together: those of the settings are for one who asks.
   */
  private boundsOf({ id, by, limits, via }: Principal): readonly Bound[] {
    const bounds: Bound[] = [];
    if (by !== 'nobody' && by !== 'token')
      bounds.push({ id, limits: { ...this.options.defaults, ...limits }, whose: 'this key' });
    if (via?.limits) bounds.push({ id: via.id, limits: via.limits, whose: 'the key of this gateway' });
    return bounds;
  }
}

function hasAny(held: ReadonlyMap<AtOnce, number>): boolean {
  for (const count of held.values()) if (count > 0) return true;
  return false;
}

/** Knows everybody as `access` does, and lets nobody ask more often than their limits say. */
export function limited(access: Access, limits: Limits): Access {
  return {
    ...access,
    identify(credentials) {
      const principal = access.identify(credentials);
      limits.admit(principal);
      return principal;
    },
  };
}

/** For who needs none. */
export function unlimited(): Limits {
  return new Limits({ clock: systemClock, defaults: {}, onRefused: () => {} });
}
