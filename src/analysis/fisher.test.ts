import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { falseDiscoveryRates, fisherExact } from './fisher.ts';

/** Of tables in textbooks, and of fractions that can be counted by hand. */
const KNOWN: readonly (readonly [table: readonly [number, number, number, number], p: number])[] = [
  // The lady tasting tea: 1, 16, 36, 16 and 1 of 70 ways.
  [[4, 0, 0, 4], 2 / 70],
  [[3, 1, 1, 3], 34 / 70],
  [[2, 2, 2, 2], 1],
  // Who studies: 8 and 2 of 10, 1 and 5 of 6.
  [[8, 2, 1, 5], 400 / 11_440],
  [[1, 9, 11, 3], 0.002_759_456],
  // Tables without anything to choose.
  [[0, 0, 0, 0], 1],
  [[5, 0, 7, 0], 1],
  [[0, 3, 0, 4], 1],
  [[1, 0, 0, 1], 1],
];

/** By the definition, in whole numbers; as likely is what is so within a ten-millionth. */
function byDefinition(a: number, b: number, c: number, d: number): number {
  const choose = (n: number, k: number): bigint => {
    let ways = 1n;
    for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
    return ways;
  };
  const [row, column, all] = [a + b, a + c, a + b + c + d];
  const ways = (first: number): bigint => choose(column, first) * choose(all - column, row - first);
  let extreme = 0n;
  for (let first = Math.max(0, row + column - all); first <= Math.min(row, column); first++)
    if (ways(first) * 10n ** 7n <= ways(a) * (10n ** 7n + 1n)) extreme += ways(first);
  return Number((extreme * 10n ** 15n) / choose(all, row)) / 1e15;
}

test("[AN23] Fisher's exact test gives the values of the textbooks", () => {
  for (const [[a, b, c, d], p] of KNOWN)
    assert.ok(
      Math.abs(fisherExact(a, b, c, d) - p) < 1e-9,
      `${a} ${b} ${c} ${d}: ${fisherExact(a, b, c, d)}`,
    );
});

test("[AN23] Fisher's exact test is what its definition says, whichever way the table is turned", () => {
  const size = fc.nat({ max: 60 });
  fc.assert(
    fc.property(size, size, size, size, (a, b, c, d) => {
      const p = fisherExact(a, b, c, d);
      assert.ok(Math.abs(p - byDefinition(a, b, c, d)) < 1e-9);
      for (const turned of [fisherExact(c, d, a, b), fisherExact(b, a, d, c), fisherExact(a, c, b, d)])
        assert.ok(Math.abs(p - turned) < 1e-9);
    }),
    propertyRuns(),
  );
});

function assertRates(ps: readonly number[], wanted: readonly number[]): void {
  const rates = falseDiscoveryRates(ps);
  for (const [i, rate] of wanted.entries())
    assert.ok(Math.abs((rates[i] ?? 0) - rate) < 1e-12, rates.join(' '));
}

test('[AN23] many tests: the rates of Benjamini and Hochberg', () => {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), 'BH')
  assertRates([0.01, 0.04, 0.03, 0.005, 0.5], [0.025, 0.05, 0.05, 0.025, 0.5]);
  // The rate of a weaker test is smaller by itself: p.adjust(c(0.01, 0.02, 0.021), 'BH')
  assertRates([0.01, 0.02, 0.021], [0.021, 0.021, 0.021]);
  assert.deepEqual(falseDiscoveryRates([]), []);
  assert.deepEqual(falseDiscoveryRates([0.5]), [0.5]);
  assert.deepEqual(falseDiscoveryRates([1, 1]), [1, 1]);
});
