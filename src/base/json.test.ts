import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { parseJson } from './json.ts';

test('[IN31] what is parsed is well-formed, keys too, and else what JSON says', () => {
  const unit = fc.oneof(
    fc.constantFrom('\ud83d', '\ude00', '\ud800', '\\', '\\u', '\\ud800', '"', '😀', '\n'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  );
  const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
  const everyUnit = (value: string): string =>
    `"${Array.from({ length: value.length }, (_, i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(text, text, (key, value) => {
      for (const write of [
        JSON.stringify,
        everyUnit,
        (all: string) => everyUnit(all).toUpperCase().replaceAll('\\U', '\\u'),
      ])
        assert.deepEqual(parseJson(`[${write(value)},{${write(key)}:1}]`), [
          value.toWellFormed(),
          { [key.toWellFormed()]: 1 },
        ]);
    }),
    propertyRuns(),
  );
});
