import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitEvents } from './split-events.ts';

const A = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const B = { type: 'CUSTOM', name: 'n', value: 'a\nb' };

function values(body: string, contentType?: string): readonly unknown[] {
  return splitEvents(Buffer.from(body), contentType).map((item) =>
    'value' in item ? item.value : item.problem,
  );
}

test('[AG1] one event, an array, NDJSON and server-sent events are told by their content', () => {
  const [a, b] = [JSON.stringify(A), JSON.stringify(B)];
  for (const body of [
    `[${a},${b}]`,
    `${a}\n${b}\n`,
    `data: ${a}\n\ndata: ${b}\n\n`,
    `data: ${a}\r\n\r\ndata: ${b}\r\n\r\n`,
    `data:${a}\r\rdata:${b}\r\r`,
    `: ping\n\nevent: x\nid: 1\nretry: 5\ndata: ${a}\n\n:\n\ndata: ${b}`,
    `\uFEFFdata: ${a}\n\ndata: ${b}\n\n`,
    `data: ${a.replace(',', ',\ndata: ')}\n\ndata: ${b}\n\n`,
  ])
    for (const type of [
      undefined,
      'application/json',
      'text/event-stream',
      'text/event-stream; charset=utf-8',
    ])
      assert.deepEqual(values(body, type), [A, B], body);
  assert.deepEqual(values(a), [A]);
  assert.deepEqual(values('', 'text/event-stream'), []);
});

test('[AG1] a frame that is cut off or broken is told by its place, and the others are read', () => {
  const a = JSON.stringify(A);
  assert.deepEqual(values(`data: {"type":\n\ndata: ${a}\n\ndata: ${a.slice(0, 20)}`), [
    'the data of this frame is not valid JSON, or is cut off',
    A,
    'the data of this frame is not valid JSON, or is cut off',
  ]);
});

test('[AG1] what is no stream has to be JSON', () => {
  assert.throws(() => values('hello', 'text/event-stream'), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => values('[]', 'text/html'), { code: 'UNSUPPORTED_MEDIA_TYPE' });
  assert.throws(() => values('data: 1\n\n'.repeat(100_001)), { code: 'TOO_LARGE' });
});
