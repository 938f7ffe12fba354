import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLogs, testSpans } from './cases-for-test.ts';
import { interpretLog } from './interpret-log.ts';
import { logOf } from './log-for-test.ts';

testSpans('CV42', [
  {
    title: 'messages as one object without role, a thought marked in it',
    attributes: {
      'gen_ai.operation.name': 'llm_call',
      'gen_ai.request.model': 'gemini-3.1-flash-lite',
      'gen_ai.output.messages':
        '{"parts":[{"text":"mull","thought":true},{"text":"42","thoughtSignature":"Eq=="}]}',
      'gen_ai.usage.input_tokens': 767,
      'gen_ai.usage.output_tokens': 30,
    },
    span: { name: 'llm_call', scope: 'gemini-cli' },
    step: {
      type: 'LLM_CALL',
      convention: 'gemini-cli',
      model: 'gemini-3.1-flash-lite',
      tokensIn: 767,
      tokensOut: 30,
    },
    texts: { completion: '42', reasoning: 'mull' },
  },
  {
    title: 'a tool',
    attributes: { function_name: 'read_file', function_args: '{"p":1}', success: 'false', error: 'gone' },
    span: { name: 'tool_call', scope: 'gemini-cli' },
    step: { type: 'TOOL_CALL', status: 'ERROR' },
    details: { toolName: 'read_file', errorMessage: 'gone' },
  },
  {
    title: 'scheduling tools is plumbing',
    attributes: { 'gen_ai.operation.name': 'schedule_tool_calls' },
    span: { name: 'schedule_tool_calls', scope: 'gemini-cli' },
    step: { type: 'OTHER', wrapper: true },
  },
]);

const IDS = { 'session.id': 's', prompt_id: 's########0' };
const TIME = { 'event.timestamp': '2026-06-06T10:00:00.123Z' };
const QUERY = { stepId: 'gemini:query:s:s########0', relation: 'NEXT_STEP', evidence: 'requestId' } as const;

const RESPONSE = {
  ...IDS,
  ...TIME,
  'event.name': 'gemini_cli.api_response',
  model: 'gemini-2.5-pro',
  duration_ms: 1500,
  input_token_count: 100,
  output_token_count: 10,
  cached_content_token_count: 40,
  thoughts_token_count: 30,
  total_token_count: 140,
  finish_reasons: ['stop'],
};

