import type { Attributes } from '../model/attributes.ts';
import type { StepCause } from '../model/facts.ts';
import {
  agentOf,
  callId,
  callOf,
  queryId,
  TOOL_ARGUMENTS,
  toolOf,
  UTILITIES,
  whoAndWhere,
} from './claude-code-fields.ts';
import type { Details } from './convention.ts';
import { objectOf } from './json.ts';
import { eventOf, type LogConvention, type PartialLogStep, type SafeLog } from './log-convention.ts';
import { readSaid } from './messages.ts';
import { asText, durationOf, firstPresent, firstText, flag, text, textOf } from './read.ts';

/**
 * Claude Code's log records, of the scope `com.anthropic.claude_code.events`. They share their ids with its spans.
 * https://code.claude.com/docs/en/monitoring-usage
 */
export const claudeCodeLogs: LogConvention = {
  name: 'claude-code',
  signs: { scopePrefixes: ['com.anthropic.claude_code'], eventPrefixes: ['claude_code.'] },
  interpret,
};

const EVENTS: ReadonlyMap<string, (a: Attributes) => PartialLogStep | undefined> = new Map([
  ['user_prompt', userPrompt],
  ['api_request', apiRequest],
  ['api_error', apiError],
  ['assistant_response', assistantResponse],
  ['api_response_body', responseBody],
  ['tool_result', toolResult],
  ['tool_decision', toolDecision],
  ['compaction', compaction],
  ['api_refusal', apiRefusal],
  ['subagent_completed', subagentCompleted],
]);

function interpret(log: SafeLog): PartialLogStep | undefined {
  const said = EVENTS.get(eventOf(log, 'claude_code.'))?.(log.attributes);
  return said === undefined ? undefined : { ...whoAndWhere(log.attributes), ...said };
}

function userPrompt(a: Attributes): PartialLogStep {
  return { type: 'USER_QUERY', stepId: queryId(a), texts: { prompt: text(a, 'prompt') } };
}

function apiRequest(a: Attributes): PartialLogStep {
  return { type: 'LLM_CALL', ...callOf(a), latencyMs: durationOf(a.get('duration_ms')), causes: askedBy(a) };
}

function apiError(a: Attributes): PartialLogStep {
  return { ...apiRequest(a), status: 'ERROR', texts: { error: text(a, 'error') } };
}

/** Without the id of its request nothing says whose answer it is but the span that it was written in. */
function assistantResponse(a: Attributes): PartialLogStep {
  const { stepId, requestModel, details } = callOf(a);
  const isUtility = UTILITIES.has(text(a, 'query_source') ?? '');
  const texts = { completion: isUtility ? undefined : text(a, 'response') };
  return { type: stepId === undefined ? undefined : 'LLM_CALL', stepId, requestModel, details, texts };
}

/** The API's own answer, thinking left out by the sender: it names the tool calls that were asked for. */
function responseBody(a: Attributes): PartialLogStep | undefined {
  const body = objectOf(a.get('body'));
  const { stepId, requestModel, details } = callOf(a);
  if (body === undefined || stepId === undefined) return undefined;
  const said = readSaid([{ role: 'assistant', content: body['content'] }]);
  const isUtility = UTILITIES.has(text(a, 'query_source') ?? '');
  const stop = textOf(body['stop_reason']);
  const more: Details = {
    requestedToolCallIds: said.toolCallIds,
    finishReasons: stop === undefined ? undefined : [stop],
  };
  const texts = isUtility ? {} : { completion: said.completion, reasoning: said.reasoning };
  return { type: 'LLM_CALL', stepId, requestModel, details: { ...details, ...more }, texts };
}

function toolResult(a: Attributes): PartialLogStep {
  return {
    type: 'TOOL_CALL',
    ...toolOf(a),
    latencyMs: durationOf(a.get('duration_ms')),
    texts: { toolArguments: asText(firstPresent(a, TOOL_ARGUMENTS)), error: text(a, 'error') },
    causes: askedByCall(a),
  };
}

/** A call that was refused never runs: this is all that is said about it. One that was allowed tells of itself. */
function toolDecision(a: Attributes): PartialLogStep {
  const isRefused = text(a, 'decision') === 'reject';
  return {
    ...toolOf(a),
    type: isRefused ? 'TOOL_CALL' : undefined,
    status: isRefused ? 'SKIPPED' : undefined,
    texts: { toolArguments: asText(firstPresent(a, TOOL_ARGUMENTS)) },
    causes: askedByCall(a),
  };
}

function compaction(a: Attributes): PartialLogStep {
  return {
    type: 'OTHER',
    latencyMs: durationOf(a.get('duration_ms')),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: { reason: text(a, 'trigger'), errorMessage: text(a, 'error') },
    causes: askedBy(a),
  };
}

/** The API has gone on with another model by itself, which it does not name. */
function apiRefusal(a: Attributes): PartialLogStep | undefined {
  if (flag(a.get('server_fallback_hop')) !== true) return undefined;
  const details = { oldModel: text(a, 'model'), newModel: text(a, 'fallback_model'), reason: 'refusal' };
  return { type: 'MODEL_SWITCH', details, causes: askedBy(a) };
}

const MODEL_BEFORE = ['requested_model', 'original_model', 'old_model'];
const MODEL_AFTER = ['final_model', 'resolved_model', 'new_model', 'model'];

function subagentCompleted(a: Attributes): PartialLogStep | undefined {
  if (flag(a.get('model_swapped')) !== true) return undefined;
  const agent = firstText(a, ['agent.name', 'agent_type', 'agent_id']);
  const details = { oldModel: firstText(a, MODEL_BEFORE), newModel: firstText(a, MODEL_AFTER) };
  return { type: 'MODEL_SWITCH', agent: agent ?? agentOf(a), details, causes: askedBy(a) };
}

function askedBy(a: Attributes): readonly StepCause[] | undefined {
  const stepId = queryId(a);
  return stepId === undefined ? undefined : [{ stepId, relation: 'NEXT_STEP', evidence: 'requestId' }];
}

/** A tool belongs to the model's answer that asked for it, else at least to the user's turn. */
function askedByCall(a: Attributes): readonly StepCause[] | undefined {
  const stepId = callId(a);
  return stepId === undefined ? askedBy(a) : [{ stepId, relation: 'TRIGGERED', evidence: 'toolCallId' }];
}
