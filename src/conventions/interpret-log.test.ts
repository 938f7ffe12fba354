import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { createLogInterpreter, interpretLog } from './interpret-log.ts';
import { LOG_SPAN, LOG_TIME, LOG_TRACE, logOf, type LogSketch } from './log-for-test.ts';

const NOBODYS: readonly (readonly [Record<string, AttributeValue>, LogSketch])[] = [
  [{}, { body: 'GET /health 200' }],
  [{ 'event.name': 'user_prompt' }, { scope: 'my.app' }],
  [{ request_id: 'r' }, { event: 'api_request' }],
  [{}, { scope: 'com.anthropic.claude_code.events', event: 'plugin_loaded' }],
  [{}, { scope: 'com.anthropic.claude_code.events', event: 'api_request_body' }],
  [{ server_fallback_hop: 'false' }, { event: 'claude_code.api_refusal' }],
  [{ model_swapped: false }, { event: 'claude_code.subagent_completed' }],
  [{ 'event.kind': 'response.output_text.delta' }, { event: 'codex.sse_event' }],
  [{ 'event.kind': 'response.completed', duration_ms: '3' }, { event: 'codex.sse_event' }],
  [{}, { event: 'codex.websocket_connect' }],
  [{}, { event: 'gemini_cli.config' }],
  [{}, { event: 'gemini_cli.api_request' }],
  [{}, { event: 'gen_ai.system.message', body: { content: 'You are' } }],
  [{}, { event: 'gen_ai.assistant.message', body: { content: 'Hi' } }],
  [{}, { event: 'gen_ai.choice' }],
  [{}, { event: 'gen_ai.choice', body: { message: { content: 'in no span' } } }],
  [{ duration_ms: '3' }, { event: 'codex.api_request' }],
];

for (const [attributes, sketch] of NOBODYS) {
  test(`[LG1] [IN22] ${sketch.event ?? JSON.stringify(attributes)} of ${sketch.scope ?? 'any scope'} is no step`, () => {
    assert.equal(interpretLog(logOf(attributes, sketch)), undefined);
  });
}

const CALL = { 'event.name': 'api_request', request_id: 'r', duration_ms: 1500, model: 'm' };
const SCOPE = { scope: 'com.anthropic.claude_code.events' };

function idOf(attributes: Record<string, AttributeValue>, sketch: LogSketch = {}): string | undefined {
  return interpretLog(logOf(attributes, { ...SCOPE, ...sketch }))?.facts.logId;
}

test('[LG2] the id of a record is a function of its content, whatever the order of its attributes', () => {
  const id = idOf(CALL);
  assert.equal(idOf(Object.fromEntries(Object.entries(CALL).reverse())), id);
  const others = [
    idOf({ ...CALL, duration_ms: 1501 }),
    idOf({ ...CALL, duration_ms: '1500' }),
    idOf({ ...CALL, more: null }),
    idOf(CALL, { time: LOG_TIME + 1 }),
    idOf(CALL, { inSpan: true }),
    idOf(CALL, { body: 'x' }),
    idOf({ ...CALL, body: 'x'.repeat(5000) }),
    idOf({ ...CALL, body: 'x'.repeat(5001) }),
  ];
  assert.equal(new Set([id, ...others]).size, others.length + 1);
});

test('[LG3] a record is written at the end of its step: it began by its latency earlier', () => {
  const { facts } = interpretLog(logOf(CALL, { ...SCOPE, inSpan: true })) ?? assert.fail();
  assert.equal(facts.start, LOG_TIME - 1500);
  assert.equal(facts.end, LOG_TIME);
  assert.equal(facts.step.latencyMs, 1500);
  assert.deepEqual([facts.traceId, facts.spanId], [LOG_TRACE, LOG_SPAN]);
  const prompt = interpretLog(logOf({ prompt: 'hi' }, { event: 'claude_code.user_prompt' })) ?? assert.fail();
  assert.deepEqual([prompt.facts.start, prompt.facts.end], [LOG_TIME, LOG_TIME]);
  assert.equal(prompt.facts.step.latencyMs, undefined);
});

test('[LG3] a latency longer than time itself does not lead before it', () => {
  const attributes = { ...CALL, duration_ms: 9e9 };
  assert.equal(interpretLog(logOf(attributes, { ...SCOPE, time: 1000 }))?.facts.start, 0);
});

test('[LG1] the attributes and the body are kept as they are, the event names the step', () => {
  const read = interpretLog(logOf(CALL, { ...SCOPE, body: 'claude_code.api_request', service: 'svc' }));
  assert.deepEqual(read?.texts.attributes, { ...CALL, body: 'claude_code.api_request' });
  assert.equal(read?.facts.name, 'api_request');
  assert.equal(read?.facts.step.serviceName, 'svc');
});

test('[LG1] where the sender reports no cost, list prices give one', () => {
  const attributes = {
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    model: 'gpt-4o',
    input_token_count: '1000000',
    output_token_count: '0',
  };
  const step = interpretLog(logOf(attributes))?.facts.step;
  assert.equal(step?.costUsd, undefined);
  assert.ok((step?.estimatedCostUsd ?? 0) > 0);
});

test('[LG1] who it was for and the conversation are found in any record', () => {
  const attributes = { ...CALL, 'session.id': 's', 'user.id': 'u' };
  const step = interpretLog(logOf(attributes, SCOPE))?.facts.step;
  assert.deepEqual(step?.task, { id: 's', rank: 1 });
  assert.equal(step?.details['userId'], 'u');
});

test("[LG1] the users' own rules type the steps of log records too", () => {
  const interpret = createLogInterpreter({
    typeRules: [{ type: 'STATIC_ANALYSIS', field: 'toolName', pattern: /^my_check$/ }],
  });
  const attributes = { 'event.name': 'codex.tool_result', tool_name: 'my_check' };
  assert.equal(interpret(logOf(attributes))?.facts.step.type, 'STATIC_ANALYSIS');
});
