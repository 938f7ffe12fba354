import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import type { TelemetryRecord } from '../model/records.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { PlannedStep, ReplayPlan } from './replay-plan.ts';
import type { ReplayRecords } from './replay-records.ts';

export interface RunningReplayOptions {
  readonly taskId: string;
  readonly replayOf: string;
  readonly plan: ReplayPlan;
  readonly records: ReplayRecords;
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is due is sent in batches of so many steps, each of which has its texts with it. */
const MAX_BATCH = 100;
/** A service that is full is tried again so often; a replay that waits longer is no longer one. */
const MAX_ATTEMPTS = 60;
const RETRY_MS = 1000;

/** One replay, from its beginning to its end. */
export class RunningReplay {
  readonly taskId: string;
  readonly replayOf: string;
  /** Resolves when it has ended, whatever way. */
  readonly over: Promise<void>;
  private readonly options: RunningReplayOptions;
  private stoppedBy: 'erased' | 'the service stops' | undefined;
  /** Ends the wait that is under way. */
  private wake: () => void = () => {};

  constructor(options: RunningReplayOptions) {
    this.options = options;
    this.taskId = options.taskId;
    this.replayOf = options.replayOf;
    this.over = this.run();
  }

  /** Resolves when nothing more of it comes. */
  async stop(why: 'erased' | 'the service stops'): Promise<void> {
    this.stoppedBy ??= why;
    this.wake();
    await this.over;
  }

  private async run(): Promise<void> {
    const { logger, records } = this.options;
    try {
      await this.play();
      if (this.stoppedBy === 'the service stops') await this.send(records.brokenOff(), true);
    } catch (error) {
      const code = BoundaryError.from(error).code;
      logger.warn({ code }, 'a replay is broken off');
    }
  }

  private async play(): Promise<void> {
    const { clock, plan, records } = this.options;
    const began = clock.monotonic();
    const { steps } = plan;
    for (let at = 0; at < steps.length && this.stoppedBy === undefined;) {
      const due = dueAt(steps, at, clock.monotonic() - began);
      if (due === at) {
        await this.sleep((steps[at]?.atMs ?? 0) - (clock.monotonic() - began));
        continue;
      }
      const batch: TelemetryRecord[] = [];
      for (const step of steps.slice(at, due)) batch.push(...(await records.of(step, clock.now())));
      at = due;
      await this.send(batch, false);
    }
  }

  /** @param isLast sent although it was stopped */
  private async send(batch: readonly TelemetryRecord[], isLast: boolean): Promise<void> {
    const { consumer, clock } = this.options;
    if (batch.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      if (!isLast && this.stoppedBy !== undefined) return;
      try {
        await consumer.consume({ receivedAt: clock.monotonic(), source: 'bus', records: batch });
        return;
      } catch (error) {
        const isFull = error instanceof BoundaryError && error.code === 'RESOURCE_EXHAUSTED';
        if (!isFull || isLast || attempt === MAX_ATTEMPTS) throw error;
        await this.sleep(error.retryAfterMs ?? RETRY_MS);
      }
    }
  }

  private async sleep(ms: number): Promise<void> {
    if (this.stoppedBy !== undefined) return;
    await new Promise<void>((resolve) => {
      const timer = this.options.clock.after(Math.max(0, ms), resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

/** Where the steps end that are due by now, as far as they go together. */
function dueAt(steps: readonly PlannedStep[], from: number, elapsedMs: number): number {
  let to = from;
  while (to < steps.length && to < from + MAX_BATCH && (steps[to]?.atMs ?? 0) <= elapsedMs) to++;
  return to;
}
