/** Runs tasks later; tests move it by hand. A timer keeps the process alive until it is cancelled or has run. */
export interface Scheduler {
  after(delayMs: number, task: () => void): { cancel(): void };
}

/**
 * Unlike a server's housekeeping, waiting for a service that restarts is work: a program that follows a graph
 * must not end because nothing but this timer is left.
 */
export const systemScheduler: Scheduler = {
  after(delayMs, task) {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** All in milliseconds. */
export interface Timing {
  readonly scheduler: Scheduler;
  /** 0 to 1, as Math.random. */
  readonly random: () => number;
  /** Until a connection stands. */
  readonly connectTimeoutMs: number;
  /** Until an answer, or a snapshot, is there. */
  readonly answerTimeoutMs: number;
  /** Silence after which the service is asked whether it is still there. */
  readonly heartbeatMs: number;
  /** The longest first wait before connecting again; each further one is up to twice as long. */
  readonly initialBackoffMs: number;
  /** No wait is longer. */
  readonly maxBackoffMs: number;
}

export const DEFAULT_TIMING: Timing = {
  scheduler: systemScheduler,
  random: Math.random,
  connectTimeoutMs: 10_000,
  // A frame counts when it is complete: a large graph on a bad line needs this long.
  answerTimeoutMs: 30_000,
  heartbeatMs: 15_000,
  initialBackoffMs: 250,
  maxBackoffMs: 15_000,
};

/** Waits that grow: between half of and the whole of a bound that doubles, so that many clients don't return at once. */
export class Backoff {
  private readonly timing: Timing;
  private attempts = 0;

  constructor(timing: Timing) {
    this.timing = timing;
  }

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const { initialBackoffMs, maxBackoffMs, random } = this.timing;
    const bound = Math.min(maxBackoffMs, initialBackoffMs * 2 ** this.attempts);
    // Beyond it the bound is reached in any case.
    this.attempts = Math.min(this.attempts + 1, 30);
    return Math.round(bound * (0.5 + random() / 2));
  }

  reset(): void {
    this.attempts = 0;
  }
}
