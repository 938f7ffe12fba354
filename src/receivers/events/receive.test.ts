import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hurriedPace } from '../../../test/support/hurried-pace.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import { receive, type Post } from './receive.ts';

const COT = { requestId: 'req-1', timestamp: '2025-06-20T14:23:45.123Z', text: 'x' };
const EVENT = {
  eventID: 'e',
  eventType: 'ModelSwitched',
  component: 'c',
  timestamp: 1750000000000,
  payload: { taskId: 'T' },
};
/** Nothing in these tests is long. */
const PACE = new Pace(new ManualClock());
const JSON_TYPE = 'application/json';

const postOf = (body: Buffer, consumer: RecordConsumer): Post => ({
  body,
  contentType: JSON_TYPE,
  consumer,
  receivedAt: 0,
  pace: PACE,
  metrics: noMetrics,
});

async function cot(body: unknown, contentType: string | undefined = JSON_TYPE) {
  const consumer = new RecordingConsumer();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await receive('cot', { ...postOf(Buffer.from(text), consumer), contentType, receivedAt: 5 });
  return { ...answer, records: consumer.records as readonly CotRecord[], consumer };
}

test('[IN18] one object, an array and NDJSON are told by their content', async () => {
  const line = JSON.stringify(COT);
  for (const [body, count] of [
    [COT, 1],
    [[COT, COT], 2],
    [`${line}\n${line}\r\n\n${line}\n`, 3],
  ] as const) {
    for (const type of [JSON_TYPE, 'application/x-ndjson', `${JSON_TYPE}; charset=utf-8`, undefined]) {
      const answer = await cot(body, type);
      assert.deepEqual([answer.status, answer.body], [202, { accepted: count, rejected: 0, errors: [] }]);
    }
  }
});

test('[IN18] an entry becomes a record with all its fields', async () => {
  const full = {
    ...COT,
    tokens: ['Let', ' me'],
    final: true,
    summary: 's',
    agent: 'CoderAgent',
    model: 'm',
    taskID: 'T012',
    traceId: 'AB'.repeat(16),
    spanId: 'cd'.repeat(8),
    sequence: 7,
  };
  const { records, consumer } = await cot(full);
  assert.deepEqual(records[0], {
    kind: 'cot',
    requestId: 'req-1',
    time: Date.parse(COT.timestamp),
    text: 'x',
    tokens: ['Let', ' me'],
    final: true,
    summary: 's',
    agent: 'CoderAgent',
    model: 'm',
    taskId: 'T012',
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    sequence: 7,
  });
  assert.deepEqual([consumer.batches[0]?.source, consumer.batches[0]?.receivedAt], ['http', 5]);
});

test('[IN18] a bad item is told by index and field without its value; the good ones are taken', async () => {
  const secret = 'hunter2';
  const cases: readonly (readonly [unknown, string])[] = [
    [{ timestamp: 1 }, 'requestId: required, a string that is not empty'],
    [{ ...COT, requestId: {} }, 'requestId: must be a string'],
    [{ requestId: 'r' }, 'timestamp: required, ISO 8601 or epoch ms'],
    [{ ...COT, timestamp: secret }, 'timestamp: must be ISO 8601 or epoch ms, of a year up to 9999'],
    [{ ...COT, text: 5 }, 'text: must be a string'],
    [{ ...COT, tokens: secret }, 'tokens: must be an array of strings'],
    [{ ...COT, tokens: ['a', 5] }, 'tokens[1]: must be a string'],
    [{ ...COT, final: secret }, 'final: must be true or false'],
    [{ ...COT, sequence: secret }, 'sequence: must be a number'],
    [{ ...COT, traceId: secret }, 'traceId: must be 32 hex digits, not all zero'],
    [{ ...COT, spanId: '0'.repeat(16) }, 'spanId: must be 16 hex digits, not all zero'],
    [secret, 'not a JSON object'],
    [null, 'not a JSON object'],
    [{ ...COT, requestId: 'r'.repeat(1001) }, 'requestId: longer than 1000 characters'],
  ];
  const answer = await cot([COT, ...cases.map(([item]) => item)]);
  assert.deepEqual(answer.body, {
    accepted: 1,
    rejected: cases.length,
    errors: cases.map(([, message], i) => ({ index: i + 1, message })),
  });
});

test('[IN32] a time that no year up to 9999 has, as in microseconds, is refused', async () => {
  const answer = await cot({ ...COT, timestamp: 1.75e15 });
  const message = 'timestamp: must be ISO 8601 or epoch ms, of a year up to 9999';
  assert.deepEqual(answer.body, { accepted: 0, rejected: 1, errors: [{ index: 0, message }] });
});

test('[IN18] a malformed NDJSON line is rejected by its index', async () => {
  const answer = await cot(`${JSON.stringify(COT)}\n{"requestId":\n${JSON.stringify(COT)}`);
  assert.deepEqual(answer.body, {
    accepted: 2,
    rejected: 1,
    errors: [{ index: 1, message: 'not valid JSON' }],
  });
});

test('[IN18] 400 only when nothing could be read; 202 when items were read and refused', async () => {
  for (const body of ['', '   \n', 'hello', '{"a":']) assert.equal((await cot(body)).status, 400, body);
  const refused = await cot({ text: 'x' });
  assert.deepEqual([refused.status, refused.body.accepted, refused.body.rejected], [202, 0, 1]);
  assert.equal((await cot([])).status, 202);
});

