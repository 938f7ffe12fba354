import { test } from 'node:test';
import fc from 'fast-check';
import { BIG, isSound, MAX_MS, MODEL_KEYS, valuesOf, type Target } from './hostile-for-test.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const SPANS: readonly (Target & { readonly span: string; readonly scope?: string })[] = [
  {
    name: 'openinference',
    span: 'ChatCompletion',
    fixed: { 'openinference.span.kind': 'LLM' },
    keys: [
      'llm.model_name',
      'llm.invocation_parameters',
      'input.value',
      'output.value',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name',
      'app.name',
    ],
  },
  {
    name: 'logfire agents',
    span: 'Function: {name}',
    scope: 'logfire.openai_agents',
    fixed: {},
    keys: [
      'logfire.msg_template',
      'logfire.msg',
      'name',
      'input',
      'output',
      'error',
      'raw_input',
      'response',
      'to_agent',
      'group_id',
    ],
  },
  {
    name: 'wrapped arguments of a graph',
    span: 'get_weather',
    fixed: { 'openinference.span.kind': 'TOOL', 'tool.name': 'transfer_to_agent' },
    keys: ['input.value', 'output.value', 'metadata', 'llm.token_count.total'],
  },
  {
    name: 'langgraph by openllmetry',
    span: 'execute_tool x',
    fixed: { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'run' },
    keys: [
      'traceloop.entity.input',
      'traceloop.entity.output',
      'traceloop.association.properties.langgraph_node',
      'traceloop.association.properties.langgraph_checkpoint_ns',
      'gen_ai.task.status',
      'tool.status',
      'error.message',
    ],
  },
  {
    name: 'langfuse tool',
    span: 'search',
    fixed: { 'langfuse.observation.type': 'span' },
    keys: [
      'langfuse.observation.input',
      'langfuse.observation.output',
      'langfuse.observation.metadata.inputs',
      'langfuse.observation.metadata.ls_model_name',
      'koog.node.name',
    ],
  },
  {
    name: 'indexed gen_ai',
    span: 'chat x',
    fixed: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt.1.role': 'tool',
      'gen_ai.prompt.2.role': 'tool',
    },
    keys: ['gen_ai.prompt.1.content', 'gen_ai.prompt.2.content', 'gen_ai.completion.0.content'],
  },
  {
    name: 'claude-code',
    span: 'claude_code.llm_request',
    fixed: {},
    keys: [
      'model',
      'input_tokens',
      'cache_read_tokens',
      'success',
      'error',
      'request_id',
      'query_source',
      'ttft_ms',
      'session.id',
      'gen_ai.response.finish_reasons',
    ],
  },
  {
    name: 'claude-code tool',
    span: 'claude_code.tool',
    fixed: { tool_name: 'mcp_tool' },
    keys: ['tool_parameters', 'tool_use_id', 'tool_input', 'agent_id'],
  },
  {
    name: 'codex',
    span: 'completed',
    scope: 'codex_cli_rs',
    fixed: { 'codex.usage.total_tokens': 1 },
    keys: ['model', 'gen_ai.usage.input_tokens', 'turn.id', 'error.message', 'thread.id'],
  },
  {
    name: 'gemini-cli',
    span: 'tool_call',
    scope: 'gemini-cli',
    fixed: {},
    keys: ['function_name', 'function_args', 'success', 'error', ...MODEL_KEYS],
  },
  {
    name: 'copilot',
    span: 'chat x',
    scope: 'github.copilot',
    fixed: { 'gen_ai.operation.name': 'chat' },
    keys: ['github.copilot.cost', ...MODEL_KEYS],
  },
  {
    name: 'mastra',
    span: 'x',
    fixed: { 'mastra.span.type': 'model_generation' },
    keys: [
      'mastra.model_generation.input',
      'mastra.model_generation.output',
      'mastra.completion_start_time',
      'mastra.metadata.sessionId',
      'mastra.metadata.resourceId',
    ],
  },
  {
    name: 'mastra chunk',
    span: 'chunk reasoning',
    fixed: { 'mastra.span.type': 'model_chunk' },
    keys: ['mastra.model_chunk.output', 'gen_ai.response.finish_reasons'],
  },
  {
    name: 'genkit',
    span: 'x',
    fixed: { 'genkit:metadata:subtype': 'model' },
    keys: ['genkit:input', 'genkit:output', 'genkit:name', 'genkit:state', 'genkit:type'],
  },
  {
    name: 'google-adk',
    span: 'call_llm',
    fixed: { 'gcp.vertex.agent.event_id': 'e' },
    keys: [
      'gcp.vertex.agent.llm_request',
      'gcp.vertex.agent.llm_response',
      'gcp.vertex.agent.session_id',
      ...MODEL_KEYS,
    ],
  },
  {
    name: 'pydantic-ai',
    span: 'chat x',
    scope: 'pydantic-ai',
    fixed: { request_data: '{}' },
    keys: [
      'events',
      'response_data',
      'request_data',
      'operation.cost',
      'logfire.level_num',
      'all_messages_events',
      'pydantic_ai.all_messages',
      'final_result',
      'agent_name',
    ],
  },
  {
    name: 'any-agent',
    span: 'x',
    fixed: { 'any_agent.version': '1', 'gen_ai.operation.name': 'call_llm' },
    keys: ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost', 'gen_ai.output'],
  },
  {
    name: 'gen_ai handoff',
    span: 'x.handoff',
    fixed: { 'gen_ai.operation.name': 'handoff' },
    keys: ['gen_ai.handoff.to_agent', 'gen_ai.agent.name', 'traceloop.span.kind'],
  },
  {
    name: 'mcp',
    span: 'tools/call x',
    fixed: { 'mcp.method.name': 'tools/call' },
    keys: ['mcp.session.id', 'gen_ai.tool.name', 'mcp.request.argument', 'mcp.response.value'],
  },
];

for (const target of SPANS) {
  test(`[CV50] ${target.name}: any values give a sound step, and none throws`, () => {
    fc.assert(
      fc.property(valuesOf(target), (attributes) => {
        isSound(
          interpretSpan(spanOf(attributes, { name: target.span, scope: target.scope ?? '' })).facts.step,
        );
      }),
    );
  });
}

test('[CV50] values of a megabyte cost no more than their length', () => {
  const huge = `[${'{"role":"user","content":"x"},'.repeat(BIG / 30)}`;
  for (const target of SPANS) {
    const attributes = { ...Object.fromEntries(target.keys.map((key) => [key, huge])), ...target.fixed };
    const span = spanOf(attributes, { name: target.span, scope: target.scope ?? '' });
    assertCpuTime(MAX_MS, () => interpretSpan(span), target.name);
  }
});
