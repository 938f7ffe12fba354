import { isObject, type JsonObject } from '../base/json.ts';
import type { Attributes } from '../model/attributes.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import { THOUGHTFLOW } from '../model/thoughtflow.ts';
import type { Convention, Details, PartialStep, SafeSpan, Texts, Usage } from './convention.ts';
import { asText, costOf, countOf, durationOf, idOf, numberOf, text, textOf, wordsOf } from './read.ts';
import { ownTask } from './task.ts';

export const thoughtflow: Convention = {
  name: 'thoughtflow',
  signs: { keyPrefixes: ['thoughtflow.'] },
  interpret,
};

function interpret({ attributes: a }: SafeSpan): PartialStep {
  const found = a.get(THOUGHTFLOW.item);
  const item: JsonObject = isObject(found) ? found : {};
  const kind = text(a, THOUGHTFLOW.kind);
  const common = {
    application: 'ThoughtFlow',
    agent: textOf(item['agent']) ?? textOf(item['agent_name']),
    task: ownTask(text(a, THOUGHTFLOW.taskId)),
    latencyMs: durationOf(item['duration_ms']),
  };
  if (kind === 'step') return { ...common, ...stepOf(a, item) };
  return {
    ...common,
    joinsTask: kind === 'session' ? true : undefined,
    type: 'OTHER',
    container: true,
    status: statusOf(item),
    details: { ...placeOf(a), originalStatus: originalStatusOf(item) },
    texts: { error: asText(item['error']) },
  };
}

/** By which it is written as ThoughtFlow again. */
function placeOf(a: Attributes): Details {
  const sessionId = text(a, THOUGHTFLOW.sessionId);
  return {
    sessionId,
    flowKind: text(a, THOUGHTFLOW.kind),
    flowId: text(a, THOUGHTFLOW.stepId) ?? text(a, THOUGHTFLOW.conversationId) ?? sessionId,
    flowIndex: numberOf(a.get(THOUGHTFLOW.index)),
    flowLabel: text(a, THOUGHTFLOW.label),
    flowList: text(a, THOUGHTFLOW.list),
  };
}

const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['user_message', 'USER_QUERY'],
  ['assistant_call', 'LLM_CALL'],
  ['tool_call', 'TOOL_CALL'],
]);

function stepOf(a: Attributes, item: JsonObject): PartialStep {
  const label = text(a, THOUGHTFLOW.label) ?? '';
  const started = payloadOf(item['payload_started']);
  const completed = payloadOf(item['payload_completed']);
  const type = TYPES.get(label) ?? 'OTHER';
  const error = errorOf(label, started, completed);
  const details = { ...placeOf(a), originalStatus: originalStatusOf(item), errorMessage: error };
  const status = error === undefined && label !== 'tool_error' ? statusOf(item) : 'ERROR';
  const agent = textOf(started['agent']) ?? textOf(item['agent']);
  const step = { agent, type, status, details, texts: { ...textsOf(label, started, completed), error } };
  if (type === 'LLM_CALL') return { ...step, ...callOf(started, completed) };
  if (type === 'TOOL_CALL') return { ...step, details: { ...details, ...toolOf(started) } };
  if (label === 'prompt.adaptations') {
    const adaptations = wordsOf(completed['included_ids'] ?? started['included_ids']);
    return { ...step, details: { ...details, adaptations } };
  }
  return step;
}

/** A payload that is no object is what the step gave. */
function payloadOf(payload: unknown): JsonObject {
  if (isObject(payload)) return payload;
  return payload === undefined || payload === null ? {} : { text: payload };
}

function callOf(started: JsonObject, completed: JsonObject): PartialStep {
  const argumentsOf = isObject(started['arguments']) ? started['arguments'] : {};
  return {
    requestModel: textOf(started['model']) ?? textOf(argumentsOf['model']),
    responseModel: textOf(completed['model']),
    usage: usageOf(completed['usage']) ?? usageOf(completed),
    costUsd: costOf(completed['cost_usd']),
  };
}

