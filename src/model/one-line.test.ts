import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine } from './one-line.ts';

test('[CV12] a text on one line has no breaks, tabs or runs of blanks', () => {
  assert.equal(oneLine(' a  b\tc\r\nd\n\n e\u2028f\u2029g\u0085h\vi\f '), 'a b c d e f g h i');
  assert.equal(oneLine('a b'), 'a b');
  assert.equal(oneLine(' \n '), '');
});
