import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.equal(agent('act', 'CHAIN'), undefined);
});
