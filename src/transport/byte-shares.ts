import type { Clock } from '../base/clock.ts';

/** Who came within this time has a share of the budget, used or not. */
const ACTIVE_MS = 60_000;
/** Of so many it is known that they came; of more those that came last. */
const MAX_ACTIVE = 1_000;
/** Who has more than its share leaves so much of the budget to others who come. */
const LEFT_TO_OTHERS = 0.25;

/** Who has how much of a budget, and how much everybody may have. Who is alone may have all of it. */
export class ByteShares {
  private readonly limit: number;
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly bytes = new Map<string, number>();
  /** When each last came, the longest ago first. */
  private readonly active = new Map<string, number>();

  constructor(limit: number, clock: Pick<Clock, 'monotonic'>) {
    this.limit = limit;
    this.clock = clock;
  }

  came(who: string): void {
    this.active.delete(who);
    this.active.set(who, this.clock.monotonic());
    if (this.active.size > MAX_ACTIVE) this.forgetFirst();
  }

  add(who: string, bytes: number): void {
    const held = this.of(who) + bytes;
    if (held === 0) this.bytes.delete(who);
    else this.bytes.set(who, held);
  }

  of(who: string): number {
    return this.bytes.get(who) ?? 0;
  }

  /** Has it no more than its share, with these bytes? */
  isWithin(who: string, bytes = 0): boolean {
    return this.of(who) + bytes <= this.limit / this.count;
  }

  /** What all may have together after it takes these bytes. */
  limitFor(who: string, bytes: number): number {
    const isAlone = this.count === 1 && (this.active.size === 0 || this.active.has(who));
    return isAlone || this.isWithin(who, bytes) ? this.limit : this.limit * (1 - LEFT_TO_OTHERS);
  }

  private get count(): number {
    const since = this.clock.monotonic() - ACTIVE_MS;
    for (const [who, at] of this.active) {
      if (at >= since || this.active.size === 1) break;
      this.active.delete(who);
    }
    return Math.max(1, this.active.size);
  }

  private forgetFirst(): void {
    for (const who of this.active.keys()) {
      this.active.delete(who);
      return;
    }
  }
}
