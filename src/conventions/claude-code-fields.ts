import type { Attributes } from '../model/attributes.ts';
import type { PartialStep, Usage } from './convention.ts';
import { objectOf } from './json.ts';
import { costOf, count, durationOf, firstId, firstText, flag, idOf, text, textOf, wordsOf } from './read.ts';
import { conversation } from './task.ts';

/** What the spans of Claude Code and its log records say alike. */

/** Where the arguments of a tool stand, the whole ones first. */
export const TOOL_ARGUMENTS = ['tool_input', 'full_command', 'tool_parameters', 'file_path'];

export function whoAndWhere(a: Attributes): Pick<PartialStep, 'agent' | 'task'> {
  return { agent: agentOf(a), task: conversation(firstId(a, ['session.id'])) };
}

/** Calls that the program makes for itself: their cost counts, their texts are no part of the agent's reasoning. */
export const UTILITIES = new Set([
  'prompt_suggestion',
  'generate_session_title',
  'session_title',
  'terminal_title',
  'quota',
  'compact',
]);
const MAIN = new Set(['repl_main_thread', 'sdk']);

/** The main thread has no name of its own. */
const AGENT = 'claude-code';

export function agentOf(a: Attributes): string {
  const named = firstText(a, ['agent.name', 'agent_id']);
  if (named !== undefined) return named;
  const source = text(a, 'query_source');
  if (source === undefined || MAIN.has(source) || UTILITIES.has(source)) return AGENT;
  return source.slice(source.lastIndexOf(':') + 1) || AGENT;
}

/** What the span of a request and its log records say alike. */
export function callOf(
  a: Attributes,
): Pick<PartialStep, 'stepId' | 'requestModel' | 'usage' | 'costUsd' | 'status' | 'details'> {
  const micros = count(a, 'cost_usd_micros');
  const stop = text(a, 'stop_reason');
  return {
    stepId: callId(a),
    requestModel: text(a, 'model'),
    usage: usageOf(a),
    costUsd: costOf(a.get('cost_usd')) ?? (micros === undefined ? undefined : micros / 1e6),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: {
      provider: text(a, 'gen_ai.system'),
      responseId: firstId(a, ['request_id', 'client_request_id']),
      finishReasons: stop === undefined ? wordsOf(a.get('gen_ai.response.finish_reasons')) : [stop],
      querySource: text(a, 'query_source'),
      errorType: firstId(a, ['error_type', 'error.type', 'status_code']),
      errorMessage: text(a, 'error'),
      timeToFirstTokenMs: durationOf(a.get('ttft_ms')),
    },
  };
}

/** `input_tokens` here is what was not cached; the total is asked for. */
function usageOf(a: Attributes): Usage | undefined {
  const uncached = count(a, 'input_tokens');
  const tokensOut = count(a, 'output_tokens');
  if (uncached === undefined && tokensOut === undefined) return undefined;
  const cacheReadTokens = count(a, 'cache_read_tokens');
  const cacheWriteTokens = count(a, 'cache_creation_tokens');
  const tokensIn =
    uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return { tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens };
}

export function toolOf(a: Attributes): Pick<PartialStep, 'stepId' | 'status' | 'details'> {
  return {
    stepId: toolId(a),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: {
      toolName: toolName(a),
      toolCallId: firstId(a, ['tool_use_id']),
      decision: text(a, 'decision'),
      errorType: firstText(a, ['error_type', 'error.type']),
      errorMessage: text(a, 'error'),
    },
  };
}

/** All tools of MCP servers are called `mcp_tool`, unless details are switched on. */
function toolName(a: Attributes): string | undefined {
  const name = text(a, 'tool_name');
  if (name !== 'mcp_tool') return name;
  return textOf(objectOf(a.get('tool_parameters'))?.['mcp_tool_name']) ?? name;
}

export function callId(a: Attributes): string | undefined {
  const id = firstId(a, ['request_id', 'client_request_id']);
  return id === undefined ? undefined : `claude:call:${id}`;
}

function toolId(a: Attributes): string | undefined {
  const id = firstId(a, ['tool_use_id']);
  return id === undefined ? undefined : `claude:tool:${id}`;
}

/** One turn of the user; all its records carry the id of the prompt. */
export function queryId(a: Attributes): string | undefined {
  const prompt = firstId(a, ['prompt.id']);
  return prompt === undefined ? undefined : `claude:query:${idOf(a.get('session.id')) ?? ''}:${prompt}`;
}