function usageOf(said: unknown): Usage | undefined {
  if (!isObject(said)) return undefined;
  const tokensIn = countOf(said['input_tokens'] ?? said['prompt_tokens'] ?? said['tokens_in']);
  const tokensOut = countOf(said['output_tokens'] ?? said['completion_tokens'] ?? said['tokens_out']);
  return tokensIn === undefined && tokensOut === undefined ? undefined : { tokensIn, tokensOut };
}

function toolOf(started: JsonObject): Details {
  return {
    toolName: textOf(started['name']) ?? textOf(started['tool']) ?? textOf(started['tool_name']),
    toolCallId: idOf(started['call_id']) ?? idOf(started['tool_call_id']),
  };
}

function textsOf(label: string, started: JsonObject, completed: JsonObject): Texts {
  switch (label) {
    case 'user_message':
      return { prompt: said(started) ?? said(completed) };
    case 'assistant_call':
      return { prompt: promptOf(started), completion: said(completed) ?? outputOf(completed) };
    case 'tool_call':
      return {
        toolArguments: asText(started['args'] ?? started['arguments']),
        toolResult: outputOf(completed) ?? said(completed),
      };
    default:
      return {
        completion:
          said(completed) ?? outputOf(completed) ?? said(started) ?? outputOf(started) ?? contextOf(started),
      };
  }
}

/** What somebody wrote, wherever it stands. */
const SAID = ['text', 'content', 'message', 'content_preview', 'schemas_preview'] as const;

function said(payload: JsonObject): string | undefined {
  for (const key of SAID) {
    const found = payload[key];
    if (found !== undefined && found !== null && found !== '') return asText(found);
  }
  return undefined;
}

/** The eras had a name of their own each. */
function outputOf({ output, result, data }: JsonObject): string | undefined {
  return asText(output ?? result ?? data);
}

function contextOf({ context }: JsonObject): string | undefined {
  return asText(context);
}

/** What the user wanted, where the parts of a prompt tell it apart; else the whole prompt. */
function promptOf({ prompt_provenance: provenance, prompt, input }: JsonObject): string | undefined {
  if (!isObject(provenance)) return asText(prompt ?? input);
  const parts: readonly unknown[] = Array.isArray(provenance['parts']) ? provenance['parts'] : [];
  const wanted = parts.findLast(
    (part) => isObject(part) && (part['type'] === 'user_instruction' || part['type'] === 'user_message'),
  );
  const value = isObject(wanted) ? textOf(wanted['value']) : undefined;
  return value ?? textOf(provenance['final_prompt']) ?? asText(prompt ?? input);
}

function errorOf(label: string, started: JsonObject, completed: JsonObject): string | undefined {
  const found = completed['error'] ?? started['error'];
  const error = isObject(found) ? (textOf(found['message']) ?? asText(found)) : asText(found);
  if (error !== undefined && error !== 'false') return error;
  return label === 'tool_error' ? (said(completed) ?? said(started)) : undefined;
}

const STATUSES: ReadonlyMap<string, NodeStatus> = new Map([
  ['completed', 'OK'],
  ['in_progress', 'OK'],
  ['running', 'OK'],
  ['ok', 'OK'],
  ['error', 'ERROR'],
  ['failed', 'ERROR'],
  // Somebody stopped it: nothing in it was wrong.
  ['aborted', 'WARNING'],
  ['canceled', 'WARNING'],
  ['cancelled', 'WARNING'],
]);

function statusOf({ status }: JsonObject): NodeStatus | undefined {
  return typeof status === 'string' ? STATUSES.get(status.toLowerCase()) : undefined;
}

/** Only where the status of the node says something else. */
function originalStatusOf({ status }: JsonObject): string | undefined {
  if (typeof status !== 'string' || status === '') return undefined;
  const word = status.toLowerCase();
  return word === 'completed' || word === 'ok' || word === 'error' ? undefined : status;
}
