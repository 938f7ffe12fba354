import { testSpans } from './cases-for-test.ts';

testSpans('CV44', [
  {
    title: 'the inference is the call',
    attributes: {
      'mastra.span.type': 'model_inference',
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 6,
      'mastra.completion_start_time': '2025-06-15T15:06:40.030Z',
      'gen_ai.response.finish_reasons': '["stop"]',
    },
    step: { type: 'LLM_CALL', convention: 'mastra', tokensIn: 5, tokensOut: 6 },
    details: { timeToFirstTokenMs: 30, finishReasons: ['stop'] },
  },
  {
    title: 'the generation around it repeats its usage and holds the reasoning',
    attributes: {
      'mastra.span.type': 'model_generation',
      'mastra.model_generation.output': '{"text":"ok","reasoningText":"think first"}',
      'gen_ai.operation.name': 'model_generation',
      'gen_ai.usage.input_tokens': 5,
    },
    step: { type: 'OTHER', container: true, convention: 'mastra', tokensIn: 5 },
    texts: { completion: 'ok', reasoning: 'think first' },
  },
  {
    title: 'where there are no inferences, the generation is the call, and named so',
    attributes: {
      'mastra.span.type': 'model_generation',
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 5,
    },
    step: { type: 'LLM_CALL', container: undefined, tokensIn: 5 },
  },
  {
    title: 'reasoning in the pieces that were streamed',
    attributes: {
      'mastra.span.type': 'model_generation',
      'mastra.model_generation.output':
        '{"text":"ok","reasoning":[{"type":"reasoning","payload":{"text":"one"}},{"payload":{"text":"two"}},7]}',
    },
    step: { type: 'OTHER' },
    texts: { completion: 'ok', reasoning: 'one\n\ntwo' },
  },
  {
    title: 'steps of a generation are shown in it',
    attributes: { 'mastra.span.type': 'model_step', 'mastra.model_step.output': '{"text":"ok"}' },
    step: { type: 'OTHER', wrapper: true, container: true },
    texts: undefined,
  },
  {
    title: 'chunks are shown in their call',
    attributes: {
      'mastra.span.type': 'model_chunk',
      'mastra.model_chunk.output': '"hm"',
      'gen_ai.operation.name': 'model_chunk',
    },
    step: { type: 'OTHER', wrapper: true },
    texts: undefined,
  },
  {
    title: 'a tool, and why it failed',
    attributes: {
      'mastra.span.type': 'mcp_tool_call',
      'gen_ai.tool.name': 'get',
      'mastra.metadata.toolCallId': 'c1',
      'gen_ai.tool.call.arguments': '{"a":1}',
      'error.type': 'TOOL_FAILED',
      'error.message': 'gone',
    },
    step: { type: 'TOOL_CALL', status: 'ERROR' },
    details: { toolName: 'get', toolCallId: 'c1', errorType: 'TOOL_FAILED', errorMessage: 'gone' },
    texts: { toolArguments: '{"a":1}' },
  },
  {
    title: 'an agent',
    attributes: {
      'mastra.span.type': 'agent_run',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'Weather',
      'gen_ai.conversation.id': 'th',
      'mastra.agent_run.input': '[{"role":"user","content":"rain?"}]',
      'mastra.agent_run.output': '{"text":"no","files":[]}',
    },
    step: {
      type: 'OTHER',
      container: true,
      agent: 'Weather',
      promptSummary: 'rain?',
      byUser: true,
      task: { id: 'th', rank: 1 },
    },
    texts: { prompt: 'rain?', completion: 'no' },
  },
]);
