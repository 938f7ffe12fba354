import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deflateSync, gzipSync } from 'node:zlib';
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { messageField, stringField } from '../../src/base/protobuf.ts';
import { callOtlp, OTLP_WAYS, postOtlp, protobufOf } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
/** What may stay after all of the bad input: a few cut attributes and caches, far below what was sent. */
const MAX_GROWTH = 64 * MIB;
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const INVALID_ARGUMENT = 3;

let service: RealService;
let dataDir: string;
let heapBefore: number;

before(async () => {
  dataDir = await temporaryFolder();
  service = await RealService.start({ dataDir });
  // What is allocated once is no growth.
  assert.equal((await postOtlp(service, '/v1/traces', JSON.stringify(traces(span('f'))))).text, '{}');
  heapBefore = heapNow();
});
after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function heapNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param digit makes the ids; each test has its own trace */
function span(digit: string, fields: object = {}, trace = 'a'): object {
  return {
    traceId: trace.repeat(32),
    spanId: digit.repeat(16),
    name: `span ${digit}`,
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
    ...fields,
  };
}

function traces(...spans: readonly object[]): object {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

async function namesOfTrace(trace: string): Promise<readonly string[]> {
  const { nodes } = await service.graph(`collapse=none&traceIds=${trace.repeat(32)}`);
  return nodes.map(({ name }) => name).sort();
}

test('[E2E11] protobuf that breaks off is 400 and INVALID_ARGUMENT, wherever it does', async () => {
  const whole = protobufOf('traces', traces(span('1', {}, '1'), span('2', {}, '1')));
  for (let length = 1; length < whole.length; length += 7) {
    const part = new Uint8Array(whole.subarray(0, length));
    const byHttp = await postOtlp(service, '/v1/traces', part, PROTOBUF);
    assert.equal(byHttp.status, 400, `${length} bytes`);
    assert.match(byHttp.text, /protobuf/, `${length} bytes`);
  }
  const byGrpc = await callOtlp(service, 'traces', whole.subarray(0, 50));
  assert.equal(byGrpc.status, INVALID_ARGUMENT);
  assert.match(byGrpc.text, /protobuf/);
  assert.deepEqual(await namesOfTrace('1'), []);
});

test('[E2E11] random bytes are taken or refused, never an internal error', async () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 });
  const path = fc.constantFrom('/v1/traces', '/v1/logs', '/v1/metrics');
  const type = fc.constantFrom('application/x-protobuf', 'application/json');
  await fc.assert(
    fc.asyncProperty(bytes, path, type, async (body, target, contentType) => {
      const answer = await postOtlp(service, target, Buffer.from(body), { 'content-type': contentType });
      assert.ok([200, 400].includes(answer.status), `${answer.status} ${answer.text}`);
    }),
    { numRuns: 200 },
  );
});

test('[E2E12] what is no request of this kind gets the right status and a message that names what is wrong', async () => {
  const logs = {
    resourceLogs: [
      {
        scopeLogs: [
          { logRecords: [{ timeUnixNano: '1750000000000000000', body: { stringValue: 'hello' } }] },
        ],
      },
    ],
  };
  const json = { 'content-type': 'application/json' };
  const cases: readonly (readonly [
    path: string,
    body: string,
    headers: Record<string, string>,
    status: number,
    named: RegExp,
  ])[] = [
    ['/v1/traces', '{"resourceSpans": "x"}', json, 200, /"rejectedSpans":"1".*resourceSpans/],
    [
      '/v1/traces',
      '{"resourceSpans": [{"scopeSpans": [{"spans": 7}]}]}',
      json,
      200,
      /"rejectedSpans":"1".*spans/,
    ],
    ['/v1/traces', '[]', json, 400, /object/],
    ['/v1/traces', '{"resourceSpans": [', json, 400, /JSON/],
    ['/v1/traces', JSON.stringify(logs), json, 400, /resourceLogs.*\/v1\/logs/],
    ['/v1/logs', JSON.stringify(traces(span('1'))), json, 400, /resourceSpans.*\/v1\/traces/],
    ['/v1/traces', '{}', { 'content-type': 'text/plain' }, 415, /application\/x-protobuf/],
    ['/v1/traces', '{}', { ...json, 'content-encoding': 'br' }, 415, /gzip/],
    ['/v1/profiles', '{}', json, 404, /\/v1\/traces/],
  ];
  for (const [path, body, headers, status, named] of cases) {
    const answer = await postOtlp(service, path, body, headers);
    assert.equal(answer.status, status, `${path} ${body}: ${answer.text}`);
    assert.match(answer.text, named, body);
  }
  const misplaced = await callOtlp(service, 'traces', protobufOf('logs', logs));
  assert.equal(misplaced.status, INVALID_ARGUMENT);
  assert.match(misplaced.text, /log/);
});

