import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepFacts, StepTexts } from '../model/facts.ts';
import { interpretSpan } from './interpret-span.ts';
import { type SpanSketch, spanOf } from './span-for-test.ts';

interface Case {
  readonly title: string;
  readonly attributes: Record<string, AttributeValue>;
  readonly sketch?: SpanSketch;
  readonly step: Partial<StepFacts>;
  readonly details?: Record<string, unknown>;
  readonly texts?: StepTexts;
}

const CASES: readonly Case[] = [
  {
    title: 'Langfuse generation: exclusive buckets are added up, ERROR level with unset status',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o',
      'langfuse.observation.input': '[{"role":"user","content":"hi"}]',
      'langfuse.observation.output': '{"role":"assistant","content":"hello","thinking":"greet"}',
      'langfuse.observation.usage_details':
        '{"input":60,"input_cache_read":40,"output":15,"output_reasoning":5,"total":120}',
      'langfuse.observation.cost_details': '{"input":0.00006,"output":0.000015,"total":0.000075}',
      'langfuse.observation.level': 'ERROR',
      'langfuse.observation.status_message': 'rate limited',
      'langfuse.observation.completion_start_time': '"2025-06-15T15:06:40.030Z"',
      'langfuse.session.id': 's-1',
    },
    step: {
      type: 'LLM_CALL',
      convention: 'langfuse',
      model: 'gpt-4o',
      tokensIn: 100,
      tokensOut: 20,
      costUsd: 0.000075,
      status: 'ERROR',
      task: { id: 's-1', rank: 1 },
    },
    details: {
      cacheReadTokens: 40,
      reasoningTokens: 5,
      errorMessage: 'rate limited',
      timeToFirstTokenMs: 30,
    },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'greet', error: 'rate limited' },
  },
  {
    title: 'a plain Langfuse span is a container, unless another convention knows better',
    attributes: { 'langfuse.observation.type': 'span' },
    step: { type: 'OTHER', convention: 'langfuse' },
  },
  {
    title: 'a Langfuse span around a gen_ai call is the call',
    attributes: { 'langfuse.observation.type': 'span', 'gen_ai.operation.name': 'chat' },
    step: { type: 'LLM_CALL', convention: 'gen_ai' },
  },
  {
    title: 'Traceloop tool, with the agent from gen_ai',
    attributes: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'get_weather',
      'traceloop.entity.input': '{"kwargs":{"city":"Rome"}}',
      'traceloop.entity.output': '"sunny"',
      'traceloop.association.properties.session_id': 'sess-1',
      'gen_ai.agent.name': 'reviewer',
    },
    step: { type: 'TOOL_CALL', convention: 'traceloop', agent: 'reviewer', task: { id: 'sess-1', rank: 1 } },
    details: { toolName: 'get_weather' },
    texts: { toolArguments: '{"city":"Rome"}', toolResult: '"sunny"' },
  },
  {
    title: 'Traceloop before gen_ai',
    attributes: {
      'llm.request.type': 'chat',
      'llm.usage.prompt_tokens': 3,
      'llm.usage.completion_tokens': 4,
    },
    step: { type: 'LLM_CALL', convention: 'traceloop', tokensIn: 3, tokensOut: 4 },
  },
  {
    title: 'LangSmith',
    attributes: {
      'langsmith.span.kind': 'llm',
      'langsmith.metadata.ls_model_name': 'gpt-4o',
      'langsmith.metadata.langgraph_node': 'planner',
      'langsmith.metadata.thread_id': 'th-1',
      'langsmith.usage_metadata': '{"input_tokens":7,"output_tokens":8,"total_tokens":15}',
    },
    step: {
      type: 'LLM_CALL',
      agent: 'planner',
      model: 'gpt-4o',
      tokensIn: 7,
      tokensOut: 8,
      task: { id: 'th-1', rank: 1 },
    },
  },
];

for (const { title, attributes, sketch, step, details, texts } of CASES) {
  test(`[CV1] ${title}`, () => {
    const read = interpretSpan(spanOf(attributes, sketch));
    assert.partialDeepStrictEqual(read.facts.step, step);
    assert.partialDeepStrictEqual(read.facts.step.details, details ?? {});
    if (texts !== undefined) assert.deepEqual(read.texts.texts, texts);
  });
}
