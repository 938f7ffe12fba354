import assert from 'node:assert/strict';

/** A busy machine, or a collection of garbage, may spoil one try. */
const TRIES = 3;

/**
 * Fails when the work takes more processor time of this thread than `maxMs` in each of some tries. What else the
 * machine does is not counted. The bound is for work that is out of proportion: many times what sound work needs.
 */
export function assertCpuTime(maxMs: number, work: () => void, what = ''): void {
  let best = Infinity;
  for (let i = 0; i < TRIES && best > maxMs; i++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  assert.ok(best <= maxMs, `${what}: ${best} ms of processor time`);
}