test('[E2E13] what is too large, as it comes or unpacked, is 413 and RESOURCE_EXHAUSTED', async () => {
  const zeros = Buffer.alloc(80 * MIB);
  for (const [encoding, bomb] of [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
  ] as const) {
    const headers = { ...PROTOBUF, 'content-encoding': encoding };
    const answer = await postOtlp(service, '/v1/traces', new Uint8Array(bomb), headers);
    assert.equal(answer.status, 413, encoding);
    assert.match(answer.text, /67108864|64 MiB|decompress/, encoding);
  }
  const large = new Uint8Array(17 * MIB);
  assert.equal((await postOtlp(service, '/v1/traces', large, PROTOBUF)).status, 413);
  assert.equal((await callOtlp(service, 'traces', Buffer.from(large))).status, 8);
});

test('[E2E14] one bad span never costs its batch: the good part is kept, the bad is counted and its field named', async () => {
  const failed = { status: { code: 2 } };
  const batch = (trace: string): object =>
    traces(
      span('1', { ...failed, name: 'good' }, trace),
      span('2', { traceId: '0'.repeat(32) }, trace),
      span('0', {}, trace),
      span('3', { ...failed, name: 'own parent', parentSpanId: '3'.repeat(16) }, trace),
      span('4', { ...failed, name: 'ends before', endTimeUnixNano: '1740000000000000000' }, trace),
    );
  for (const [index, [way, send]] of Object.entries(OTLP_WAYS).entries()) {
    const trace = String(index + 2);
    const answer = await send(service, 'traces', batch(trace));
    assert.equal(answer.status, way === 'OTLP/gRPC' ? 0 : 200);
    assert.match(answer.text, /traceId|trace_id/, way);
    assert.match(answer.text, /spanId|span_id/, way);
    if (way === 'OTLP/HTTP JSON') assert.match(answer.text, /"rejectedSpans":"2"/);
    assert.deepEqual(await namesOfTrace(trace), ['ends before', 'good', 'own parent'], way);
    const { nodes, edges } = await service.graph(`collapse=none&traceIds=${trace.repeat(32)}`);
    assert.deepEqual(edges, [], way);
    assert.ok(nodes.every(({ latencyMs = 0 }) => latencyMs >= 0));
  }
});

test('[E2E15] an attribute of 10 MB and values nested 5,000 deep are cut, and their spans are kept', async () => {
  const huge = [{ key: 'huge', value: { stringValue: 'x'.repeat(10 * MIB) } }];
  const large = await postOtlp(
    service,
    '/v1/traces',
    JSON.stringify(traces(span('1', { attributes: huge }, '6'))),
  );
  assert.equal(large.status, 200, large.text);

  const open = '{"kvlistValue":{"values":[{"key":"k","value":';
  const deep = `${open.repeat(5000)}{"stringValue":"bottom"}${'}]}}'.repeat(5000)}`;
  const whole = JSON.stringify(traces(span('2', { attributes: [{ key: 'deep', value: 'HERE' }] }, '6')));
  const nested = await postOtlp(service, '/v1/traces', whole.replace('"HERE"', deep));
  // A parser may refuse such a document as a whole, but it says so.
  assert.ok([200, 400].includes(nested.status), nested.text);

  const binary = protobufOf('traces', traces(span('3', {}, '6')));
  const byProtobuf = await postOtlp(
    service,
    '/v1/traces',
    new Uint8Array(withDeepAttribute(binary)),
    PROTOBUF,
  );
  assert.equal(byProtobuf.status, 200, byProtobuf.text);
  const names = await namesOfTrace('6');
  assert.deepEqual(names, nested.status === 200 ? ['span 1', 'span 2', 'span 3'] : ['span 1', 'span 3']);
});

/** The one span of a request again, with a value of 5,000 nested maps among its attributes. */
function withDeepAttribute(request: Buffer): Buffer {
  const key = stringField(1, 'k');
  let value = stringField(1, 'bottom');
  // AnyValue.kvlist_value 6 { values 1 { key 1, value 2 } }
  for (let depth = 0; depth < 5000; depth++) {
    value = [Buffer.concat(messageField(6, messageField(1, [...key, ...messageField(2, value)])))];
  }
  const contentOf = (field: Buffer): Buffer => field.subarray((field[1] ?? 0) < 128 ? 2 : 3);
  // ResourceSpans 1 { ScopeSpans 2 { Span 2 { attributes 9 } } }
  const spanBytes = contentOf(contentOf(contentOf(request)));
  const attribute = messageField(9, [...key, ...messageField(2, value)]);
  return Buffer.concat(messageField(1, messageField(2, messageField(2, [spanBytes, ...attribute]))));
}

