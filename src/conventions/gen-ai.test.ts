import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { testSpans } from './cases-for-test.ts';
import type { NodeType } from '../model/node.ts';
import { resourceKeyOf } from '../model/resource-key.ts';
import { textHash } from '../model/text-hash.ts';
import { interpretSpan } from './interpret-span.ts';
import { callHash } from './tool-arguments.ts';
import { spanOf } from './span-for-test.ts';

const OPERATIONS: readonly [string, NodeType][] = [
  ['chat', 'LLM_CALL'],
  ['generate_content', 'LLM_CALL'],
  ['text_completion', 'LLM_CALL'],
  ['call_llm', 'LLM_CALL'],
  ['execute_tool', 'TOOL_CALL'],
  ['invoke_agent', 'OTHER'],
  ['create_agent', 'OTHER'],
  ['agent_step', 'OTHER'],
  ['plan', 'REFLEXION_ACTION'],
  ['embeddings', 'OTHER'],
  ['retrieval', 'OTHER'],
];

for (const [operation, type] of OPERATIONS) {
  test(`[CV4] gen_ai.operation.name ${operation} is ${type}`, () => {
    assert.equal(interpretSpan(spanOf({ 'gen_ai.operation.name': operation })).facts.step.type, type);
  });
}

const CHAT: Record<string, AttributeValue> = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.response.id': 'chatcmpl-1',
  'gen_ai.response.finish_reasons': ['tool_calls'],
  'gen_ai.conversation.id': 'conv-1',
  'gen_ai.client.operation.time_to_first_chunk': 0.25,
  'gen_ai.usage.input_tokens': 2006,
  'gen_ai.usage.output_tokens': 300,
  'gen_ai.usage.cache_read.input_tokens': 1920,
  'gen_ai.usage.reasoning.output_tokens': 128,
  'gen_ai.input.messages':
    '[{"role":"system","parts":[{"type":"text","content":"You test."}]},{"role":"user","parts":[{"type":"text","content":"Run the tests"}]}]',
  'gen_ai.output.messages':
    '[{"role":"assistant","parts":[{"type":"reasoning","content":"They want tests."},{"type":"tool_call","id":"call_1","name":"run_tests","arguments":{"path":"tests/"}}],"finish_reason":"tool_call"}]',
};

test('[CV1] a chat span gives its model, usage, ids, texts and summary', () => {
  const { facts, texts } = interpretSpan(spanOf(CHAT, { name: 'chat gpt-4o', service: 'qa' }));
  assert.deepEqual(facts.step, {
    type: 'LLM_CALL',
    convention: 'gen_ai',
    serviceName: 'qa',
    resourceKey: resourceKeyOf(new Map([['service.name', 'qa']])),
    model: 'gpt-4o-2024-08-06',
    task: { id: 'conv-1', rank: 1 },
    tokensIn: 2006,
    tokensOut: 300,
    latencyMs: 100,
    status: 'OK',
    promptSummary: 'Run the tests',
    title: 'run_tests(tests/)',
    byUser: true,
    stepId: 'call:chatcmpl-1',
    estimatedCostUsd: 0.005615,
    thoughts: ['They want tests.'],
    saidHash: textHash('run_tests({"path":"tests/"})'),
    askedHashes: [callHash('run_tests', '{"path": "tests/"}') ?? ''],
    askedIds: ['call_1'],
    details: {
      sessionId: 'conv-1',
      provider: 'openai',
      operation: 'chat',
      responseId: 'chatcmpl-1',
      responseModel: 'gpt-4o-2024-08-06',
      requestModel: 'gpt-4o',
      finishReasons: ['tool_calls'],
      requestedToolCallIds: ['call_1'],
      timeToFirstTokenMs: 250,
      cacheReadTokens: 1920,
      reasoningTokens: 128,
    },
  });
  assert.deepEqual(texts.texts, {
    prompt: 'Run the tests',
    completion: 'run_tests({"path":"tests/"})',
    reasoning: 'They want tests.',
  });
  assert.deepEqual(texts.attributes, CHAT);
});

test('[CV1] the old names of gen_ai are read too', () => {
  const { step } = interpretSpan(
    spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'anthropic',
      'gen_ai.usage.prompt_tokens': '10',
      'gen_ai.usage.completion_tokens': '5',
      'gen_ai.usage.cache_creation.input_tokens': 4,
    }),
  ).facts;
  assert.equal(step.tokensIn, 10);
  assert.equal(step.tokensOut, 5);
  assert.equal(step.details['cacheWriteTokens'], 4);
  assert.equal(step.details['provider'], 'anthropic');
});

