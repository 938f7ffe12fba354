import { testSpans } from './cases-for-test.ts';

const MESSAGES =
  '[{"role":"user","parts":[{"type":"text","content":"a joke"}]},{"role":"assistant","parts":[]}]';

testSpans('CV47', [
  {
    title: 'an agent run sums up its calls',
    attributes: {
      agent_name: 'joke_agent',
      model_name: 'gpt-4o-mini',
      'logfire.msg': 'joke_agent run',
      'gen_ai.agent.name': 'joke_agent',
      'gen_ai.usage.input_tokens': 682,
      'gen_ai.usage.output_tokens': 126,
      final_result: 'Ha.',
      'pydantic_ai.all_messages': MESSAGES,
    },
    span: { name: 'joke_agent run', scope: 'pydantic-ai' },
    step: {
      type: 'OTHER',
      container: true,
      convention: 'pydantic-ai',
      agent: 'joke_agent',
      model: 'gpt-4o-mini',
      tokensIn: 682,
      tokensOut: 126,
      promptSummary: 'a joke',
      byUser: true,
    },
    texts: { prompt: 'a joke', completion: 'Ha.' },
  },
  {
    title: 'since version 5 the sum has a name of its own',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'joke_agent',
      'gen_ai.aggregated_usage.input_tokens': 682,
      'gen_ai.aggregated_usage.output_tokens': 126,
      'gen_ai.aggregated_usage.details.cache_read_tokens': 12,
      'pydantic_ai.all_messages': MESSAGES,
    },
    span: { name: 'invoke_agent joke_agent', scope: 'pydantic-ai' },
    step: { type: 'OTHER', container: true, tokensIn: 682, tokensOut: 126 },
    details: { cacheReadTokens: 12 },
  },
  {
    title: 'cost and thinking parts',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'operation.cost': '0.00009435',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"thinking","content":"hm"},{"type":"text","content":"ok"}]}]',
    },
    span: { scope: 'pydantic-ai' },
    step: { type: 'LLM_CALL', costUsd: 0.00009435 },
    texts: { completion: 'ok', reasoning: 'hm' },
  },
  {
    title: 'messages as a list of events, as before',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      events:
        '[{"event.name":"gen_ai.system.message","role":"system","content":"be brief"},{"event.name":"gen_ai.user.message","role":"user","content":"hi"},{"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"hello","tool_calls":[{"id":"c1","type":"function","function":{"name":"now","arguments":"{}"}}]}}]',
    },
    span: { scope: 'pydantic-ai', name: 'chat m' },
    step: { type: 'LLM_CALL', promptSummary: 'hi', byUser: true },
    details: { requestedToolCallIds: ['c1'] },
    texts: { prompt: 'hi', completion: 'hello\nnow({})' },
  },
  {
    title: 'a call that Logfire instruments itself',
    attributes: {
      'logfire.msg': 'Chat Completion with gpt-4o',
      request_data: '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}',
      response_data: '{"message":{"role":"assistant","content":"hello"},"usage":{"prompt_tokens":3}}',
    },
    span: { scope: 'logfire.openai', name: 'Chat Completion with {request_data[model]!r}' },
    step: { type: 'LLM_CALL', model: 'gpt-4o', promptSummary: 'hi' },
    texts: { prompt: 'hi', completion: 'hello' },
  },
  {
    title: 'a streamed answer that Logfire put together',
    attributes: {
      request_data: '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}',
      response_data: '{"combined_chunk_content":"hello","chunk_count":2}',
    },
    span: { scope: 'logfire.openai' },
    step: { type: 'LLM_CALL' },
    texts: { prompt: 'hi', completion: 'hello' },
  },
  {
    title: 'a tool',
    attributes: {
      'gen_ai.tool.name': 'run_tests',
      'gen_ai.tool.call.id': 'call_1',
      tool_arguments: '{"topic":"x"}',
      tool_response: 'ok',
      'logfire.msg': 'running tool: run_tests',
    },
    span: { name: 'running tool: run_tests', scope: 'pydantic-ai' },
    step: { type: 'TEST_RUN', status: 'OK' },
    details: { toolName: 'run_tests', toolCallId: 'call_1' },
    texts: { toolArguments: '{"topic":"x"}', toolResult: 'ok' },
  },
  {
    title: 'what stands around parallel tools is plumbing',
    attributes: { tools: ['a', 'b'], 'logfire.msg': 'running 2 tools' },
    span: { name: 'running 2 tools', scope: 'pydantic-ai' },
    step: { type: 'OTHER', wrapper: true },
  },
  {
    title: 'a level is a status',
    attributes: { 'logfire.msg': 'odd', 'logfire.level_num': 13 },
    step: { type: undefined, status: 'WARNING' },
  },
]);

testSpans('CV47', [
  {
    title: 'a single tool that is running is the tool',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.id': 'c1',
      tool_arguments: '{"city":"Paris"}',
      tool_response: 'sunny, 18 C',
      'logfire.msg': 'running tool: get_weather',
    },
    span: { name: 'running tool', scope: 'pydantic-ai' },
    step: { type: 'TOOL_CALL', wrapper: undefined, status: 'OK' },
    details: { toolName: 'get_weather', toolCallId: 'c1' },
    texts: { toolArguments: '{"city":"Paris"}', toolResult: 'sunny, 18 C' },
  },
  {
    title: 'whose name may stand in the message alone',
    attributes: { 'logfire.msg': 'running tool: get_weather' },
    span: { name: 'running tool', scope: 'pydantic-ai' },
    step: { type: 'TOOL_CALL' },
    details: { toolName: 'get_weather' },
  },
]);
