import { seed } from './seeded.ts';

/**
 * How long property tests run: 40 cases at a developer's desk, 900 in CI (`PROPERTY_RUNS`).
 * `PROPERTY_SHRINK=0` ends at the first failing case, however large.
 */
export function propertyRuns(): { numRuns: number; seed: number; endOnFailure: boolean } {
  return {
    numRuns: Number(process.env['PROPERTY_RUNS'] ?? 40),
    seed,
    endOnFailure: process.env['PROPERTY_SHRINK'] === '0',
  };
}
