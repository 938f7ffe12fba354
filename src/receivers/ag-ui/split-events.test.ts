import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, NEVER_OVER } from '../../base/in-turns.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { assertCpuTime } from '../../../test/support/cpu-time.ts';
import { splitEvents } from './split-events.ts';

const A = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const B = { type: 'CUSTOM', name: 'n', value: 'a\nb' };

function values(body: string, contentType?: string): readonly unknown[] {
  return atOnce(splitEvents(Buffer.from(body), contentType, NEVER_OVER)).map((item) =>
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

const MANY = 15_000_000;
const BODIES = {
  'line breaks': `data: {}\n\n${'\n'.repeat(MANY)}`,
  'line breaks of two characters': `data: {}\n\n${'\r\n'.repeat(MANY / 2)}`,
  'lines of data': 'data:1\n'.repeat(MANY / 7),
  comments: ':\n'.repeat(MANY / 2),
  'line breaks before anything': `${'\n'.repeat(MANY)}data: {}`,
};

for (const [what, text] of Object.entries(BODIES))
  test(`[AG13] a stream of millions of ${what} is read at once`, () => {
    const body = Buffer.from(text);
    assertCpuTime(400, () => tryToSplit(body), what);
  });

/** No event is among them. */
function tryToSplit(body: Buffer): void {
  try {
    atOnce(splitEvents(body, 'text/event-stream', NEVER_OVER));
  } catch (error) {
    assert.ok(error instanceof BoundaryError);
  }
}

test('[AG1] a frame of very many lines is told, and the next one is read', () => {
  const [problem] = values(`${'data:1\n'.repeat(100_001)}\ndata: 2`);
  assert.match(String(problem), /more than 100000 lines/);
  assert.deepEqual(values(`${'data: \n'.repeat(99_999)}data: 1\r\n\r\n\r\ndata: 2\n`), [1, 2]);
});
