import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from './classify.ts';
import { FlowLog } from './flow-log.ts';

function kinds(value: unknown): unknown {
  const found = classify(1, JSON.stringify(value));
  return typeof found === 'string' ? found.split(/[:,]/)[0] : found.map(({ kind, count }) => [kind, count]);
}

test('[CLI33] what a value is, is told by its content', () => {
  const spans = { resourceSpans: [{ scopeSpans: [{ spans: [{}, {}] }, { spans: [{}] }] }, {}] };
  const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [{}] }] }] };
  const points = { dataPoints: [{}, {}] };
  const metrics = {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ sum: points }, { gauge: points }, {}] }] }],
  };
  assert.deepEqual(kinds(spans), [['traces', 3]]);
  assert.deepEqual(kinds(logs), [['logs', 1]]);
  assert.deepEqual(kinds(metrics), [['metrics', 4]]);
  assert.deepEqual(kinds({ ...spans, ...logs }), [
    ['traces', 3],
    ['logs', 1],
  ]);
  assert.deepEqual(kinds({ eventType: 'PlanUpdated', requestId: 'r' }), [['events', 1]]);
  assert.deepEqual(kinds({ requestId: 'r' }), [['cot', 1]]);
  assert.equal(kinds({ spans: [] }), 'is none of what can be sent');
  assert.equal(kinds([1]), 'is not a JSON object');
  assert.equal(classify(1, '{"a":'), 'is not valid JSON');
});

test('[CLI33] a request goes on as it stands in the file, and one of several kinds as one of each', () => {
  const text = '{"resourceSpans": [{"n": 1750000000000000001}]}';
  const [message] = classify(7, text) as Exclude<ReturnType<typeof classify>, string>;
  assert.equal(message?.text, text);
  assert.equal(message.line, 7);
  const both = classify(1, '{"resourceSpans":[],"resourceLogs":[]}');
  assert.ok(typeof both !== 'string');
  assert.deepEqual(
    both.map((one) => one.text),
    ['{"resourceSpans":[]}', '{"resourceLogs":[]}'],
  );
});

test('[TF18] sessions and lines of ThoughtFlow are known by their content', () => {
  assert.deepEqual(kinds({ session_id: 's', runs: [] }), [['thoughtflow', 1]]);
  assert.deepEqual(kinds({ session_id: 's', conversations: [] }), [['thoughtflow', 1]]);
  assert.deepEqual(kinds({ type: 'step.started', step_id: 'a' }), [['thoughtflow', 1]]);
  assert.equal(kinds({ type: 'text' }), 'is none of what can be sent');
  const log = new FlowLog();
  const named = (value: object): unknown =>
    JSON.parse(log.named({ kind: 'thoughtflow', line: 1, text: JSON.stringify(value), count: 1 }).text);
  const begins = { type: 'session.created', session_id: 's' };
  assert.deepEqual(named({ type: 'step.started' }), { type: 'step.started' });
  assert.deepEqual(named(begins), begins);
  assert.deepEqual(named({ type: 'step.started' }), { type: 'step.started', session_id: 's' });
});

test("[MW16] messages of MEW are known by their kind; of a gateway's log what was received, and no token", () => {
  assert.deepEqual(kinds({ kind: 'reasoning/start', requestId: 'r' }), [['mew', 1]]);
  assert.deepEqual(kinds({ kind: 'reasoning.thought' }), [['mew', 1]]);
  assert.deepEqual(kinds({ kind: 'chat' }), [['mew', 1]]);
  assert.equal(kinds({ kind: 'Pod', apiVersion: 'v1' }), 'is none of what can be sent');
  const line = (event: string, envelope: object): object => ({ event, envelope, space_id: 'yard' });
  assert.deepEqual(kinds(line('received', { kind: 'chat' })), [['mew', 1]]);
  assert.deepEqual(kinds(line('delivered', { kind: 'chat' })), []);
  assert.deepEqual(kinds(line('received', { type: 'join', token: 't' })), []);
  assert.deepEqual(kinds({ kind: 'system/join', token: 't' }), []);
});
