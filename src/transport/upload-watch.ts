import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';

/** Interval of the progress checks. Limits count checks, not time, so that a pause of this process is not blamed on the sender. */
const TICK_MS = 1_000;
/** A request without `MIN_PROGRESS_BYTES` for this many ticks is dropped: within ten seconds, even if the last tick is late. */
const MAX_IDLE_TICKS = 8;
/** 1 KiB a second: a tenth of the slowest line that a telemetry batch comes over. */
const MIN_PROGRESS_BYTES = 8 * 1024;
/** The largest request at 600 KB/s; the exporters of SDKs give up after 10 s themselves. */
const MAX_TICKS = 30;

/** Drops a request whose bytes come too slowly, or stop. */
export class UploadWatch {
  private readonly clock: Clock;
  private readonly drop: (error: BoundaryError) => void;
  private timer: Timer | undefined;
  private progressed = 0;
  private idleTicks = 0;
  private ticks = 0;

  /** @param drop called at most once between `start` and `stop` */
  constructor(clock: Clock, drop: (error: BoundaryError) => void) {
    this.clock = clock;
    this.drop = drop;
  }

  start(): void {
    if (this.timer !== undefined) return;
    this.progressed = 0;
    this.idleTicks = 0;
    this.ticks = 0;
    this.arm();
  }

  progress(bytes: number): void {
    this.progressed += bytes;
    if (this.progressed < MIN_PROGRESS_BYTES) return;
    this.progressed = 0;
    this.idleTicks = 0;
  }

  /** The request is complete, or over. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private arm(): void {
    this.timer = this.clock.after(TICK_MS, () => this.tick());
  }

  private tick(): void {
    this.ticks++;
    this.idleTicks++;
    if (this.idleTicks < MAX_IDLE_TICKS && this.ticks < MAX_TICKS) {
      this.arm();
      return;
    }
    this.stop();
    this.drop(tooSlow());
  }
}

function tooSlow(): BoundaryError {
  const [stall, total] = [MAX_IDLE_TICKS, MAX_TICKS].map((ticks) => (ticks * TICK_MS) / 1000);
  return new BoundaryError(
    'DEADLINE_EXCEEDED',
    `the request arrived too slowly: at least ${MIN_PROGRESS_BYTES} bytes in ${stall} s, and all of it in ${total} s, ` +
      'or it is dropped; send it again, in smaller batches on a slow line',
  );
}
