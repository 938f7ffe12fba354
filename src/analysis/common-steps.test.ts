import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import { commonSteps, type Pair } from './common-steps.ts';

/** The length of the longest common part, by the table of the textbook. */
function longest(a: readonly number[], b: readonly number[]): number {
  let above = Array.from({ length: b.length + 1 }, () => 0);
  for (const one of a) {
    const row = [0];
    for (const [j, other] of b.entries())
      row.push(one === other ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, row[j] ?? 0));
    above = row;
  }
  return above.at(-1) ?? 0;
}

function assertCommon(a: readonly number[], b: readonly number[], pairs: readonly Pair[]): void {
  for (const [n, [i, j]] of pairs.entries()) {
    assert.equal(a[i], b[j]);
    const [beforeI, beforeJ] = pairs[n - 1] ?? [-1, -1];
    assert.ok(i > beforeI && j > beforeJ, 'in order, each once');
  }
}

const list = (kinds: number, maxLength: number) =>
  fc.array(fc.nat({ max: kinds }), { maxLength, size: 'max' });

test('[AN19] the longest common part of two lists is found', () => {
  fc.assert(
    fc.property(fc.nat({ max: 6 }), list(6, 60), list(6, 60), (kinds, first, second) => {
      const [a, b] = [first, second].map((items) => items.map((item) => item % (kinds + 1)));
      assert.ok(a && b);
      const pairs = atOnce(commonSteps(a, b, NEVER_OVER));
      assertCommon(a, b, pairs);
      assert.equal(pairs.length, longest(a, b));
      assert.deepEqual(atOnce(commonSteps(a, b, () => true)), pairs, 'in turns as at once');
    }),
    propertyRuns(),
  );
});

test('[AN19] lists that differ in many places are gone through in stretches', () => {
  fc.assert(
    fc.property(list(3, 900), list(3, 900), (a, b) => {
      assertCommon(a, b, atOnce(commonSteps(a, b, NEVER_OVER)));
    }),
    { ...propertyRuns(), numRuns: 20 },
  );
  const all = Array.from({ length: 4_000 }, (_, i) => i);
  const others = all.map((i) => (i % 4 === 0 ? -i - 1 : i));
  assert.equal(atOnce(commonSteps(all, others, NEVER_OVER)).length, 3_000);
});

test('[AN19] what is like nothing is in no common part', () => {
  assert.deepEqual(atOnce(commonSteps([NaN, 1, NaN], [NaN, 1, NaN], NEVER_OVER)), [[1, 1]]);
});
