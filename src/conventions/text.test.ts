import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clip } from '../model/one-line.ts';
import { summarise } from './text.ts';

test('[CV12] a summary is one line of at most 200 characters that ends with … when cut', () => {
  assert.equal(summarise('  a\n\tb   c '), 'a b c');
  assert.equal(summarise('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(summarise('x'.repeat(201)), `${'x'.repeat(199)}…`);
  assert.equal(summarise(' \n '), undefined);
  assert.equal(summarise(undefined), undefined);
});

test('[CV12] a summary is not cut short by white space at the beginning', () => {
  assert.equal(summarise(`${' '.repeat(500)}hello ${'y'.repeat(300)}`)?.slice(0, 7), 'hello y');
});

test('[CV12] no cut splits a code point, and none is longer than allowed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-composite', maxLength: 600 }),
      fc.integer({ min: 2, max: 300 }),
      (text, max) => {
        const cut = clip(text, max);
        assert.ok(cut.length <= max && cut.isWellFormed());
        const summary = summarise(text);
        assert.ok(
          summary === undefined ||
            (summary.length <= 200 && summary.isWellFormed() && !/[\n\t]| {2}/.test(summary)),
        );
      },
    ),
  );
});
