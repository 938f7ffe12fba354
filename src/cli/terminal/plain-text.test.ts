import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cutInTheMiddle,
  cutToWidth,
  displayWidth,
  plainLines,
  plainText,
  wrapToWidth,
} from './plain-text.ts';

/** Text of every kind: wide, combining, controls, lone surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '日', 'é', 'e\u0301', '👩‍💻', '🇩🇪', '\u001b[31m', '\u202e', '\ud800', '\n'),
  }),
);
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('[CLI20] nothing that a terminal would obey is left of any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.doesNotMatch(plainText(text), OBEYED);
      for (const line of plainLines(text)) assert.doesNotMatch(line, OBEYED);
    }),
  );
  assert.equal(plainText('a\u001b[31mred\u001b[0m\u0007\nb\u009b2Jc\u202ed'), 'ared b2Jcd'.replace('2J', ''));
  assert.equal(plainText('\u001b]0;title\u0007x'), 'x');
});

test('[CLI21] wide characters take two cells, combining ones none', () => {
  const widths = [
    ['abc', 3],
    ['日本語', 6],
    ['ｆｕｌｌ', 8],
    ['e\u0301', 1],
    ['한글', 4],
    ['🚀', 2],
    ['⚠', 1],
    ['✓…│└', 4],
    ['🇩🇪', 2],
    ['𠮷', 2],
  ] as const;
  for (const [text, width] of widths) assert.equal(displayWidth(plainText(text)), width, text);
  assert.equal(displayWidth(plainText('⚠\u{fe0f}')), 1, 'an emoji selector changes nothing');
  assert.equal(plainText('👍🏽'), '👍', 'skin tones are taken out');
});

test('[CLI21] a cut text fits, is a beginning of the whole, and is marked', () => {
  fc.assert(
    fc.property(anyText, fc.nat(12), (raw, width) => {
      const text = plainText(raw);
      const cut = cutToWidth(text, width);
      assert.ok(displayWidth(cut) <= width, cut);
      if (displayWidth(text) <= width) assert.equal(cut, text);
      else if (width > 0) assert.ok(cut.endsWith('…') && text.startsWith(cut.slice(0, -1)));
    }),
  );
  assert.equal(cutToWidth('日本語', 5), '日本…');
  assert.equal(cutToWidth('日本語', 4), '日…');
});

test('[CLI21] a text that is cut in the middle fits, and has the beginning and the end of the whole', () => {
  assert.equal(cutInTheMiddle('a'.repeat(10), 10), 'a'.repeat(10));
  assert.equal(cutInTheMiddle('run-0123456789-end', 9), 'run-…-end');
  fc.assert(
    fc.property(anyText, fc.integer({ min: 5, max: 40 }), (text, width) => {
      const plain = plainText(text);
      const cut = cutInTheMiddle(plain, width);
      assert.ok(displayWidth(cut) <= width, cut);
      if (cut === plain) return;
      const at = cut.indexOf('…');
      assert.ok(plain.startsWith(cut.slice(0, at)) && plain.endsWith(cut.slice(cut.lastIndexOf('…') + 1)));
    }),
  );
});

test('[CLI21] wrapped lines fit and hold every word', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 12 }), (raw, width) => {
      const text = plainText(raw);
      const lines = wrapToWidth(text, width);
      for (const line of lines) assert.ok(displayWidth(line) <= width, JSON.stringify(line));
      assert.equal(lines.join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    }),
  );
  assert.deepEqual(wrapToWidth('where to look first', 9), ['where to', 'look', 'first']);
  assert.deepEqual(wrapToWidth('', 9), ['']);
});
