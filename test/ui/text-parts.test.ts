import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partsOf } from '../../ui/views/compare/text-parts.ts';
import { propertyRuns } from '../support/property-runs.ts';

test('[UI16] where two texts differ is one part of whole words, and what both have stands around it', () => {
  assert.deepEqual(partsOf('I ask the weather tool now', 'I ask the news tool now'), {
    before: 'I ask the ',
    inA: 'weather',
    inB: 'news',
    after: ' tool now',
  });
  assert.deepEqual(partsOf('to [EMAIL:aaaaaaaaaa]', 'to [EMAIL:aaaaaaaaab]'), {
    before: 'to ',
    inA: '[EMAIL:aaaaaaaaaa]',
    inB: '[EMAIL:aaaaaaaaab]',
    after: '',
  });
  assert.deepEqual(partsOf('', 'all new'), { before: '', inA: '', inB: 'all new', after: '' });
});

test('[UI16] both texts are there in parts, but for the ends of what both have where that is long', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'ab', '\n', 'é', '😀'), { maxLength: 30 })
    .map((words) => words.join(' '));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const { before, inA, inB, after } = partsOf(a, b);
      assert.equal(before + inA + after, a);
      assert.equal(before + inB + after, b);
    }),
    propertyRuns(),
  );
  const long = 'word '.repeat(200);
  const { before, after } = partsOf(`${long}one ${long}`, `${long}other ${long}`);
  assert.ok(before.startsWith('…') && before.length <= 200);
  assert.ok(after.endsWith('…') && after.length <= 200);
});
