import { testSpans } from './cases-for-test.ts';

const CALL = {
  'gen_ai.system': 'gcp.vertex.agent',
  'gen_ai.request.model': 'gemini-2.0-flash',
  'gcp.vertex.agent.session_id': 'demo',
};

testSpans('CV46', [
  {
    title: 'bodies in its own attributes',
    attributes: {
      ...CALL,
      'gcp.vertex.agent.event_id': 'e-1',
      'gcp.vertex.agent.llm_request': '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
      'gcp.vertex.agent.llm_response':
        '{"content":{"parts":[{"text":"mull","thought":true},{"text":"Hello"},{"function_call":{"id":"f1","name":"now","args":{}}}],"role":"model"},"usage_metadata":{"prompt_token_count":39,"candidates_token_count":6,"thoughts_token_count":4,"cached_content_token_count":9,"total_token_count":49}}',
      'gen_ai.usage.input_tokens': 39,
      'gen_ai.usage.output_tokens': 6,
    },
    span: { name: 'call_llm' },
    step: {
      type: 'LLM_CALL',
      convention: 'google-adk',
      model: 'gemini-2.0-flash',
      tokensIn: 39,
      tokensOut: 10,
      promptSummary: 'hi',
      byUser: true,
      task: { id: 'demo', rank: 1 },
    },
    details: { reasoningTokens: 4, cacheReadTokens: 9, requestedToolCallIds: ['f1'], responseId: 'e-1' },
    texts: { prompt: 'hi', completion: 'Hello\nnow({})', reasoning: 'mull' },
  },
  {
    title: 'a body that was cut off before its usage: that of gen_ai stands',
    attributes: {
      ...CALL,
      'gcp.vertex.agent.llm_response': '{"content":{"parts":[{"text":"Hel',
      'gen_ai.usage.input_tokens': 39,
      'gen_ai.usage.output_tokens': 6,
    },
    span: { name: 'call_llm' },
    step: { type: 'LLM_CALL', tokensIn: 39, tokensOut: 6 },
    texts: { completion: 'Hel' },
  },
  {
    title: 'three conventions on one span count once',
    attributes: {
      ...CALL,
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gemini-2.0-flash',
      'llm.token_count.prompt': 39,
      'llm.token_count.completion': 6,
      'gcp.vertex.agent.llm_response':
        '{"content":{"parts":[{"text":"Hello"}]},"usage_metadata":{"prompt_token_count":39,"candidates_token_count":6,"cached_content_token_count":9}}',
      'gen_ai.usage.input_tokens': 39,
      'gen_ai.usage.output_tokens': 6,
    },
    span: { name: 'call_llm', scope: 'openinference.instrumentation.google_adk' },
    step: { type: 'LLM_CALL', convention: 'openinference', tokensIn: 39, tokensOut: 6 },
    details: { conventions: ['openinference', 'google-adk', 'gen_ai'], cacheReadTokens: 9 },
  },
  {
    title: 'a tool, with the empty bodies that it carries',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'say_hello',
      'gen_ai.tool.call.id': 'adk-1',
      'gcp.vertex.agent.tool_call_args': '{}',
      'gcp.vertex.agent.tool_response': '{"greeting":"Hello"}',
      'gcp.vertex.agent.llm_request': '{}',
      'gcp.vertex.agent.llm_response': '{}',
    },
    span: { name: 'execute_tool say_hello' },
    step: { type: 'TOOL_CALL', tokensIn: undefined },
    details: { toolName: 'say_hello', toolCallId: 'adk-1' },
    texts: { toolArguments: '{}', toolResult: '{"greeting":"Hello"}' },
  },
  {
    title: 'the results of parallel tools, put together, are no tool',
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gcp.vertex.agent.tool_response': '{}' },
    span: { name: 'execute_tool (merged)' },
    step: { type: 'OTHER', wrapper: true },
  },
  {
    title: 'an agent is named by its span',
    attributes: { 'gcp.vertex.agent.session_id': 'demo' },
    span: { name: 'agent_run [hello_agent]' },
    step: { type: 'OTHER', container: true, agent: 'hello_agent' },
  },
  {
    title: 'an invocation is a container',
    attributes: {},
    span: { name: 'invocation', scope: 'gcp.vertex.agent' },
    step: { type: 'OTHER', container: true, agent: undefined },
  },
]);
