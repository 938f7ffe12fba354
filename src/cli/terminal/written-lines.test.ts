import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth } from './plain-text.ts';
import { writtenLines } from './written-lines.ts';

const LINE = [
  { text: '  ├ ✗ ' },
  { text: 'a token stands in the text, and it should not', style: 'red' },
] as const;

test('[CLI59] on a terminal lines are broken at blanks to its width, elsewhere they stay whole', () => {
  const whole = '  ├ ✗ a token stands in the text, and it should not';
  assert.deepEqual(writtenLines([LINE], {}, {}), [whole]);
  assert.deepEqual(writtenLines([LINE], { columns: 20 }, {}), [whole], 'a pipe');
  assert.deepEqual(writtenLines([LINE], { isTTY: true, columns: 0 }, { NO_COLOR: '1' }), [whole], 'no width');
  const broken = writtenLines([LINE], { isTTY: true, columns: 24 }, { NO_COLOR: '1' });
  assert.ok(broken.length > 1);
  for (const line of broken) assert.ok(displayWidth(line) <= 24, line);
  assert.equal(broken.map((line) => line.trim()).join(' '), whole.trim());
});

test('[CLI22] lines are coloured on a terminal alone', () => {
  assert.ok(writtenLines([LINE], { isTTY: true, columns: 80 }, {})[0]?.includes('\u001b[31m'));
  assert.ok(!writtenLines([LINE], {}, {})[0]?.includes('\u001b'));
});
