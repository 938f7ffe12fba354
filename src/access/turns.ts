import { atMost } from '../base/at-most.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import { Recently } from '../base/recently.ts';

/** Who came within this time is not kept waiting by those who send much. */
const ACTIVE_MS = 60_000;
/**
 * Who has more waiting lets what others began before end first, at most for so long: far more than taking in takes, unless it waits
 * for something that has nothing to do with them.
 */
const GIVES_WAY_MS = 100;
/** What waits has its body in memory already, within the bytes in flight: this bounds the number of small ones. */
const MOST_WAITING = 10_000;

/**
 * While several send, each has one piece of work done at a time, and who has more waiting goes on when what others began
 * meanwhile is done: so who sends one waits for one of each other at most, however many they send. Who is alone is not held up.
 */
export class Turns {
  private readonly active: Recently;
  private readonly clock: Clock;
  private readonly running = new Map<string, number>();
  /** What runs, with whose it is. */
  private readonly works = new Map<Promise<unknown>, string>();
  private readonly lines = new Map<string, (() => void)[]>();
  private waiting = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.active = new Recently(ACTIVE_MS, clock);
  }

  /** @param who sends what `work` takes in. @throws BoundaryError RESOURCE_EXHAUSTED when too many wait; else what `work` throws */
  async take<T>(who: string, work: () => Promise<T>): Promise<T> {
    this.active.came(who);
    if (this.mayBegin(who)) this.count(who, 1);
    else await this.turn(who);
    const begun = (async () => work())();
    this.works.set(begun, who);
    try {
      return await begun;
    } finally {
      this.works.delete(begun);
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
    const others = [...this.works].filter(([, whose]) => whose !== who).map(([begun]) => begun);
    if (others.length === 0) begin();
    else void atMost(GIVES_WAY_MS, settled(others), this.clock).then(begin);
  }

  private count(who: string, change: number): void {
    const count = (this.running.get(who) ?? 0) + change;
    if (count === 0) this.running.delete(who);
    else this.running.set(who, count);
  }
}

async function settled(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
}
