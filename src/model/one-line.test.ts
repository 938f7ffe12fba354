import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, firstLine, oneLine } from './one-line.ts';

test('[CV12] a text on one line has no breaks, tabs or runs of blanks', () => {
  assert.equal(oneLine(' a  b\tc\r\nd\n\n e\u2028f\u2029g\u0085h\vi\f '), 'a b c d e f g h i');
  assert.equal(oneLine('a b'), 'a b');
  assert.equal(oneLine(' \n '), '');
});

test('[TL2] what is cut off a text takes a marker whole, and no half of a code point', () => {
  const marker = '[API_KEY:abcdefghij]';
  const text = `ab ${marker} cd`;
  for (let max = 5; max < text.length; max++) {
    const cut = clip(text, max);
    assert.ok(cut.length <= max);
    assert.equal(cut, max > 2 + marker.length + 1 ? `${text.slice(0, max - 1)}…` : 'ab …');
  }
  assert.equal(clip('[a note, and more', 8), '[a note…');
  assert.equal(clip('😀😀😀', 4), '😀…');
  const wide = `${'a \n\n\n\n'.repeat(6)}${marker}`;
  assert.equal(firstLine(wide, 12).includes('['), false);
});
