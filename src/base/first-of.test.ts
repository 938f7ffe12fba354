import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { FirstOf } from './first-of.ts';

const ITEMS = 60;

test('[EL9] the first of many is the one that a sort puts first, whatever comes and goes', () => {
  const turns = fc.array(fc.nat(ITEMS - 1), { maxLength: 5 * ITEMS, size: 'max' });
  fc.assert(
    fc.property(turns, (history) => {
      const items = Array.from({ length: ITEMS }, (_, at) => ({ at }));
      const first = new FirstOf<{ at: number }>((a, b) => a.at < b.at);
      const held = new Set<{ at: number }>();
      for (const index of history) {
        const item = items[index] ?? assert.fail();
        const verb = held.has(item) ? 'delete' : 'add';
        for (const one of [first, held]) one[verb](item);
        assert.equal(
          first.first,
          items.find((other) => held.has(other)),
        );
        assert.equal(first.size, held.size);
      }
    }),
    propertyRuns(),
  );
});
