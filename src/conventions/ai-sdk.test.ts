import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeType } from '../model/node.ts';
import { testSpans } from './cases-for-test.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

const OPERATIONS: readonly [string, NodeType][] = [
  ['ai.generateText.doGenerate', 'LLM_CALL'],
  ['ai.streamText.doStream', 'LLM_CALL'],
  ['ai.generateObject.doGenerate', 'LLM_CALL'],
  ['ai.streamObject.doStream', 'LLM_CALL'],
  ['ai.generateText', 'OTHER'],
  ['ai.streamText', 'OTHER'],
  ['ai.toolCall', 'TOOL_CALL'],
  ['ai.embed', 'OTHER'],
  ['ai.embedMany.doEmbed', 'OTHER'],
];

for (const [operation, type] of OPERATIONS) {
  test(`[CV4] ai.operationId ${operation} is ${type}`, () => {
    assert.equal(interpretSpan(spanOf({ 'ai.operationId': operation })).facts.step.type, type);
  });
}

test('[CV1] a call of the AI SDK: its function is the agent, its metadata names the task', () => {
  const { facts, texts } = interpretSpan(
    spanOf({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.telemetry.functionId': 'code-reviewer',
      'ai.telemetry.metadata.sessionId': 'sess-1',
      'ai.telemetry.metadata.taskID': 'task-7',
      'ai.model.id': 'claude-sonnet-4-5',
      'ai.response.model': 'claude-sonnet-4-5-20250929',
      'ai.prompt.messages':
        '[{"role":"user","content":[{"type":"text","text":"Review a.ts"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"call_1","toolName":"eslint","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"call_1","toolName":"eslint","output":{"type":"json","value":{"issues":1}}}]}]',
      'ai.response.text': 'Fix line 3.',
      'ai.response.reasoning': 'One issue.',
      'ai.response.toolCalls': '[{"toolCallId":"call_2","toolName":"edit","input":"{\\"line\\":3}"}]',
      'ai.usage.inputTokens': 1200,
      'ai.usage.outputTokens': 80,
      'ai.usage.cachedInputTokens': 1000,
      'ai.response.msToFirstChunk': 27,
    }),
  );
  assert.equal(facts.step.agent, 'code-reviewer');
  assert.deepEqual(facts.step.task, { id: 'task-7', rank: 0, own: true });
  assert.equal(facts.step.tokensIn, 1200);
  assert.equal(facts.step.details['cacheReadTokens'], 1000);
  assert.equal(facts.step.details['timeToFirstTokenMs'], 27);
  assert.deepEqual(facts.step.details['requestedToolCallIds'], ['call_2']);
  assert.deepEqual(facts.step.details['answeredToolCallIds'], ['call_1']);
  assert.deepEqual(texts.texts, {
    prompt: '{"issues":1}',
    completion: 'Fix line 3.\nedit({"line":3})',
    reasoning: 'One issue.',
  });
});

test('[CV10] the usage of the outer loop stands in a container: it repeats that of the steps in it', () => {
  const { step } = interpretSpan(
    spanOf({
      'ai.operationId': 'ai.generateText',
      'ai.usage.inputTokens': 2500,
      'ai.usage.outputTokens': 120,
    }),
  ).facts;
  assert.equal(step.container, true);
  assert.equal(step.tokensIn, 2500);
  assert.equal(step.tokensOut, 120);
});

testSpans('CV36', [
  {
    title: 'a prompt without messages is what a user asked',
    attributes: { 'ai.operationId': 'ai.generateText', 'ai.prompt': '{"system":"s","prompt":"Review a.ts"}' },
    step: { type: 'OTHER', container: true, byUser: true, promptSummary: 'Review a.ts' },
  },
  {
    title: 'task, session, user and id of the response',
    attributes: {
      'ai.operationId': 'ai.streamText.doStream',
      'ai.model.id': 'gpt-4o',
      'ai.response.id': 'resp_1',
      'ai.telemetry.metadata.taskID': 'T1',
      'ai.telemetry.metadata.userId': 'u1',
    },
    step: {
      type: 'LLM_CALL',
      task: { id: 'T1', rank: 0, own: true },
      stepId: 'call:resp_1',
    },
    details: { userId: 'u1' },
  },
]);
