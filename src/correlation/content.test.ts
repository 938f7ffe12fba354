import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const SENTENCE = 'the parser drops the last token of a line';

const says = (role: string): string =>
  JSON.stringify([{ role, parts: [{ type: 'text', content: SENTENCE }] }]);

/** Calls one after the other, a second each. */
function call(n: number, attrs: { [key: string]: string }): SafeRecord {
  const start = epochMs(1_750_000_000_000 + 1000 * n);
  return safe(
    makeSpan({
      spanId: String(n).repeat(16),
      start,
      end: epochMs(start + 500),
      attrs: { 'gen_ai.operation.name': 'chat', ...attrs },
    }),
  );
}

const first = call(1, { 'gen_ai.output.messages': says('assistant') });
const second = call(2, { 'gen_ai.output.messages': says('assistant') });
const reader = call(3, { 'gen_ai.input.messages': says('user') });

test('[CO32] of several that said what is read, the last one before leads to who reads it, in any order', async () => {
  for (const order of [
    [first, second, reader],
    [reader, second, first],
    [second, first, reader],
  ]) {
    const { engine } = makeEngine();
    for (const record of order) await engine.correlator.consume(batchOf([record]));
    const { edges } = engine.reader.getGraph({ collapse: 'none' });
    assert.deepEqual(
      edges
        .filter(({ evidence }) => evidence === 'content')
        .map(({ from, to }) => `${from.at(-1)} ${to.at(-1)}`),
      ['2 3'],
    );
  }
});
