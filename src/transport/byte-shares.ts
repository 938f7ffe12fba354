import type { Clock } from '../base/clock.ts';
import { Recently } from '../base/recently.ts';

/** Who came within this time has a share of the budget, used or not. */
const ACTIVE_MS = 60_000;
/** Who has more than its share leaves so much of the budget to others who come. */
const LEFT_TO_OTHERS = 0.25;

/** Who has how much of a budget, and how much everybody may have. Who is alone may have all of it. */
export class ByteShares {
  private readonly limit: number;
  private readonly bytes = new Map<string, number>();
  private readonly active: Recently;

  constructor(limit: number, clock: Pick<Clock, 'monotonic'>) {
    this.limit = limit;
    this.active = new Recently(ACTIVE_MS, clock);
  }

  came(who: string): void {
    this.active.came(who);
  }

  add(who: string, bytes: number): void {
    const held = this.of(who) + bytes;
    if (held === 0) this.bytes.delete(who);
    else this.bytes.set(who, held);
  }

  /** Has it no more than its share, with these bytes? */
  isWithin(who: string, bytes = 0): boolean {
    return this.of(who) + bytes <= this.limit / Math.max(1, this.active.count);
  }

  /** What all may have together after it takes these bytes. */
  limitFor(who: string, bytes: number): number {
    const leaves = this.active.hasOthersThan(who) && !this.isWithin(who, bytes);
    return leaves ? this.limit * (1 - LEFT_TO_OTHERS) : this.limit;
  }

  private of(who: string): number {
    return this.bytes.get(who) ?? 0;
  }
}
