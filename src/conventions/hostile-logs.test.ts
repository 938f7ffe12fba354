import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BIG, isSound, MAX_MS, MODEL_KEYS, value, valuesOf, type Target } from './hostile-for-test.ts';
import { interpretLog } from './interpret-log.ts';
import { logOf } from './log-for-test.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const CLAUDE = [
  'request_id',
  'model',
  'input_tokens',
  'cost_usd',
  'duration_ms',
  'error',
  'prompt',
  'response',
  'body',
  'tool_use_id',
  'tool_name',
  'tool_parameters',
  'success',
  'decision',
  'session.id',
  'prompt.id',
  'query_source',
  'server_fallback_hop',
  'model_swapped',
];
const CODEX = [
  'conversation.id',
  'model',
  'event.kind',
  'input_token_count',
  'error.message',
  'duration_ms',
  'call_id',
  'arguments',
  'output',
  'success',
  'decision',
  'prompt',
  'http.response.status_code',
];
const GEMINI = [
  'session.id',
  'prompt_id',
  'event.timestamp',
  'model',
  'duration_ms',
  'input_token_count',
  'thoughts_token_count',
  'total_token_count',
  'response_text',
  'role',
  'function_args',
  'success',
  'reasoning',
  'agent_id',
  'finish_reasons',
];
const EVALUATION = [
  'gen_ai.evaluation.name',
  'gen_ai.evaluation.score.value',
  'gen_ai.evaluation.explanation',
  'gen_ai.response.id',
  'error.type',
  'gen_ai.event.content',
  'content',
];

const LOGS: readonly (Target & { readonly event: string })[] = [
  ...[
    'user_prompt',
    'api_request',
    'api_error',
    'assistant_response',
    'api_response_body',
    'tool_result',
    'tool_decision',
    'compaction',
    'api_refusal',
    'subagent_completed',
  ].map((event) => ({ name: event, event: `claude_code.${event}`, fixed: {}, keys: CLAUDE })),
  ...['conversation_starts', 'user_prompt', 'api_request', 'sse_event', 'tool_decision', 'tool_result'].map(
    (event) => ({ name: event, event: `codex.${event}`, fixed: {}, keys: CODEX }),
  ),
  ...['user_prompt', 'api_response', 'api_error', 'tool_call', 'model_routing', 'agent.finish'].map(
    (event) => ({ name: event, event: `gemini_cli.${event}`, fixed: {}, keys: GEMINI }),
  ),
  ...[
    'client.inference.operation.details',
    'evaluation.result',
    'user.message',
    'tool.message',
    'choice',
  ].map((event) => ({
    name: event,
    event: `gen_ai.${event}`,
    fixed: {},
    keys: [...EVALUATION, ...MODEL_KEYS],
  })),
];

for (const target of LOGS) {
  test(`[LG10] ${target.event}: any values give a sound step or none, and none throws`, () => {
    fc.assert(
      fc.property(valuesOf(target), value, (attributes, body) => {
        const told = interpretLog(logOf(attributes, { event: target.event, body, inSpan: true }));
        if (told === undefined) return;
        isSound(told.facts.step);
        assert.match(told.facts.logId, /^[0-9a-f]{32}$/);
        assert.ok(told.facts.start <= (told.facts.end ?? Number.NaN));
      }),
    );
  });
}

test('[LG10] values of a megabyte cost no more than their length', () => {
  const huge = `{"content":[${'{"type":"text","text":"x"},'.repeat(BIG / 26)}`;
  for (const target of LOGS) {
    const attributes = { ...Object.fromEntries(target.keys.map((key) => [key, huge])), ...target.fixed };
    const log = logOf(attributes, { event: target.event, body: huge });
    assertCpuTime(MAX_MS, () => interpretLog(log), target.event);
  }
});
