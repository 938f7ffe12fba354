const FIRST_MS = 100;
/** What is wrong for long, such as a full disk, is found mended soon, and looked at seldom enough to cost nothing. */
const MOST_MS = 10_000;
/** Who was well for so long ends for another reason than the last time. */
const WELL_MS = 60_000;

/** How long to wait before a process that ended is started again: longer each time, until it was well for a minute. */
export class Backoff {
  private nextMs = FIRST_MS;

  /** @param wellMs how long it was well; 0 if it did not come so far */
  next(wellMs: number): number {
    if (wellMs >= WELL_MS) this.nextMs = FIRST_MS;
    const now = this.nextMs;
    this.nextMs = Math.min(MOST_MS, now * 2);
    return now;
  }
}
