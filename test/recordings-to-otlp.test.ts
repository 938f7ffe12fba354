import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRecording } from './integration/recordings/decode-recording.ts';
import { toHexId } from './integration/recordings/ids.ts';
import { spanIdsOf } from './integration/recordings/otlp-json.ts';
import { toOtlp } from './integration/recordings/to-otlp.ts';

test('[CV19] ids of all kinds become hex, equal ones equal', () => {
  assert.equal(toHexId('9D92B436649933FA', 8), '9d92b436649933fa');
  assert.equal(toHexId('TWf61QGIn9I=', 8), '4d67fad501889fd2');
  assert.equal(toHexId('17348474965005769013', 8), 'f0c22a1083ed1935');
  assert.equal(toHexId('35cc6c90-b657-4819-b66c-c931c03ad569', 16), '35cc6c90b6574819b66cc931c03ad569');
  assert.match(toHexId('obs-1', 8), /^[0-9a-f]{16}$/);
  assert.equal(toHexId('obs-1', 8), toHexId('obs-1', 8));
  assert.notEqual(toHexId('obs-1', 8), toHexId('obs-2', 8));
});

test('[CV19] integers of 128 bits and nanoseconds keep all their digits', () => {
  const text = `{"spans":[{"name":"a","context":{"trace_id":273475590164507581703505203264503192396,"span_id":2932848494077650092},
    "parent":{"trace_id":null,"span_id":17348474965005769013},"start_time":1758026586341103001,"end_time":1758026586853189002,
    "status":{"status_code":"error","description":"boom"},"attributes":{"n":3,"f":0.5,"l":["a"]},"resource":{"attributes":{"service.name":"s"}}}]}`;
  const [span] = decodeRecording(toOtlp(text, 'x')).spans;
  assert.ok(span);
  assert.equal(BigInt(`0x${span.traceId}`), 273475590164507581703505203264503192396n);
  assert.equal(BigInt(`0x${span.spanId}`), 2932848494077650092n);
  assert.equal(BigInt(`0x${span.parentSpanId ?? ''}`), 17348474965005769013n);
  assert.equal(span.status, 'ERROR');
  assert.equal(span.statusMessage, 'boom');
  assert.ok(Math.abs((span.durationMs ?? 0) - 512.086001) < 1e-6);
  assert.deepEqual(Object.fromEntries(span.attributes), { n: 3, f: 0.5, l: ['a'] });
  assert.equal(span.resource.attributes.get('service.name'), 's');
});

test('[CV19] a Langfuse export gives the original attributes, or the ones its own SDK would have sent', () => {
  const observation = {
    traceId: 't',
    startTime: '2025-08-22T09:38:56.231Z',
    endTime: '2025-08-22T09:38:57.082Z',
  };
  const text = JSON.stringify({
    trace: { id: 't' },
    observations: [
      {
        ...observation,
        id: 'a',
        name: 'root',
        type: 'SPAN',
        metadata: {
          attributes: { 'input.value': { q: 1 }, tags: ['x'] },
          scope: { name: 'openinference.x' },
        },
      },
      {
        ...observation,
        id: 'b',
        parentObservationId: 'a',
        name: 'call',
        type: 'GENERATION',
        model: 'gpt-4o',
        level: 'DEFAULT',
        usageDetails: { input: 3, output: 4 },
        costDetails: { total: 0.7 },
        providedCostDetails: {},
        input: [{ role: 'user', content: 'hi' }],
        metadata: '{"langgraph_node":"agent","scope":{"name":"langfuse-sdk"}}',
      },
    ],
  });
  const [root, call] = decodeRecording(toOtlp(text, 'x')).spans;
  assert.ok(root && call);
  assert.deepEqual(Object.fromEntries(root.attributes), { 'input.value': '{"q":1}', tags: ['x'] });
  assert.equal(root.scope.name, 'openinference.x');
  assert.equal(call.parentSpanId, root.spanId);
  assert.equal(call.traceId, root.traceId);
  assert.equal(call.durationMs, 851);
  assert.deepEqual(Object.fromEntries(call.attributes), {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.model.name': 'gpt-4o',
    'langfuse.observation.input': '[{"role":"user","content":"hi"}]',
    'langfuse.observation.usage_details': '{"input":3,"output":4}',
    'langfuse.observation.level': 'DEFAULT',
    'langfuse.observation.metadata.langgraph_node': 'agent',
  });
});

test('[CV19] a cost that Langfuse worked out is not sent, one that it was given is; lifted messages come back', () => {
  const times = { startTime: '2025-12-04T14:51:22.049Z', endTime: '2025-12-04T14:51:23.049Z' };
  const told = {
    type: 'GENERATION',
    input: [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }],
    output: [{ role: 'assistant', parts: [] }],
    costDetails: { total: 0.7 },
  };
  const schema = { type: 'object', properties: { 'gen_ai.input.messages': { type: 'array' } } };
  const text = JSON.stringify({
    trace: { id: 't' },
    observations: [
      {
        ...times,
        ...told,
        traceId: 't',
        id: 'a',
        name: 'sdk',
        providedCostDetails: { total: 0.5 },
        metadata: {},
      },
      {
        ...times,
        ...told,
        traceId: 't',
        id: 'b',
        name: 'chat',
        metadata: { attributes: { 'logfire.json_schema': schema, 'operation.cost': 0.5 } },
      },
    ],
  });
  const [sdk, chat] = decodeRecording(toOtlp(text, 'x')).spans;
  assert.equal(sdk?.attributes.get('langfuse.observation.cost_details'), '{"total":0.5}');
  assert.deepEqual(Object.fromEntries(chat?.attributes ?? []), {
    'logfire.json_schema': JSON.stringify(schema),
    'operation.cost': 0.5,
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
  });
});

test('[CV19] one document, arrays of them and one a line give all their spans', () => {
  const request = (spanId: string) => ({
    resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: '5'.repeat(32), spanId, name: 's' }] }] }],
  });
  const [a, b] = [request('1'.repeat(16)), request('2'.repeat(16))];
  const texts = [JSON.stringify([a, b]), `${JSON.stringify(a)}\n${JSON.stringify(b)}\n`];
  for (const text of texts) {
    assert.deepEqual(toOtlp(text, 'x').flatMap(spanIdsOf), ['1'.repeat(16), '2'.repeat(16)]);
  }
});

test('[CV19] a single span without ids gets the same ones each time', () => {
  const text =
    '{"scopeName":"codex_cli_rs","spanName":"turn","attributes":{"l":{"values":[{"stringValue":"a"}]}}}';
  const ids = toOtlp(text, 'one.json').flatMap(spanIdsOf);
  assert.deepEqual(toOtlp(text, 'one.json').flatMap(spanIdsOf), ids);
  assert.deepEqual(toOtlp(text, 'folder/one.json').flatMap(spanIdsOf), ids);
  assert.notDeepEqual(toOtlp(text, 'two.json').flatMap(spanIdsOf), ids);
  assert.deepEqual(decodeRecording(toOtlp(text, 'one.json')).spans[0]?.attributes.get('l'), ['a']);
});

test('[CV19] what is no recording is refused by name', () => {
  assert.throws(() => toOtlp('{"a":1}', 'x.json'), /x\.json: not a recording/);
  assert.throws(() => toOtlp('3', 'x.json'), /x\.json: not a recording/);
  assert.throws(() => toOtlp('{', 'x.json'), SyntaxError);
});
