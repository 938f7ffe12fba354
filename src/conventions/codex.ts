import type { Attributes } from '../model/attributes.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { eventOf, type LogConvention, type PartialLogStep, type SafeLog } from './log-convention.ts';
import { asText, count, durationOf, firstCount, firstId, firstText, flag, numberOf, text } from './read.ts';
import { conversation } from './task.ts';
import { readUsage, type UsageKeys } from './usage-keys.ts';

/**
 * OpenAI's Codex CLI: spans, and log records `codex.*` whose numbers may be strings. It counts reasoning tokens and
 * never sends their text. https://developers.openai.com/codex/
 */
export const codex: Convention = {
  name: 'codex',
  signs: { scopePrefixes: ['codex_cli_rs', 'codex_exec'], keyPrefixes: ['codex.'] },
  interpret,
};

export const codexLogs: LogConvention = {
  name: 'codex',
  signs: { scopePrefixes: ['codex_cli_rs', 'codex_exec', 'codex_otel'], eventPrefixes: ['codex.'] },
  interpret: interpretLog,
};

/** No record names it. */
const AGENT = 'codex';

const TURN = 'codex.turn.token_usage.';

const TURN_USAGE: UsageKeys = {
  tokensIn: [`${TURN}input_tokens`],
  tokensOut: [`${TURN}output_tokens`],
  cacheReadTokens: [`${TURN}cached_input_tokens`],
  cacheWriteTokens: [`${TURN}cache_write_input_tokens`],
  reasoningTokens: [`${TURN}reasoning_output_tokens`],
};

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  return {
    ...kindOf(span),
    agent: AGENT,
    requestModel: firstText(a, ['model', 'slug']),
    task: conversation(firstId(a, ['conversation.id', 'thread.id'])),
    usage: readUsage(a, TURN_USAGE) ?? responseUsage(a),
    details: { errorMessage: text(a, 'error.message') },
  };
}

/**
 * A turn of the agent is `session_task.turn`. Each event of a response has a span `handle_responses`, renamed after
 * the event; the one that completes the response has its usage and stands for the call.
 */
function kindOf(span: SafeSpan): Pick<PartialStep, 'type' | 'container' | 'wrapper'> {
  const a = span.attributes;
  if (span.name === 'session_task.turn') return { type: 'OTHER', container: true };
  if (responseUsage(a) !== undefined) return { type: 'LLM_CALL' };
  if (a.has('from')) return { type: 'OTHER', wrapper: true };
  return span.name === 'handle_responses' ? { type: 'LLM_CALL' } : {};
}

/** Of one response: the standard's names beside its own. */
function responseUsage(a: Attributes): Usage | undefined {
  if (!a.has('codex.usage.total_tokens') && !a.has('codex.usage.reasoning_output_tokens')) return undefined;
  return {
    tokensIn: count(a, 'gen_ai.usage.input_tokens'),
    tokensOut: count(a, 'gen_ai.usage.output_tokens'),
    cacheReadTokens: count(a, 'gen_ai.usage.cache_read.input_tokens'),
    reasoningTokens: count(a, 'codex.usage.reasoning_output_tokens'),
  };
}

const EVENTS: ReadonlyMap<string, (a: Attributes) => PartialLogStep | undefined> = new Map([
  ['conversation_starts', conversationStarts],
  ['user_prompt', userPrompt],
  ['api_request', apiRequest],
  ['sse_event', sseEvent],
  ['tool_decision', toolDecision],
  ['tool_result', toolResult],
]);

function interpretLog(log: SafeLog): PartialLogStep | undefined {
  const a = log.attributes;
  const said = EVENTS.get(eventOf(log, 'codex.'))?.(a);
  if (said === undefined) return undefined;
  return { agent: AGENT, task: conversation(firstId(a, ['conversation.id', 'thread.id'])), ...said };
}

function conversationStarts(a: Attributes): PartialLogStep {
  return {
    type: 'OTHER',
    requestModel: firstText(a, ['model', 'slug']),
    details: { provider: text(a, 'provider_name') },
  };
}

function userPrompt(a: Attributes): PartialLogStep {
  return { type: 'USER_QUERY', texts: { prompt: text(a, 'prompt') } };
}

/** An attempt that went through is told by the response; one that failed, by this record alone. */
function apiRequest(a: Attributes): PartialLogStep {
  const latencyMs = durationOf(a.get('duration_ms'));
  const status = numberOf(a.get('http.response.status_code'));
  const message = firstText(a, ['error.message', 'auth.error']);
  if (message === undefined && (status === undefined || status < 400)) return { latencyMs };
  return {
    type: 'LLM_CALL',
    requestModel: firstText(a, ['model', 'slug']),
    latencyMs,
    status: 'ERROR',
    details: { errorType: status === undefined ? undefined : String(status), errorMessage: message },
    texts: { error: message },
  };
}

/**
 * A call is told twice when its stream ends: once with the duration of the last chunk, once with the usage. The
 * latter counts. All other chunks are no steps, but a stream that broke is a call that failed.
 */
function sseEvent(a: Attributes): PartialLogStep | undefined {
  const kind = text(a, 'event.kind');
  const tokensIn = firstCount(a, ['input_token_count']);
  const tokensOut = firstCount(a, ['output_token_count']);
  const message = text(a, 'error.message');
  const failed = message !== undefined && (kind === 'response.completed' || kind === 'response.failed');
  const counted = kind === 'response.completed' && (tokensIn !== undefined || tokensOut !== undefined);
  if (!failed && !counted) return undefined;
  return {
    type: 'LLM_CALL',
    requestModel: firstText(a, ['model', 'slug']),
    usage: counted
      ? {
          tokensIn,
          tokensOut,
          cacheReadTokens: count(a, 'cached_token_count'),
          reasoningTokens: count(a, 'reasoning_token_count'),
        }
      : undefined,
    status: failed ? 'ERROR' : undefined,
    details: { errorMessage: message },
    texts: { error: message },
  };
}

/** A call that was refused never runs: this is all that is said about it. One that was allowed tells of itself. */
function toolDecision(a: Attributes): PartialLogStep {
  const isRefused = REFUSED.test(text(a, 'decision') ?? '');
  return {
    ...toolOf(a),
    type: isRefused ? 'TOOL_CALL' : undefined,
    status: isRefused ? 'SKIPPED' : undefined,
  };
}

const REFUSED = /^(?:denied|abort|reject|timed_out)/;

function toolResult(a: Attributes): PartialLogStep {
  const output = asText(a.get('output'));
  const failed = flag(a.get('success')) === false;
  return {
    ...toolOf(a),
    latencyMs: durationOf(a.get('duration_ms')),
    status: failed ? 'ERROR' : undefined,
    texts: {
      toolArguments: asText(a.get('arguments')),
      toolResult: output,
      error: failed ? output : undefined,
    },
  };
}

function toolOf(a: Attributes): PartialLogStep {
  const call = firstId(a, ['call_id']);
  return {
    type: 'TOOL_CALL',
    stepId: call === undefined ? undefined : `codex:tool:${call}`,
    details: { toolName: text(a, 'tool_name'), toolCallId: call, decision: text(a, 'decision') },
  };
}
