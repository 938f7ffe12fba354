import type { Clock, Timer } from '../base/clock.ts';

/** A slice of work, in milliseconds: a fraction of what an update may take. */
const SLICE_MS = 10;

/**
 * Long work in slices, each a turn of the event loop of its own. A job is a generator that yields wherever it may be
 * interrupted; jobs are done one after the other.
 */
export class Slices {
  private readonly clock: Clock;
  private readonly jobs: Generator<void, void>[] = [];
  private timer: Timer | undefined;
  private isRunning = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The first slice of it runs at once when there is nothing else to do. */
  add(job: Generator<void, void>): void {
    this.jobs.push(job);
    if (!this.timer && !this.isRunning) this.run();
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.jobs.length = 0;
  }

  private run(): void {
    this.timer = undefined;
    this.isRunning = true;
    const end = this.clock.monotonic() + SLICE_MS;
    try {
      while (this.jobs[0] && this.clock.monotonic() < end) {
        if (this.jobs[0].next().done === true) this.jobs.shift();
      }
    } catch (error) {
      this.jobs.shift();
      throw error;
    } finally {
      this.isRunning = false;
    }
    if (this.jobs.length > 0) this.timer = this.clock.after(0, () => this.run());
  }
}
