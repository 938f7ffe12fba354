import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import { Recently } from '../base/recently.ts';

/** Who came within this time is not kept waiting by those who send much. */
const ACTIVE_MS = 60_000;
/** What waits has its body in memory already, within the bytes in flight: this bounds the number of small ones. */
const MOST_WAITING = 10_000;

/**
 * While several send, each has one piece of work done at a time, so that who sends one waits for one of each other at most,
 * however many they send. Who is alone is not held up.
 */
export class Turns {
  private readonly active: Recently;
  private readonly running = new Map<string, number>();
  private readonly lines = new Map<string, (() => void)[]>();
  private waiting = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.active = new Recently(ACTIVE_MS, clock);
  }

  /** @param who sends what `work` takes in. @throws BoundaryError RESOURCE_EXHAUSTED when too many wait; else what `work` throws */
  async take<T>(who: string, work: () => Promise<T>): Promise<T> {
    this.active.came(who);
    if (this.mayBegin(who)) this.count(who, 1);
    else await this.turn(who);
    try {
      return await work();
    } finally {
      this.count(who, -1);
      this.next(who);
    }
  }

  private mayBegin(who: string): boolean {
    return !this.running.has(who) || !this.active.hasOthersThan(who);
  }

  private turn(who: string): Promise<void> {
    if (this.waiting >= MOST_WAITING)
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        'too many requests wait to be taken in; send again later',
        { retryAfterMs: 1_000 },
      );
    this.waiting++;
    return new Promise((begin) => {
      const line = this.lines.get(who);
      if (line) line.push(begin);
      else this.lines.set(who, [begin]);
    });
  }

  private next(who: string): void {
    const line = this.lines.get(who);
    if (!line || !this.mayBegin(who)) return;
    const begin = line.shift();
    if (line.length === 0) this.lines.delete(who);
    if (!begin) return;
    this.waiting--;
    // Before it goes on: else another might begin as well.
    this.count(who, 1);
    begin();
  }

  private count(who: string, change: number): void {
    const count = (this.running.get(who) ?? 0) + change;
    if (count === 0) this.running.delete(who);
    else this.running.set(who, count);
  }
}
