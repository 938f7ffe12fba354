import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSpans } from './cases-for-test.ts';
import type { NodeType } from '../model/node.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

const KINDS: readonly [string, NodeType][] = [
  ['LLM', 'LLM_CALL'],
  ['TOOL', 'TOOL_CALL'],
  ['AGENT', 'OTHER'],
  ['CHAIN', 'OTHER'],
  ['RETRIEVER', 'OTHER'],
  ['EMBEDDING', 'OTHER'],
  ['EVALUATOR', 'REFLEXION_ACTION'],
  ['UNKNOWN', 'OTHER'],
  ['NEWER_THAN_US', 'OTHER'],
];

for (const [kind, type] of KINDS) {
  test(`[CV4] openinference.span.kind ${kind} is ${type}`, () => {
    assert.equal(interpretSpan(spanOf({ 'openinference.span.kind': kind })).facts.step.type, type);
  });
}

test('[CV1] an OpenInference call: reasoning as its own message, strings for numbers, cost in parts', () => {
  const { facts, texts } = interpretSpan(
    spanOf({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'o4-mini-2025-04-16',
      'llm.provider': 'openai',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.type': 'text',
      'llm.input_messages.0.message.contents.0.message_content.text': 'Make a plan',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.contents.0.message_content.type': 'reasoning',
      'llm.output_messages.0.message.contents.0.message_content.text': 'They want a plan.',
      'llm.output_messages.0.message.contents.0.message_content.encrypted_content': 'gAAAAB',
      'llm.output_messages.1.message.role': 'assistant',
      'llm.output_messages.1.message.contents.0.message_content.type': 'output_text',
      'llm.output_messages.1.message.contents.0.message_content.text': 'Lint, then test.',
      'llm.token_count.prompt': '75',
      'llm.token_count.completion': '1186',
      'llm.token_count.completion_details.reasoning': '1024',
      'llm.cost.prompt': 0.0001,
      'llm.cost.completion': 0.0002,
    }),
  );
  assert.equal(facts.step.model, 'o4-mini-2025-04-16');
  assert.equal(facts.step.tokensIn, 75);
  assert.equal(facts.step.tokensOut, 1186);
  assert.equal(facts.step.costUsd, 0.0003);
  assert.equal(facts.step.details['reasoningTokens'], 1024);
  assert.deepEqual(texts.texts, {
    prompt: 'Make a plan',
    completion: 'Lint, then test.',
    reasoning: 'They want a plan.',
  });
});

test('[CV13] reasoning that only the raw body holds is found there', () => {
  const { texts } = interpretSpan(
    spanOf({
      'openinference.span.kind': 'LLM',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Tests pass.',
      'output.value':
        '{"choices":[{"message":{"role":"assistant","content":"Tests pass.","reasoning_content":"All 12 passed."}}]}',
    }),
  );
  assert.equal(texts.texts?.reasoning, 'All 12 passed.');
  assert.equal(texts.texts?.completion, 'Tests pass.');
});

test('[CV7] the session may stand in the metadata only', () => {
  const { step } = interpretSpan(
    spanOf({ 'openinference.span.kind': 'CHAIN', metadata: '{"thread_id":"th-1"}' }),
  ).facts;
  assert.deepEqual(step.task, { id: 'th-1', rank: 1 });
});

test('[CV6] an AGENT span is called after its agent, LangChain plumbing is not', () => {
  const agent = (name: string, kind: string) =>
    interpretSpan(spanOf({ 'openinference.span.kind': kind }, { name })).facts.step.agent;
  assert.equal(agent('Researcher', 'AGENT'), 'Researcher');
  assert.equal(agent('agent_run [hello_agent]', 'AGENT'), 'hello_agent');
  assert.equal(agent('RunnableParallel<agent_scratchpad>', 'AGENT'), undefined);
  assert.equal(agent('ReviewerAgent', 'CHAIN'), 'ReviewerAgent');
  assert.equal(agent('Agent.run', 'AGENT'), 'Agent');
  assert.equal(agent('CodeAgent.run', 'AGENT'), 'CodeAgent');
  assert.equal(agent('RunnableSequence.invoke', 'AGENT'), undefined);
  assert.equal(agent('act', 'CHAIN'), undefined);
});

const LANGCHAIN = JSON.stringify({
  generations: [
    [
      {
        generation_info: { finish_reason: 'tool_calls', model_name: 'gpt-4o-2024-08-06' },
        message: {
          kwargs: { content: '', tool_calls: [{ name: 'search', args: { q: 'x' }, id: 'call_5' }] },
        },
      },
    ],
  ],
});

