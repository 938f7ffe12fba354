import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import type { CotText } from './facts.ts';
import { MAX_READ_CHARS, thoughtTexts } from './thought-text.ts';
import { epochMs } from './time.ts';

function parts(count: number, text: string): CotText[] {
  const time = epochMs(0);
  return Array.from({ length: count }, (_, part) => ({
    kind: 'cot',
    requestId: 'r',
    part,
    revision: 1,
    first: time,
    last: time,
    text,
    final: false,
    ...(part > 0 && { follows: text.length }),
  }));
}

test('[CO39] of a thought that is longer than readers are given they get whole parts, and are told what is left', () => {
  const tag = '[EMAIL:qfgz2nkgby]';
  assert.deepEqual(thoughtTexts(parts(10, tag), 2 * tag.length), {
    reasoning: `${tag}${tag}…[cut ${8 * tag.length} chars]`,
  });
  assert.deepEqual(thoughtTexts(parts(10, tag), 2 * tag.length + 1), {
    reasoning: `${tag.repeat(3)}…[cut ${7 * tag.length} chars]`,
  });
  assert.deepEqual(thoughtTexts(parts(10, tag), 10 * tag.length), { reasoning: tag.repeat(10) });
});

test('[CO39] a thought of hundreds of MB costs no more than what readers are given of it', () => {
  const long = parts(60_000, 'a b '.repeat(1024));
  assertCpuTime(500, () => {
    const { reasoning = '' } = thoughtTexts(long);
    assert.ok(reasoning.length <= MAX_READ_CHARS + 5000, `${reasoning.length} characters`);
    assert.match(reasoning.slice(-40), /…\[cut 241565696 chars\]$/);
  });
});
