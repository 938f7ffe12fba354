const seed = Number(process.env['PROPERTY_SEED'] ?? Math.trunc(Math.random() * 0x7fffffff));
const runs = Number(process.env['PROPERTY_RUNS'] ?? 200);
console.log(`property tests: PROPERTY_RUNS=${runs} PROPERTY_SEED=${seed}`);

/**
 * How long property tests run: 200 cases at a developer's desk, 2,000 in CI (`PROPERTY_RUNS`). The seed is
 * printed; `PROPERTY_SEED` repeats a run. `PROPERTY_SHRINK=0` ends at the first failing case, however large.
 */
export function propertyRuns(): { numRuns: number; seed: number; endOnFailure: boolean } {
  return { numRuns: runs, seed, endOnFailure: process.env['PROPERTY_SHRINK'] === '0' };
}
