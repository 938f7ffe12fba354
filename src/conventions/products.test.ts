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
    texts: { toolArguments: '{"kwargs":{"city":"Rome"}}', toolResult: '"sunny"' },
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
  {
    title: 'Pydantic AI: an agent run sums up its calls',
    attributes: {
      agent_name: 'joke_agent',
      model_name: 'gpt-4o-mini',
      'logfire.msg': 'joke_agent run',
      'gen_ai.agent.name': 'joke_agent',
      'gen_ai.usage.input_tokens': 682,
      'gen_ai.usage.output_tokens': 126,
      final_result: 'Ha.',
      'pydantic_ai.all_messages':
        '[{"role":"user","parts":[{"type":"text","content":"a joke"}]},{"role":"assistant","parts":[]}]',
    },
    sketch: { name: 'joke_agent run', scope: 'pydantic-ai' },
    step: { type: 'OTHER', agent: 'joke_agent', promptSummary: 'a joke' },
    details: { totalTokensIn: 682, totalTokensOut: 126 },
    texts: { prompt: 'a joke', completion: 'Ha.' },
  },
  {
    title: 'Pydantic AI: cost and thinking parts',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'operation.cost': '0.00009435',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"thinking","content":"hm"},{"type":"text","content":"ok"}]}]',
    },
    sketch: { scope: 'pydantic-ai' },
    step: { type: 'LLM_CALL', costUsd: 0.00009435 },
    details: { costSource: 'reported' },
    texts: { completion: 'ok', reasoning: 'hm' },
  },
  {
    title: 'Mastra: the inference is the call',
    attributes: {
      'mastra.span.type': 'model_inference',
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 6,
    },
    step: { type: 'LLM_CALL', convention: 'mastra', tokensIn: 5, tokensOut: 6 },
  },
  {
    title: 'Mastra: the generation around it repeats its usage and holds the reasoning',
    attributes: {
      'mastra.span.type': 'model_generation',
      'mastra.model_generation.output': '{"text":"ok","reasoningText":"think first"}',
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 5,
    },
    step: { type: 'OTHER', convention: 'mastra' },
    details: { totalTokensIn: 5 },
    texts: { completion: 'ok', reasoning: 'think first' },
  },
  {
    title: 'Genkit model action',
    attributes: {
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'model',
      'genkit:name': 'googleai/gemini-2.0-flash',
      'genkit:state': 'success',
      'genkit:input': '{"messages":[{"role":"user","content":[{"text":"hi"}]}]}',
      'genkit:output':
        '{"message":{"role":"model","content":[{"reasoning":"greet"},{"text":"hello"}]},"usage":{"inputTokens":3,"outputTokens":4,"thoughtsTokens":1}}',
    },
    step: { type: 'LLM_CALL', model: 'googleai/gemini-2.0-flash', tokensIn: 3, tokensOut: 4 },
    details: { reasoningTokens: 1 },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'greet' },
  },
  {
    title: 'Claude Code: uncached input and the cache make the input',
    attributes: {
      model: 'claude-sonnet-4-5',
      input_tokens: '3',
      output_tokens: '13',
      cache_read_tokens: '100',
      cache_creation_tokens: '20',
      'session.id': 's',
      success: 'false',
      error: 'overloaded',
      ttft_ms: 900,
    },
    sketch: { name: 'claude_code.llm_request' },
    step: { type: 'LLM_CALL', convention: 'claude-code', tokensIn: 123, tokensOut: 13, status: 'ERROR' },
    details: {
      cacheReadTokens: 100,
      cacheWriteTokens: 20,
      errorMessage: 'overloaded',
      timeToFirstTokenMs: 900,
    },
  },
  {
    title: 'Claude Code: a Bash call that runs tests',
    attributes: { tool_name: 'Bash', tool_use_id: 'toolu_1', full_command: 'cd app && npm test' },
    sketch: { name: 'claude_code.tool' },
    step: { type: 'TEST_RUN' },
    details: { toolName: 'Bash', toolCallId: 'toolu_1' },
  },
  {
    title: 'Claude Code: a turn of the user',
    attributes: { user_prompt: 'fix it' },
    sketch: { name: 'claude_code.interaction' },
    step: { type: 'USER_QUERY', promptSummary: 'fix it' },
  },
  {
    title: 'Codex: a turn holds the usage of its calls',
    attributes: {
      model: 'gpt-5.5',
      'thread.id': 'th',
      'codex.turn.token_usage.input_tokens': 13297,
      'codex.turn.token_usage.output_tokens': 23,
    },
    sketch: { name: 'session_task.turn', scope: 'codex_cli_rs' },
    step: { type: 'OTHER', convention: 'codex', model: 'gpt-5.5', task: { id: 'th', rank: 1 } },
    details: { totalTokensIn: 13297, totalTokensOut: 23 },
  },
  {
    title: 'Gemini CLI: messages as one object without role',
    attributes: {
      'gen_ai.operation.name': 'llm_call',
      'gen_ai.request.model': 'gemini-3.1-flash-lite',
      'gen_ai.output.messages': '{"parts":[{"text":"thinking…","thought":true},{"text":"42"}]}',
    },
    sketch: { name: 'llm_call', scope: 'gemini-cli' },
    step: { type: 'LLM_CALL', convention: 'gemini-cli', model: 'gemini-3.1-flash-lite' },
    texts: { completion: '42', reasoning: 'thinking…' },
  },
  {
    title: 'Google ADK: bodies in its own attributes',
    attributes: {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gemini-2.0-flash',
      'gcp.vertex.agent.session_id': 'demo',
      'gcp.vertex.agent.llm_request': '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
      'gcp.vertex.agent.llm_response':
        '{"content":{"parts":[{"text":"mull","thought":true},{"text":"Hello"}],"role":"model"}}',
    },
    sketch: { name: 'call_llm' },
    step: { type: 'LLM_CALL', convention: 'google-adk', task: { id: 'demo', rank: 1 } },
    texts: { prompt: 'hi', completion: 'Hello', reasoning: 'mull' },
  },
  {
    title: 'any-agent: the cost in two halves',
    attributes: {
      'gen_ai.operation.name': 'call_llm',
      'gen_ai.usage.input_cost': 0.0000672,
      'gen_ai.usage.output_cost': 0.0000048,
      'gen_ai.output': '[{"tool.name":"now","tool.args":{"tz":"UTC"}}]',
    },
    step: { type: 'LLM_CALL', costUsd: 0.000072 },
    texts: { completion: 'now({"tz":"UTC"})' },
  },
  {
    title: 'MCP: a tool call',
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'get_weather', 'mcp.session.id': 'm' },
    step: { type: 'TOOL_CALL', task: { id: 'm', rank: 1 } },
    details: { toolName: 'get_weather' },
  },
  {
    title: 'MCP: anything else',
    attributes: { 'mcp.method.name': 'tools/list' },
    step: { type: 'OTHER', convention: 'mcp' },
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
