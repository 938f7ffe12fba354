import type { Attributes } from '../model/attributes.ts';
import type { StepCause } from '../model/facts.ts';
import type { Usage } from './convention.ts';
import { detailsRecord } from './genai-events.ts';
import { structure } from './json.ts';
import { eventOf, type LogConvention, type PartialLogStep, type SafeLog } from './log-convention.ts';
import { readSaid, type Said } from './messages.ts';
import {
  asText,
  count,
  durationOf,
  firstDuration,
  firstId,
  firstText,
  flag,
  idOf,
  text,
  wordsOf,
} from './read.ts';
import { conversation } from './task.ts';

/**
 * Gemini CLI's log records, `gemini_cli.*`.
 * https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/telemetry.md
 */
export const geminiCliLogs: LogConvention = {
  name: 'gemini-cli',
  signs: { scopePrefixes: ['gemini-cli'], eventPrefixes: ['gemini_cli.'] },
  interpret,
};

/** The spans name it so; the records do not. */
const AGENT = 'gemini-cli';

const EVENTS = new Map<string, (a: Attributes) => PartialLogStep | undefined>([
  ['user_prompt', userPrompt],
  ['api_response', apiResponse],
  ['api_error', apiError],
  ['gen_ai.client.inference.operation.details', operationDetails],
  ['tool_call', toolCall],
  ['model_routing', modelRouting],
  ['flash_fallback', () => ({ type: 'MODEL_SWITCH', details: { reason: 'fallback to flash' } })],
  ['slash_command.model', modelCommand],
  ['llm_loop_check', loopCheck],
  ['agent.recovery_attempt', recoveryAttempt],
  ['agent.start', agentRun],
  ['agent.finish', agentRun],
]);

function interpret(log: SafeLog): PartialLogStep | undefined {
  const a = log.attributes;
  const said = EVENTS.get(eventOf(log, 'gemini_cli.'))?.(a);
  if (said === undefined) return undefined;
  const { agent = AGENT, ...rest } = said;
  return { agent, task: conversation(firstId(a, ['session.id'])), causes: askedBy(a), ...rest };
}

function userPrompt(a: Attributes): PartialLogStep {
  return { type: 'USER_QUERY', stepId: queryId(a), texts: { prompt: text(a, 'prompt') }, causes: undefined };
}

/** What the program asks a model for itself: its cost counts, its texts are no part of the agent's reasoning. */
function isUtility(a: Attributes): boolean {
  return text(a, 'role')?.startsWith('utility') === true;
}

function apiResponse(a: Attributes): PartialLogStep {
  const said = isUtility(a) ? {} : answerOf(a.get('response_text'));
  return {
    ...callOf(a),
    responseModel: firstText(a, ['model', 'model_name']),
    usage: usageOf(a),
    asked: said.calls,
    details: {
      querySource: text(a, 'role'),
      finishReasons: wordsOf(a.get('finish_reasons')) ?? said.finishReasons,
      requestedToolCallIds: said.toolCallIds,
    },
    texts: { completion: said.completion, reasoning: said.reasoning },
  };
}

function apiError(a: Attributes): PartialLogStep {
  const message = firstText(a, ['error.message', 'error']);
  return {
    ...callOf(a),
    requestModel: firstText(a, ['model', 'model_name']),
    status: 'ERROR',
    details: {
      querySource: text(a, 'role'),
      errorType: firstId(a, ['error.type', 'error_type', 'status_code']),
      errorMessage: message,
    },
    texts: { error: message },
  };
}

/**
 * The same call in the words of the standard. What both records have in common is the session and the time at which
 * the event was made. A request is announced by such a record too, with no response in it: that is no step.
 * Its usage lacks the thoughts, so the other record's counts.
 */
function operationDetails(a: Attributes): PartialLogStep | undefined {
  if (!a.has('gen_ai.response.model') && !a.has('gen_ai.response.id')) return undefined;
  return { ...detailsRecord(a), usage: undefined, stepId: callId(a) };
}

function callOf(a: Attributes): PartialLogStep {
  return {
    type: 'LLM_CALL',
    stepId: callId(a),
    latencyMs: firstDuration(a, ['duration_ms', 'duration']),
  };
}

/** Thoughts are no part of the output here; where the total says that they are, they are not added. */
function usageOf(a: Attributes): Usage | undefined {
  const tokensIn = count(a, 'input_token_count');
  const output = count(a, 'output_token_count');
  const thoughts = count(a, 'thoughts_token_count');
  // The program writes 0 for what the API did not tell.
  if ((tokensIn ?? 0) + (output ?? 0) + (thoughts ?? 0) === 0) return undefined;
  const isInclusive = count(a, 'total_token_count') === (tokensIn ?? 0) + (output ?? 0);
  return {
    tokensIn,
    tokensOut: output === undefined || isInclusive ? output : output + (thoughts ?? 0),
    cacheReadTokens: count(a, 'cached_content_token_count'),
    reasoningTokens: thoughts,
  };
}

