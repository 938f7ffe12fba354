/** Time as the rest of the program sees it, so that tests can move it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
  /** Runs `task` once after `delayMs`; the timer never keeps the process alive. */
  after(delayMs: number, task: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** A clock that stands still until `advance` is called. */
export class ManualClock implements Clock {
  private time: number;
  private nextOrder = 0;
  private readonly timers = new Map<number, { readonly at: number; readonly task: () => void }>();

  constructor(startMs = 1_750_000_000_000) {
    this.time = startMs;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  after(delayMs: number, task: () => void): Timer {
    const order = this.nextOrder++;
    this.timers.set(order, { at: this.time + delayMs, task });
    return { cancel: () => void this.timers.delete(order) };
  }

  /** Moves time forward and runs what falls due, in order of time, then of registration. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      let due: [number, { readonly at: number; readonly task: () => void }] | undefined;
      for (const entry of this.timers)
        if (entry[1].at <= end && (!due || entry[1].at < due[1].at)) due = entry;
      if (!due) break;
      this.timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].task();
    }
    // A task may have moved it further.
    this.time = Math.max(this.time, end);
  }
}