test('[CV1] indexed prompts are read in the order of their indexes, whatever the order of the attributes', () => {
  const { texts, facts } = interpretSpan(
    spanOf({
      'gen_ai.request.model': 'm',
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt.10.role': 'user',
      'gen_ai.prompt.10.content': 'the newest',
      'gen_ai.prompt.2.role': 'user',
      'gen_ai.prompt.2.content': 'older',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'You are.',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Fine.',
      'gen_ai.completion.0.finish_reason': 'stop',
      'gen_ai.completion.0.tool_calls.0.id': 'call_2',
      'gen_ai.completion.0.tool_calls.0.name': 'ls',
      'gen_ai.completion.0.tool_calls.0.arguments': '{}',
    }),
  );
  assert.equal(texts.texts?.prompt, 'the newest');
  assert.equal(texts.texts?.completion, 'Fine.\nls({})');
  assert.deepEqual(facts.step.details['requestedToolCallIds'], ['call_2']);
  assert.deepEqual(facts.step.details['finishReasons'], ['stop']);
});

test('[CV16] the requested model is told where it is another word than the one that is shown', () => {
  const details = (request: string, response: string) =>
    interpretSpan(
      spanOf({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': request,
        'gen_ai.response.model': response,
      }),
    ).facts.step.details['requestModel'];
  assert.equal(details('gpt-4o', 'gpt-4o'), undefined);
  assert.equal(details('models/gemini-2.5-pro', 'gemini-2.5-pro'), undefined);
  assert.equal(details('gpt-4o', 'gpt-4o-2024-08-06'), 'gpt-4o');
  assert.equal(details('openai/gpt-4o', 'gpt-4o'), 'openai/gpt-4o');
  assert.equal(details('claude-sonnet-4-5', 'claude-haiku-4-5-20251001'), 'claude-sonnet-4-5');
  assert.equal(details('gpt-4o', 'gpt-4o-mini'), 'gpt-4o');
});

test('[CV17] an LLM call names the tool calls whose results are new to it', () => {
  const { details } = interpretSpan(
    spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'old', response: 'x' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'ls', arguments: {} }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: { files: 2 } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'b', result: 'ok' }] },
      ]),
    }),
  ).facts.step;
  assert.deepEqual(details['answeredToolCallIds'], ['a', 'b']);
});

test('[CV4] a tool call keeps its name, id, arguments and result', () => {
  const { facts, texts } = interpretSpan(
    spanOf(
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': { city: 'Rome' },
        'gen_ai.tool.call.result': '{"sun":true}',
      },
      { name: 'execute_tool get_weather' },
    ),
  );
  assert.equal(facts.step.type, 'TOOL_CALL');
  assert.equal(facts.step.details['toolName'], 'get_weather');
  assert.equal(facts.step.details['toolCallId'], 'call_1');
  assert.deepEqual(texts.texts, { toolArguments: '{"city":"Rome"}', toolResult: '{"sun":true}' });
});

testSpans('CV35', [
  {
    title: 'a step of an agent is shown in the agent',
    attributes: { 'gen_ai.operation.name': 'agent_step' },
    step: { type: 'OTHER', container: true, wrapper: true },
  },
  {
    title: 'a chunk of an answer is shown in the answer',
    attributes: { 'gen_ai.operation.name': 'model_chunk' },
    step: { type: 'OTHER', container: undefined, wrapper: true },
  },
  {
    title: 'a chunk that failed is still one',
    attributes: { 'gen_ai.operation.name': 'model_chunk' },
    span: { status: 'ERROR' },
    step: { type: 'OTHER', wrapper: true, status: 'ERROR' },
  },
  {
    title: "the end of an answer in Anthropic's own words",
    attributes: { 'gen_ai.operation.name': 'chat', 'anthropic.message.stop_reason': 'tool_use' },
    step: { type: 'LLM_CALL' },
    details: { finishReasons: ['tool_use'] },
  },
  {
    title: "a tool's result in Anthropic's own words",
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'anthropic.tool_result.content': 'found',
    },
    step: { type: 'TOOL_CALL' },
    texts: { toolResult: 'found' },
  },
  {
    title: 'the task in the context of AI SDK 7',
    attributes: { 'gen_ai.operation.name': 'chat', 'ai.settings.context.taskID': 'T1' },
    step: { type: 'LLM_CALL', task: { id: 'T1', rank: 0, own: true } },
  },
  {
    title: 'indexes with gaps, numbers as strings, JSON that breaks off',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt.2.role': 'user',
      'gen_ai.prompt.2.content': 'first',
      'gen_ai.prompt.19.role': 'user',
      'gen_ai.prompt.19.content': 'last',
      'gen_ai.usage.input_tokens': '12',
      'gen_ai.usage.output_tokens': 3.5,
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"te',
    },
    step: { type: 'LLM_CALL', tokensIn: 12, tokensOut: undefined, promptSummary: 'last', byUser: true },
    texts: { prompt: 'last', reasoning: 'hm' },
  },
]);
