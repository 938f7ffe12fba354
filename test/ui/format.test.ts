import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOwnTimes } from '../../ui/state/format.ts';

test('[UI24] times in a notice are the reader’s own', () => {
  const iso = '2026-03-01T10:00:00.123Z';
  const own = new Date(iso).toLocaleString();
  assert.equal(
    withOwnTimes(`cell a is away since ${iso}, as said.`),
    `cell a is away since ${own}, as said.`,
  );
  for (const text of ['of 2026-03-01', `x${iso}`, 'no time']) assert.equal(withOwnTimes(text), text);
});