/** Text, a response as JSON, or a list of the chunks of one: these continue each other without a break. */
function answerOf(value: unknown): Said {
  const parsed = structure(value);
  if (!Array.isArray(parsed)) return value === undefined ? {} : readSaid(value);
  const chunks = parsed.map((chunk) => readSaid(chunk));
  const all = (field: 'completion' | 'reasoning'): string | undefined =>
    chunks.map((chunk) => chunk[field] ?? '').join('') || undefined;
  return {
    completion: all('completion'),
    reasoning: all('reasoning'),
    toolCallIds: chunks.flatMap((chunk) => chunk.toolCallIds ?? []),
    calls: chunks.flatMap((chunk) => chunk.calls ?? []),
    finishReasons: chunks.findLast((chunk) => chunk.finishReasons !== undefined)?.finishReasons,
  };
}

function toolCall(a: Attributes): PartialLogStep {
  const failed = flag(a.get('success')) === false;
  const isRefused = failed && text(a, 'decision') === 'reject';
  const message = firstText(a, ['error.message', 'error']);
  const call = firstId(a, ['call_id', 'tool_call_id', 'gen_ai.tool.call_id', 'gen_ai.tool.call.id']);
  return {
    type: 'TOOL_CALL',
    stepId: call === undefined ? undefined : `gemini:tool:${call}`,
    latencyMs: durationOf(a.get('duration_ms')),
    status: isRefused ? 'SKIPPED' : failed ? 'ERROR' : undefined,
    details: {
      toolName: text(a, 'function_name'),
      toolCallId: call,
      toolType: text(a, 'tool_type'),
      decision: text(a, 'decision'),
      errorType: firstText(a, ['error.type', 'error_type']),
      errorMessage: message,
    },
    texts: { toolArguments: asText(a.get('function_args')), error: message },
  };
}

/** Which model a request goes to, and why: the router's rationale is text of a model. */
function modelRouting(a: Attributes): PartialLogStep {
  const message = text(a, 'error_message');
  return {
    type: 'MODEL_SWITCH',
    responseModel: text(a, 'decision_model'),
    latencyMs: firstDuration(a, ['routing_latency_ms']),
    status: flag(a.get('failed')) === true ? 'ERROR' : undefined,
    details: {
      newModel: text(a, 'decision_model'),
      reason: text(a, 'decision_source'),
      errorMessage: message,
    },
    texts: { reasoning: text(a, 'reasoning'), error: message },
  };
}

function modelCommand(a: Attributes): PartialLogStep {
  const newModel = firstText(a, ['model_name', 'model']);
  return { type: 'MODEL_SWITCH', responseModel: newModel, details: { newModel, reason: 'user' } };
}

function loopCheck(a: Attributes): PartialLogStep {
  return { type: 'REFLEXION_ACTION', requestModel: text(a, 'main_model'), details: { reason: 'loop check' } };
}

function recoveryAttempt(a: Attributes): PartialLogStep {
  return {
    type: 'REFLEXION_ACTION',
    agent: text(a, 'agent_name'),
    latencyMs: durationOf(a.get('duration_ms')),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: { reason: text(a, 'reason') },
  };
}

function agentRun(a: Attributes): PartialLogStep {
  const run = firstId(a, ['agent_id']);
  return {
    type: 'OTHER',
    container: true,
    stepId: run === undefined ? undefined : `gemini:agent:${sessionOf(a)}:${run}`,
    agent: text(a, 'agent_name'),
    latencyMs: durationOf(a.get('duration_ms')),
    details: { reason: text(a, 'terminate_reason') },
  };
}

function sessionOf(a: Attributes): string {
  return idOf(a.get('session.id')) ?? '';
}

function callId(a: Attributes): string | undefined {
  const time = text(a, 'event.timestamp');
  return time === undefined ? undefined : `gemini:call:${sessionOf(a)}:${time}`;
}

function queryId(a: Attributes): string | undefined {
  const prompt = firstId(a, ['prompt_id']);
  return prompt === undefined ? undefined : `gemini:query:${sessionOf(a)}:${prompt}`;
}

function askedBy(a: Attributes): readonly StepCause[] | undefined {
  const stepId = queryId(a);
  return stepId === undefined ? undefined : [{ stepId, relation: 'NEXT_STEP', evidence: 'requestId' }];
}