test('[E2E16] a thought or an event that cannot be read is refused by index and field, the others are taken', async () => {
  const post = async (path: string, body: string): Promise<readonly [number, string]> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(service.readers + path, { method: 'POST', headers, body });
    return [response.status, await response.text()];
  };
  const good = { requestId: 'good', timestamp: 1, text: 'x', final: true };
  const [status, text] = await post(
    '/api/cot',
    JSON.stringify([{ timestamp: 1, text: 'x' }, good, 7, { ...good, tokens: 'x' }]),
  );
  assert.equal(status, 202);
  const answer = JSON.parse(text) as {
    accepted: number;
    rejected: number;
    errors: { index: number; message: string }[];
  };
  assert.deepEqual(
    [answer.accepted, answer.rejected, answer.errors.map(({ index }) => index)],
    [1, 3, [0, 2, 3]],
  );
  assert.match(answer.errors[0]?.message ?? '', /requestId/);
  assert.match(answer.errors[2]?.message ?? '', /tokens/);
  assert.equal((await fetch(`${service.readers}/api/nodes/req:good`)).status, 200);

  const [eventStatus, eventText] = await post('/api/events', '{"timestamp": 1}');
  assert.equal(eventStatus, 202);
  assert.match(eventText, /"rejected":1.*eventType/);
  for (const path of ['/api/cot', '/api/events']) assert.equal((await post(path, 'no JSON'))[0], 400, path);
});

test('[E2E17] a frame that is wrong is answered with an error that names the field, and the connection lives', async () => {
  const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const ask = async (text: string): Promise<{ type: string; code?: string; message?: string }> => {
    const answer = new Promise<string>((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
    );
    socket.send(text);
    return JSON.parse(await answer) as { type: string };
  };
  const subscribe = (filters: object): string => JSON.stringify({ type: 'subscribe', request: { filters } });
  const cases: readonly (readonly [frame: string, code: string, named: RegExp])[] = [
    ['no JSON', 'INVALID_ARGUMENT', /JSON/],
    ['[1]', 'INVALID_ARGUMENT', /object/],
    ['{"type":"nonsense"}', 'INVALID_ARGUMENT', /type/],
    ['{"type":"updateFilters","subscriptionId":"none","filters":{}}', 'NOT_FOUND', /subscriptionId/],
    ['{"type":"expand","subscriptionId":7,"nodeId":"n"}', 'INVALID_ARGUMENT', /subscriptionId/],
    [subscribe({ status: 'ERROR' }), 'INVALID_ARGUMENT', /status/],
    [subscribe({ minCostUsd: '1' }), 'INVALID_ARGUMENT', /minCostUsd/],
    [subscribe({ agentNames: [1] }), 'INVALID_ARGUMENT', /agentNames/],
    [subscribe({ timeRange: { start: 'yesterday', end: 'today' } }), 'INVALID_ARGUMENT', /timeRange/],
    [subscribe({ noSuchFilter: [] }), 'INVALID_ARGUMENT', /filters.*agentNames/],
  ];
  for (const [frame, code, named] of cases) {
    const answer = await ask(frame);
    assert.deepEqual([answer.type, answer.code], ['error', code], frame);
    assert.match(answer.message ?? '', named, frame);
  }
  assert.equal((await ask('{"type":"ping"}')).type, 'pong');
  assert.equal((await ask(subscribe({}))).type, 'subscribed');
  socket.close();
  for (const [query, named] of [
    ['minCostUsd=x', /minCostUsd/],
    ['status=FINE', /status/],
    ['timeStart=x', /timeStart|timeRange/],
    ['nonsense=1', /nonsense/],
  ] as const) {
    const response = await fetch(`${service.readers}/api/graph?${query}`);
    assert.equal(response.status, 400, query);
    assert.match(await response.text(), named, query);
  }
});

test('[E2E18] after all that the service is as ready and as small as before', async () => {
  assert.deepEqual(await service.json('/readyz'), { ready: true, reasons: [] });
  // Sockets that are still closing hold what was sent over them.
  await until(
    `the heap is within ${MAX_GROWTH} bytes of what it was`,
    () => heapNow() - heapBefore < MAX_GROWTH,
  );
  assert.doesNotMatch(service.log, /"level":"error"/);
  assert.equal((await postOtlp(service, '/v1/traces', JSON.stringify(traces(span('e'))))).text, '{}');
});
