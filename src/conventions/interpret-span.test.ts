import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AttributeValue } from '../model/attributes.ts';
import { NODE_STATUSES, NODE_TYPES } from '../model/node.ts';
import { resourceKeyOf } from '../model/resource-key.ts';
import { interpretSpan } from './interpret-span.ts';
import { CONVENTIONS } from './registry.ts';
import { spanOf } from './span-for-test.ts';

test('[CV1] per field the strongest convention that knows it decides, and a weaker one fills the rest', () => {
  const { step } = interpretSpan(
    spanOf({
      component: 'coder-agent',
      'model.name': 'starcoder2',
      'openinference.span.kind': 'AGENT',
      'agent.name': 'weaker',
      'llm.model_name': 'weaker',
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 8,
    }),
  ).facts;
  assert.equal(step.type, 'LLM_CALL');
  assert.equal(step.convention, 'explainability-agent');
  assert.equal(step.agent, 'CoderAgent');
  assert.equal(step.model, 'starcoder2');
  assert.equal(step.tokensIn, 7);
  assert.deepEqual(step.details['conventions'], ['explainability-agent', 'openinference', 'gen_ai']);
});

test('[CV4] a span of no convention says nothing of itself but its name, times and status', () => {
  const { facts, texts } = interpretSpan(
    spanOf({ 'http.request.method': 'GET' }, { name: 'GET /users', service: 'api' }),
  );
  const { resourceKey, ...step } = facts.step;
  assert.deepEqual(step, { status: 'OK', details: {}, serviceName: 'api', latencyMs: 100 });
  assert.equal(resourceKey, resourceKeyOf(new Map([['service.name', 'api']])));
  assert.deepEqual(texts, { attributes: { 'http.request.method': 'GET' } });
});

test('[CV4] span names decide only where a convention is spoken that does not say', () => {
  const type = (name: string, scope: string) => interpretSpan(spanOf({}, { name, scope })).facts.step.type;
  assert.equal(type('ChatCompletion', 'openinference.instrumentation.openai'), 'LLM_CALL');
  assert.equal(type('eslint.tool', '@traceloop/node-server-sdk'), 'STATIC_ANALYSIS');
  assert.equal(type('chat room', 'my-web-app'), undefined);
});

test('[CV6] an unknown service is no name', () => {
  const name = (service: string) => interpretSpan(spanOf({}, { service })).facts.step.serviceName;
  assert.equal(name('shop'), 'shop');
  assert.equal(name('unknown_service'), undefined);
  assert.equal(name('unknown_service:node'), undefined);
});

test('[CV9] cached tokens that are more than the input were not counted in it', () => {
  const tokensIn = (input: number, read: number, write: number) =>
    interpretSpan(
      spanOf({
        'gen_ai.operation.name': 'chat',
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.cache_read.input_tokens': read,
        'gen_ai.usage.cache_write.input_tokens': write,
      }),
    ).facts.step.tokensIn;
  assert.equal(tokensIn(1200, 1000, 0), 1200);
  assert.equal(tokensIn(3, 100, 20), 123);
});

const failed = { name: 'exception', attributes: { 'exception.type': 'E', 'exception.message': 'boom' } };

test('[CV11] ERROR by span status, error.type or an exception that got out; an unset status is success', () => {
  const status = (attributes: Record<string, AttributeValue>, sketch: Parameters<typeof spanOf>[1]) =>
    interpretSpan(spanOf(attributes, sketch)).facts.step.status;
  assert.equal(status({}, {}), 'OK');
  assert.equal(status({}, { status: 'ERROR' }), 'ERROR');
  assert.equal(status({ component: 'x', status: 'OK' }, { status: 'ERROR' }), 'ERROR');
  assert.equal(status({ 'error.type': 'timeout' }, {}), 'ERROR');
  assert.equal(status({}, { events: [failed] }), 'ERROR');
  assert.equal(status({}, { status: 'OK', events: [failed] }), 'OK');
  const handled = { ...failed, attributes: { ...failed.attributes, 'exception.escaped': false } };
  assert.equal(status({}, { events: [handled] }), 'OK');
});

test('[CV11] a failure keeps its type, a short message and the whole stack trace', () => {
  const { facts, texts } = interpretSpan(
    spanOf(
      {},
      {
        status: 'ERROR',
        statusMessage: 'm'.repeat(500),
        events: [
          {
            name: 'exception',
            attributes: { ...failed.attributes, 'exception.stacktrace': 'E: boom\n  at f' },
          },
        ],
      },
    ),
  );
  assert.equal(facts.step.details['errorType'], 'E');
  assert.equal(String(facts.step.details['errorMessage']).length, 300);
  assert.equal(texts.texts?.error, 'E: boom\n  at f');
});

test('[CV18] attributes and events are kept as they are', () => {
  const { texts } = interpretSpan(
    spanOf(JSON.parse('{"a":1,"__proto__":{"x":1}}') as Record<string, AttributeValue>, { events: [failed] }),
  );
  assert.equal(Object.getPrototypeOf(texts.attributes), Object.prototype);
  assert.deepEqual(Object.keys(texts.attributes ?? {}), ['a', '__proto__', 'events']);
  assert.deepEqual(texts.attributes?.['events'], [{ ...failed, time: '2025-06-15T15:06:40.000Z' }]);
});