test('[IN18] at most 100 errors are listed; the count is exact', async () => {
  const answer = await cot(Array.from({ length: 500 }, () => ({})));
  assert.deepEqual([answer.body.rejected, answer.body.errors.length], [500, 100]);
});

test('[IN18] other content types, large bodies and too many items are refused', async () => {
  await assert.rejects(cot(COT, 'text/plain'), { code: 'UNSUPPORTED_MEDIA_TYPE' });
  await assert.rejects(cot(`[${'1,'.repeat(100_000)}1]`), { code: 'TOO_LARGE' });
  await assert.rejects(cot('1\n'.repeat(100_001)), { code: 'TOO_LARGE' });
});

test('[IN14] a refusing consumer refuses the whole body', async () => {
  const consumer = new RecordingConsumer();
  consumer.refusal = new BoundaryError('UNAVAILABLE', 'draining');
  await assert.rejects(receive('cot', postOf(Buffer.from(JSON.stringify(COT)), consumer)), {
    code: 'UNAVAILABLE',
  });
});

test('[IN19] [IR23] a Reflexion event keeps its payload; an unknown type is no fault; a missing id is derived', async () => {
  const consumer = new RecordingConsumer();
  const bare = { eventType: 'SomethingNew', timestamp: '2025-06-20T14:23:45Z' };
  const long = { ...EVENT, eventID: 'e'.repeat(1001) };
  const forged = { ...EVENT, eventID: `interrupt:${'a'.repeat(32)}:1` };
  const body = Buffer.from(
    JSON.stringify([EVENT, bare, bare, { ...EVENT, payload: [] }, { timestamp: 1 }, long, forged]),
  );
  const answer = await receive('event', postOf(body, consumer));
  assert.deepEqual(answer.body.errors, [
    { index: 3, message: 'payload: must be an object' },
    { index: 4, message: 'eventType: required, a string that is not empty' },
    { index: 5, message: 'eventID: longer than 1000 characters' },
    { index: 6, message: 'eventID: is one of the service itself' },
  ]);
  const [first, second, third] = consumer.records as readonly EventRecord[];
  assert.deepEqual(first, {
    kind: 'event',
    eventId: 'e',
    eventType: 'ModelSwitched',
    component: 'c',
    time: 1750000000000,
    payload: { taskId: 'T' },
    traceId: undefined,
    spanId: undefined,
  });
  assert.match(second!.eventId, /^[0-9a-f]{32}$/);
  assert.equal(second?.eventId, third?.eventId);
});

test('[IN7] a payload is bounded: depth, strings, and keys like __proto__', async () => {
  const consumer = new RecordingConsumer();
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const body = `{"eventType":"X","timestamp":1,"payload":{"deep":${deep},"long":"${'x'.repeat(300_000)}","__proto__":{"p":1}}}`;
  assert.equal((await receive('event', postOf(Buffer.from(body), consumer))).body.accepted, 1);
  const { payload } = consumer.records[0] as EventRecord;
  assert.ok(JSON.stringify(payload['deep']).length < 1000);
  assert.match(payload['long'] as string, /…\[cut 37856 chars\]$/);
  assert.ok(Object.hasOwn(payload, '__proto__'));
  assert.equal(Object.getPrototypeOf(payload), Object.prototype);
});

test('[IN18] any text is answered: taken, rejected or refused, never a crash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((v) => JSON.stringify([v, COT])),
      ),
      async (body) => {
        const { status, body: answer, records } = await cot(body);
        assert.ok(status === 202 || status === 400);
        assert.equal(answer.accepted, records.length);
      },
    ),
    { numRuns: 500 },
  );
});

test('[IN7] a text that is cut is told by its item, and counted; the item is taken', async () => {
  const long = 'x'.repeat(262_145);
  const warning = (index: number, count: number): object => ({
    index,
    message: `texts cut at 262144 characters: ${count}; send long ones in pieces`,
  });
  const thoughts = await cot([
    COT,
    { ...COT, text: long },
    { text: long },
    { ...COT, tokens: ['a', long, long] },
  ]);
  assert.deepEqual(thoughts.body, {
    accepted: 3,
    rejected: 1,
    errors: [{ index: 2, message: 'requestId: required, a string that is not empty' }],
    truncated: 2,
    warnings: [warning(1, 1), warning(3, 2)],
  });
  const counts: (readonly [string, number])[] = [];
  const metrics = {
    ...noMetrics,
    textsCut: (signal: string, count: number) => void counts.push([signal, count]),
  };
  const body = Buffer.from(JSON.stringify({ ...EVENT, payload: { deep: [{ long }], [long]: 1 } }));
  const events = await receive('event', { ...postOf(body, new RecordingConsumer()), metrics });
  assert.deepEqual(events.body, {
    accepted: 1,
    rejected: 0,
    errors: [],
    truncated: 1,
    warnings: [warning(0, 2)],
  });
  assert.deepEqual(counts, [['event', 2]]);
});

test('[EL2] the items of a large body are read in pieces, and so are those that are refused', async () => {
  for (const item of [EVENT, {}]) {
    let pauses = 0;
    const pace = hurriedPace([20], () => pauses++);
    const body = Buffer.from(JSON.stringify(Array.from({ length: 300 }, () => item)));
    const answer = await receive('event', { ...postOf(body, new RecordingConsumer()), pace });
    assert.equal(answer.body.accepted + answer.body.rejected, 300);
    assert.ok(pauses >= 10, `${pauses} pauses`);
  }
});