testLogs('LG8', [
  {
    title: 'a response: thoughts are counted beside the output, the cache within the input',
    attributes: {
      ...RESPONSE,
      response_text: '{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Hi"}]}}]}',
    },
    step: {
      type: 'LLM_CALL',
      convention: 'gemini-cli',
      agent: 'gemini-cli',
      stepId: 'gemini:call:s:2026-06-06T10:00:00.123Z',
      model: 'gemini-2.5-pro',
      tokensIn: 100,
      tokensOut: 40,
      latencyMs: 1500,
      task: { id: 's', rank: 1 },
    },
    details: { reasoningTokens: 30, cacheReadTokens: 40, finishReasons: ['stop'] },
    texts: { completion: 'Hi', reasoning: 'hm' },
    causes: [QUERY],
  },
  {
    title: 'a response whose total says that the output has the thoughts in it',
    attributes: { ...RESPONSE, output_token_count: 40, total_token_count: 140 },
    step: { tokensOut: 40 },
  },
  {
    title: 'a response of which the API told no usage has none',
    attributes: {
      'event.name': 'gemini_cli.api_response',
      input_token_count: 0,
      output_token_count: 0,
      total_token_count: 0,
    },
    step: { type: 'LLM_CALL', tokensIn: undefined, tokensOut: undefined },
  },
  {
    title: 'the chunks of a streamed response are one text',
    attributes: {
      ...RESPONSE,
      response_text:
        '[{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]},{"candidates":[{"content":{"parts":[{"text":"lo"}]}}]}]',
    },
    step: { type: 'LLM_CALL' },
    texts: { completion: 'Hello' },
  },
  {
    title: 'what the program asks for itself costs, and its texts are no reasoning of the agent',
    attributes: { ...RESPONSE, role: 'utility_router', response_text: 'x' },
    step: { type: 'LLM_CALL', tokensIn: 100 },
    details: { querySource: 'utility_router' },
    texts: undefined,
  },
  {
    title: 'a call that failed',
    attributes: {
      ...IDS,
      ...TIME,
      'event.name': 'gemini_cli.api_error',
      model_name: 'm',
      error: 'quota',
      status_code: 429,
      duration: 20,
    },
    step: { type: 'LLM_CALL', status: 'ERROR', model: 'm', latencyMs: 20 },
    details: { errorMessage: 'quota', errorType: '429' },
    texts: { error: 'quota' },
  },
  {
    title: 'a tool that the user refused',
    attributes: {
      ...IDS,
      'event.name': 'gemini_cli.tool_call',
      function_name: 'shell',
      function_args: '{}',
      success: false,
      decision: 'reject',
      duration_ms: 3,
    },
    step: { type: 'TOOL_CALL', status: 'SKIPPED', latencyMs: 3 },
    details: { toolName: 'shell', decision: 'reject' },
    causes: [QUERY],
  },
  {
    title: 'what the user asked',
    attributes: { ...IDS, 'event.name': 'gemini_cli.user_prompt', prompt: 'fix it' },
    step: { type: 'USER_QUERY', stepId: QUERY.stepId, promptSummary: 'fix it' },
  },
  {
    title: 'the router chose a model, and said why',
    attributes: {
      'event.name': 'gemini_cli.model_routing',
      decision_model: 'flash',
      decision_source: 'classifier',
      reasoning: 'simple',
      routing_latency_ms: 7,
      failed: false,
    },
    step: { type: 'MODEL_SWITCH', model: 'flash', latencyMs: 7, status: 'OK' },
    details: { newModel: 'flash', reason: 'classifier' },
    texts: { reasoning: 'simple' },
  },
  {
    title: 'fallback to flash',
    attributes: { 'event.name': 'gemini_cli.flash_fallback' },
    step: { type: 'MODEL_SWITCH' },
  },
  {
    title: 'the user chose a model',
    attributes: { 'event.name': 'gemini_cli.slash_command.model', model_name: 'flash' },
    step: { type: 'MODEL_SWITCH' },
    details: { newModel: 'flash' },
  },
  {
    title: 'a loop was checked for',
    attributes: { 'event.name': 'gemini_cli.llm_loop_check' },
    step: { type: 'REFLEXION_ACTION' },
  },
  {
    title: 'an agent tried to recover',
    attributes: {
      'event.name': 'gemini_cli.agent.recovery_attempt',
      agent_name: 'cb',
      reason: 'timeout',
      success: false,
    },
    step: { type: 'REFLEXION_ACTION', agent: 'cb', status: 'ERROR' },
  },
  {
    title: 'start and finish of an agent are one step',
    attributes: {
      'session.id': 's',
      'event.name': 'gemini_cli.agent.finish',
      agent_id: 'a1',
      agent_name: 'cb',
      duration_ms: 9,
    },
    step: { type: 'OTHER', container: true, stepId: 'gemini:agent:s:a1', agent: 'cb' },
  },
]);

test('[LG8] the same call in the words of the standard is the same step, and counts nothing twice', () => {
  const twin = logOf(
    {
      'session.id': 's',
      ...TIME,
      'event.name': 'gen_ai.client.inference.operation.details',
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.request.model': 'gemini-2.5-pro',
      'gen_ai.response.model': 'gemini-2.5-pro',
      'gen_ai.response.id': 'r1',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Hi"}]}]',
    },
    { scope: 'gemini-cli', inSpan: true },
  );
  const told = interpretLog(twin);
  assert.equal(told?.facts.step.stepId, interpretLog(logOf(RESPONSE))?.facts.step.stepId);
  assert.equal(told?.facts.step.tokensIn, undefined);
  assert.equal(told?.texts.texts?.completion, 'Hi');
});

test('[LG8] a request that is only announced is no step', () => {
  const attributes = {
    'event.name': 'gen_ai.client.inference.operation.details',
    'gen_ai.request.model': 'm',
  };
  const told = interpretLog(logOf(attributes, { scope: 'gemini-cli' }));
  assert.equal(told, undefined);
});
