import assert from 'node:assert/strict';

/** A busy machine, or a collection of garbage, may spoil one try. */
const TRIES = 3;

/**
 * Starts a measure of processor time.
 * @returns tells the seconds since, of this thread alone: what the collector and other tests of the process do on
 *   threads of theirs is not the measured work's
 */
export function cpuTimer(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1e6;
  };
}

/**
 * Fails when the work takes more processor time of this thread than `maxMs` in each of some tries. What else the
 * machine does is not counted. The bound is for work that is out of proportion: many times what sound work needs.
 */
export function assertCpuTime(maxMs: number, work: () => void, what = ''): void {
  let best = Infinity;
  for (let i = 0; i < TRIES && best > maxMs; i++) {
    const seconds = cpuTimer();
    work();
    best = Math.min(best, seconds() * 1000);
  }
  assert.ok(best <= maxMs, `${what}: ${best} ms of processor time`);
}
