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
    texts: { toolArguments: '{"a":1}', error: 'gone' },
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
  {
    title: 'a session of the tracing options, and the owner of the memory',
    attributes: {
      'mastra.span.type': 'model_step',
      'mastra.metadata.sessionId': 's1',
      'mastra.metadata.threadId': 't1',
      'mastra.metadata.resourceId': 'user-7',
    },
    step: { task: { id: 's1', rank: 1 } },
    details: { userId: 'user-7' },
  },
  {
    title: 'a thread of the memory',
    attributes: { 'mastra.span.type': 'agent_run', 'mastra.metadata.threadId': 't1' },
    step: { task: { id: 't1', rank: 1 } },
  },
]);

testSpans('CV52', [
  {
    title: 'a call of Mastra that failed, though its span set OK',
    span: { name: 'chat o4-mini', status: 'OK' },
    attributes: {
      'mastra.span.type': 'model_inference',
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":""}]}]',
      'gen_ai.response.finish_reasons': '["error"]',
    },
    step: { type: 'LLM_CALL', status: 'ERROR' },
    details: { finishReasons: ['error'] },
    texts: undefined,
  },
]);

const CHUNK = { 'gen_ai.operation.name': 'model_chunk', 'mastra.span.type': 'model_chunk' };

testSpans('CV53', [
  {
    title: 'the chunk of a tool call tells its call what it asked for',
    span: { name: 'model_chunk WeatherAgent' },
    attributes: {
      ...CHUNK,
      'mastra.model_chunk.output':
        '{"toolName":"get_weather","toolCallId":"call_oslo","toolInput":{"city":"Oslo"}}',
    },
    step: { type: 'OTHER', wrapper: true, container: undefined },
    details: { requestedToolCallIds: ['call_oslo'] },
    texts: { completion: 'get_weather({"city":"Oslo"})' },
  },
  {
    title: 'the chunk of a result asks for nothing',
    attributes: {
      ...CHUNK,
      'mastra.metadata.toolCallId': 'call_oslo',
      'mastra.model_chunk.output': '{"toolName":"get_weather","toolCallId":"call_oslo"}',
    },
    step: { wrapper: true },
    details: { requestedToolCallIds: undefined },
    texts: undefined,
  },
  ...['chunk reasoning', "chunk: 'reasoning'"].map((name) => ({
    title: `${name} holds thoughts of its call`,
    span: { name },
    attributes: { ...CHUNK, 'mastra.model_chunk.output': '{"text":"First Oslo.\\n\\nThen Rome."}' },
    step: { wrapper: true as const, thoughts: ['First Oslo.', 'Then Rome.'] },
    texts: { reasoning: 'First Oslo.\n\nThen Rome.' },
  })),
  {
    title: 'a chunk that does not say of what holds no thoughts: it may be the answer',
    span: { name: 'model_chunk WeatherAgent' },
    attributes: { ...CHUNK, 'mastra.model_chunk.output': '{"text":"Take an umbrella."}' },
    step: { wrapper: true, thoughts: undefined },
    texts: undefined,
  },
  {
    title: 'a step around calls repeats what they asked for',
    attributes: {
      'gen_ai.operation.name': 'agent_step',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"ls"}]}]',
    },
    step: { wrapper: true, container: true },
    details: { requestedToolCallIds: undefined },
  },
]);

testSpans('CV54', [
  {
    title: 'a generation of Mastra that gave nothing',
    attributes: {
      'mastra.span.type': 'model_generation',
      'mastra.model_generation.output': '{"files":[],"reasoning":[],"sources":[],"text":"","warnings":[]}',
    },
    step: { container: true },
    texts: undefined,
  },
]);

testSpans('CV55', [
  {
    title: 'what an agent of Mastra was asked, as a text',
    attributes: {
      'mastra.span.type': 'agent_run',
      'gen_ai.operation.name': 'invoke_agent',
      'mastra.agent_run.input': 'Do I need an umbrella in Oslo?',
    },
    step: { container: true, byUser: true, promptSummary: 'Do I need an umbrella in Oslo?' },
    texts: { prompt: 'Do I need an umbrella in Oslo?' },
  },
]);
