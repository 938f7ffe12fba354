import { testLogs, testSpans } from './cases-for-test.ts';

testSpans('CV41', [
  {
    title: 'a turn holds the usage of its calls',
    attributes: {
      model: 'gpt-5.5',
      'thread.id': 'th',
      'codex.turn.token_usage.input_tokens': 13297,
      'codex.turn.token_usage.cached_input_tokens': 4480,
      'codex.turn.token_usage.output_tokens': 23,
      'codex.turn.token_usage.reasoning_output_tokens': 10,
    },
    span: { name: 'session_task.turn', scope: 'codex_cli_rs' },
    step: {
      type: 'OTHER',
      container: true,
      convention: 'codex',
      agent: 'codex',
      model: 'gpt-5.5',
      tokensIn: 13297,
      tokensOut: 23,
      task: { id: 'th', rank: 1 },
    },
    details: { cacheReadTokens: 4480, reasoningTokens: 10 },
  },
  {
    title: 'the event that completes a response is the call, whatever its span was renamed to',
    attributes: {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'codex.usage.reasoning_output_tokens': 5,
      'codex.usage.total_tokens': 120,
    },
    span: { name: 'completed', scope: 'codex_exec' },
    step: { type: 'LLM_CALL', convention: 'codex', tokensIn: 100, tokensOut: 20 },
    details: { cacheReadTokens: 60, reasoningTokens: 5 },
  },
  {
    title: 'the other events of a response are no steps',
    attributes: { from: 'output_item_done', tool_name: 'shell' },
    span: { name: 'function_call', scope: 'codex_cli_rs' },
    step: { type: 'OTHER', wrapper: true },
  },
]);

const IDS = { 'conversation.id': 'conv', model: 'gpt-5.5', slug: 'gpt-5.5' };

testLogs('LG7', [
  {
    title: 'the end of a response is the call; numbers are strings',
    attributes: {
      ...IDS,
      'event.name': 'codex.sse_event',
      'event.kind': 'response.completed',
      input_token_count: '13297',
      output_token_count: '23',
      cached_token_count: 4480,
      reasoning_token_count: 10,
      tool_token_count: '13320',
    },
    step: {
      type: 'LLM_CALL',
      convention: 'codex',
      agent: 'codex',
      model: 'gpt-5.5',
      tokensIn: 13297,
      tokensOut: 23,
      task: { id: 'conv', rank: 1 },
    },
    details: { cacheReadTokens: 4480, reasoningTokens: 10 },
  },
  {
    title: 'a stream that broke is a call that failed',
    attributes: {
      ...IDS,
      'event.name': 'codex.sse_event',
      'event.kind': 'response.failed',
      'error.message': 'no quota',
    },
    step: { type: 'LLM_CALL', status: 'ERROR', tokensIn: undefined },
    details: { errorMessage: 'no quota' },
    texts: { error: 'no quota' },
  },
  {
    title: 'what the user asked',
    attributes: { ...IDS, 'event.name': 'codex.user_prompt', prompt: 'fix it', prompt_length: '6' },
    step: { type: 'USER_QUERY', promptSummary: 'fix it', byUser: true },
  },
  {
    title: 'a prompt that was kept back is none',
    attributes: { 'event.name': 'codex.user_prompt', prompt: '[REDACTED]' },
    step: { type: 'USER_QUERY', promptSummary: undefined },
    texts: undefined,
  },
  {
    title: 'a tool that failed',
    attributes: {
      ...IDS,
      'event.name': 'codex.tool_result',
      tool_name: 'shell',
      call_id: 'call_1',
      arguments: '{"command":["bash","-lc","cargo test"]}',
      duration_ms: '120',
      success: 'false',
      output: 'exit 1',
    },
    step: { type: 'TEST_RUN', stepId: 'codex:tool:call_1', status: 'ERROR', latencyMs: 120 },
    details: { toolName: 'shell', toolCallId: 'call_1' },
    texts: {
      toolArguments: '{"command":["bash","-lc","cargo test"]}',
      toolResult: 'exit 1',
      error: 'exit 1',
    },
  },
  {
    title: 'a tool that was not approved was skipped',
    attributes: {
      'event.name': 'codex.tool_decision',
      tool_name: 'shell',
      call_id: 'call_1',
      decision: 'denied',
    },
    step: { type: 'TOOL_CALL', stepId: 'codex:tool:call_1', status: 'SKIPPED' },
    details: { decision: 'denied' },
  },
  {
    title: 'an approval is no step of its own',
    attributes: {
      'event.name': 'codex.tool_decision',
      tool_name: 'shell',
      call_id: 'c',
      decision: 'approved',
    },
    step: { type: undefined, stepId: 'codex:tool:c', status: 'OK' },
  },
  {
    title: 'an attempt that went through adds to the span that it was written in',
    attributes: { 'event.name': 'codex.api_request', duration_ms: '300', 'http.response.status_code': 200 },
    log: { inSpan: true },
    step: { type: undefined, latencyMs: 300, status: 'OK' },
  },
  {
    title: 'an attempt that failed is a call that failed',
    attributes: {
      ...IDS,
      'event.name': 'codex.api_request',
      'http.response.status_code': '429',
      'error.message': 'slow down',
    },
    step: { type: 'LLM_CALL', status: 'ERROR', model: 'gpt-5.5' },
    details: { errorType: '429', errorMessage: 'slow down' },
  },
  {
    title: 'a conversation starts',
    attributes: { ...IDS, 'event.name': 'codex.conversation_starts', provider_name: 'openai' },
    step: { type: 'OTHER', task: { id: 'conv', rank: 1 } },
    details: { provider: 'openai' },
  },
]);