testSpans('CV34', [
  {
    title: 'what only the body of the answer says: snapshot of the model, finish reason, ids of calls',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'search',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"q":"x"}',
      'output.value': LANGCHAIN,
    },
    step: { type: 'LLM_CALL', model: 'gpt-4o-2024-08-06' },
    details: {
      responseModel: 'gpt-4o-2024-08-06',
      requestModel: 'gpt-4o',
      finishReasons: ['tool_calls'],
      requestedToolCallIds: ['call_5'],
    },
    texts: { completion: 'search({"q":"x"})' },
  },
  {
    title: 'usage that only the body counts',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-mini',
      'output.value': `{"choices":[{"message":{"content":"${'long '.repeat(2000)}"},"finish_reason":"stop"}],"model":"gpt-4o-mini-2024-07-18","usage":{"prompt_tokens":163,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}}}`,
    },
    step: { tokensIn: 163, tokensOut: 20, model: 'gpt-4o-mini-2024-07-18' },
    details: { cacheReadTokens: 0, reasoningTokens: 3, finishReasons: ['stop'] },
  },
  {
    title: 'what the span says in any words goes before its body',
    attributes: {
      'openinference.span.kind': 'LLM',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 5,
      'output.value': '{"text":"hi","finish_reason":"STOP","usage":{"input_tokens":9,"output_tokens":9}}',
    },
    step: { tokensIn: 5, tokensOut: undefined },
    details: { finishReasons: ['stop'] },
  },
  {
    title: 'another model in the body is none of a call',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o',
      'output.value': '{"text":"hi","tool":{"model":"claude-haiku-4-5"}}',
    },
    step: { model: 'gpt-4o' },
  },
  {
    title: 'the model that was asked for stands in the parameters',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'o1-2024-12-17',
      'llm.invocation_parameters': '{"model": "o1", "max_completion_tokens": 8192}',
    },
    step: { model: 'o1-2024-12-17' },
    details: { requestModel: 'o1' },
  },
  {
    title: 'the id of the response out of the body',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o',
      'output.value': '{"id":"chatcmpl-9","choices":[{"message":{"content":"hi there"}}]}',
    },
    step: { type: 'LLM_CALL', stepId: 'call:chatcmpl-9' },
    details: { responseId: 'chatcmpl-9' },
  },
  {
    title: 'a response that was cut short says so',
    attributes: {
      'openinference.span.kind': 'LLM',
      'output.value':
        '{"id":"resp_4","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"So"}]}]}',
    },
    step: { type: 'LLM_CALL' },
    details: { responseId: 'resp_4', finishReasons: ['max_output_tokens'] },
    texts: { completion: 'So' },
  },
  {
    title: 'a call that failed names its model in its parameters',
    attributes: { 'openinference.span.kind': 'LLM', 'llm.invocation_parameters': '{"model":"gpt-4o","n":1}' },
    span: { status: 'ERROR' },
    step: { model: 'gpt-4o', status: 'ERROR' },
  },
  {
    title: 'or in its input, after a long history',
    attributes: {
      'openinference.span.kind': 'LLM',
      'input.value': `{"messages":[{"role":"user","content":"${'x'.repeat(9000)}"}],"model":"gpt-4o-mini"}`,
    },
    step: { model: 'gpt-4o-mini', byUser: true },
  },
  {
    title: 'a tool of LangGraph gives a message',
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'run_tests',
      'input.value': '{"path":"t"}',
      'output.value': '{"type":"tool","data":{"content":"12 passed","tool_call_id":"call_7"}}',
    },
    step: { type: 'TEST_RUN' },
    details: { toolCallId: 'call_7' },
    texts: { toolArguments: '{"path":"t"}', toolResult: '12 passed' },
  },
  {
    title: 'a tool that was called with a whole tool call',
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'search',
      'input.value': '{"name":"search","args":{"q":"x"},"id":"call_8","type":"tool_call"}',
      'output.value': 'found',
    },
    step: { type: 'TOOL_CALL' },
    details: { toolCallId: 'call_8' },
  },
  ...['RunnableSequence', 'RunnableAssign<agent_scratchpad>', 'ChatPromptTemplate', 'StrOutputParser'].map(
    (name) => ({
      title: `${name} is shown in the step around it`,
      attributes: { 'openinference.span.kind': 'CHAIN' },
      span: { name },
      step: { type: 'OTHER', wrapper: true } as const,
    }),
  ),
  {
    title: 'a thought beside the answer in the body alone',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Looking.',
      'output.value': '{"content":"Looking.","thought":"I should look first."}',
    },
    step: { thoughts: ['I should look first.'] },
    texts: { completion: 'Looking.', reasoning: 'I should look first.' },
  },
  {
    title: 'a thought that stands alone',
    attributes: {
      'openinference.span.kind': 'LLM',
      thought: 'I should look first.',
      'output.value': 'Looking.',
    },
    step: { thoughts: ['I should look first.'] },
    texts: { completion: 'Looking.', reasoning: 'I should look first.' },
  },
]);