test('[CV18] details stay small whatever is sent', () => {
  const long = 'x'.repeat(100_000);
  const { step } = interpretSpan(
    spanOf({
      component: long,
      requestId: long,
      taskID: long,
      ruleId: long,
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': long,
      'gen_ai.response.finish_reasons': Array.from({ length: 1000 }, () => long),
    }),
  ).facts;
  assert.ok(JSON.stringify(step).length < 20_000);
});

const keys = CONVENTIONS.flatMap(({ signs }) => [...(signs.keys ?? []), ...(signs.keyPrefixes ?? [])]);
const KNOWN_KEYS = [
  ...keys,
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.operation.name',
  'gen_ai.usage.input_tokens',
  'gen_ai.tool.call.arguments',
  'gen_ai.prompt.0.role',
  'gen_ai.completion.0.content',
  'llm.input_messages.0.message.role',
  'llm.input_messages.x.y',
  'llm.output_messages.7.message.contents.3.message_content.text',
  'openinference.span.kind',
  'input.value',
  'output.value',
  'metadata',
  'status',
  'ai.operationId',
  'ai.prompt',
  'ai.response.toolCalls',
  'langfuse.observation.usage_details',
  'langfuse.observation.completion_start_time',
  'mastra.span.type',
  'genkit:output',
  'session.id',
  'error.type',
];
const KNOWN_WORDS = [
  'chat',
  'LLM',
  'TOOL',
  'generation',
  'tool',
  'model',
  'execute_tool',
  'ai.generateText.doGenerate',
  '[{"role":"user","content":"x',
  '{"messages":[[{}]]}',
  '{"input":{"a":1},"output":-3}',
  '"2025-06-15',
  '-1',
  'NaN',
];
const { tree: anyValue } = fc.letrec<{ tree: AttributeValue }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.constantFrom(...KNOWN_WORDS),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.json(),
    fc.array(tie('tree')),
    fc.dictionary(
      fc.constantFrom('role', 'content', 'parts', 'type', 'tool_calls', 'message', 'x'),
      tie('tree'),
    ),
  ),
}));
const anyKey = fc.oneof(fc.constantFrom(...KNOWN_KEYS), fc.string());

test('[CV7] the session is kept, whether it stands for the task or not, from whoever names it', () => {
  const sessionOf = (attrs: Record<string, string>, ofResource: Record<string, string> = {}) => {
    const span = spanOf({ 'gen_ai.operation.name': 'chat', ...attrs });
    const resource = { attributes: new Map(Object.entries(ofResource)) };
    const { step } = interpretSpan({ ...span, resource }).facts;
    return [step.task?.id, step.details['sessionId']];
  };
  assert.deepEqual(sessionOf({ 'gen_ai.conversation.id': 's' }), ['s', 's']);
  assert.deepEqual(sessionOf({ taskID: 'T', 'session.id': 's' }), ['T', 's']);
  const inMetadata = { 'ai.telemetry.metadata.taskID': 'T', 'ai.telemetry.metadata.sessionId': 's' };
  assert.deepEqual(sessionOf({ ...inMetadata, 'ai.model.id': 'm' }), ['T', 's']);
  assert.deepEqual(sessionOf({}, { taskID: 'T', 'session.id': 's' }), ['T', 's']);
  assert.deepEqual(sessionOf({}), [undefined, undefined]);
});

test('[CV2] whatever the attributes hold, reading never throws and gives nothing impossible', () => {
  fc.assert(
    fc.property(
      fc.dictionary(anyKey, anyValue, { maxKeys: 20 }),
      fc.constantFrom(
        'step',
        'chat x',
        'claude_code.tool',
        'critic.analysis',
        'session_task.turn',
        'call_llm',
      ),
      fc.constantFrom('', 'codex_cli_rs', 'gemini-cli', 'pydantic-ai', 'openinference.x', 'genkit-tracer'),
      (attributes, name, scope) => {
        const { facts, texts } = interpretSpan(
          spanOf(attributes, { name, scope, events: [{ name: 'exception', attributes }] }),
        );
        const { step } = facts;
        assert.ok(NODE_STATUSES.includes(step.status));
        assert.ok(step.type === undefined || NODE_TYPES.includes(step.type));
        for (const number of [step.tokensIn, step.tokensOut, step.latencyMs, step.costUsd]) {
          assert.ok(number === undefined || (Number.isFinite(number) && number >= 0));
        }
        assert.ok(
          step.promptSummary === undefined || (step.promptSummary !== '' && step.promptSummary.length <= 200),
        );
        for (const value of Object.values(step.details)) assert.ok(value !== undefined);
        for (const text of Object.values(texts.texts ?? {})) assert.equal(typeof text, 'string');
      },
    ),
    { numRuns: 2000 },
  );
});

test('[CV2] broken neighbours do not keep the rest of a step from being read', () => {
  const { step } = interpretSpan(
    spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Run the te',
      'gen_ai.output.messages': 17,
      'gen_ai.usage.input_tokens': 'many',
      'gen_ai.usage.output_tokens': '12',
      'gen_ai.response.finish_reasons': '["stop"',
    }),
  ).facts;
  assert.equal(step.type, 'LLM_CALL');
  assert.equal(step.model, 'gpt-4o');
  assert.equal(step.promptSummary, 'Run the te');
  assert.equal(step.tokensIn, undefined);
  assert.equal(step.tokensOut, 12);
});
