import { isObject, type JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { StepCause } from '../model/facts.ts';
import { responseStepId } from '../model/ids.ts';
import { readGenAi } from './gen-ai.ts';
import { structure } from './json.ts';
import { eventOf, type LogConvention, type PartialLogStep, type SafeLog } from './log-convention.ts';
import { readHeard, readSaid } from './messages.ts';
import { firstText, numberOf, text } from './read.ts';
import { conversation } from './task.ts';

/**
 * OpenTelemetry's GenAI events: what a call said and read as log records, written in the context of its span.
 * Today one record of a whole call; before, one of each message.
 * https://github.com/open-telemetry/semantic-conventions-genai
 */
export const genAiEvents: LogConvention = {
  name: 'gen_ai',
  signs: { eventPrefixes: ['gen_ai.'] },
  interpret,
};

function interpret(log: SafeLog): PartialLogStep | undefined {
  switch (eventOf(log, 'gen_ai.')) {
    case 'client.inference.operation.details':
      return detailsRecord(fieldsOf(log));
    case 'evaluation.result':
      return evaluation(log);
    case 'user.message':
    case 'tool.message':
      return heard(log);
    case 'choice':
      return choice(log);
    default:
      // System and assistant messages are the history: sent again with every call.
      return undefined;
  }
}

/** What a record of a whole call says; an LLM call where it does not name its operation. */
export function detailsRecord(a: Attributes): PartialLogStep {
  const said = readGenAi(a);
  return { ...said, type: said.type ?? 'LLM_CALL' };
}

/** The id that finishing gives the call of that response, whether a span told of it or a record. */
function callId(response: string | undefined): string | undefined {
  return response === undefined ? undefined : responseStepId(response);
}

/** Older SDKs put the fields into a structured body. */
function fieldsOf(log: SafeLog): Attributes {
  const { body } = log;
  if (!isObject(body)) return log.attributes;
  const fields = new Map<string, AttributeValue>(Object.entries(body as Record<string, AttributeValue>));
  for (const [key, value] of log.attributes) fields.set(key, value);
  return fields;
}

/** Somebody, often a model, has judged what a call gave. */
function evaluation(log: SafeLog): PartialLogStep {
  const a = fieldsOf(log);
  const explanation = text(a, 'gen_ai.evaluation.explanation');
  const errorType = text(a, 'error.type');
  return {
    type: 'REFLEXION_ACTION',
    task: conversation(text(a, 'gen_ai.conversation.id')),
    status: errorType === undefined ? undefined : 'ERROR',
    promptSummary: explanation,
    details: {
      evaluation: text(a, 'gen_ai.evaluation.name'),
      score: numberOf(a.get('gen_ai.evaluation.score.value')),
      verdict: firstText(a, ['gen_ai.evaluation.score.label', 'gen_ai.evaluation.label']),
      reason: explanation,
      responseId: text(a, 'gen_ai.response.id'),
      errorType,
    },
    texts: { completion: explanation },
    causes: judged(callId(text(a, 'gen_ai.response.id'))),
  };
}

function judged(stepId: string | undefined): readonly StepCause[] | undefined {
  return stepId === undefined ? undefined : [{ stepId, relation: 'TRIGGERED', evidence: 'requestId' }];
}

/** One message that the model read: content of the span's step, nothing by itself. */
function heard(log: SafeLog): PartialLogStep | undefined {
  const role = eventOf(log, 'gen_ai.') === 'tool.message' ? 'tool' : 'user';
  const message = messageOf(log);
  if (message === undefined) return undefined;
  const isAnswer = role === 'tool' && message['tool_call_id'] === undefined && message['id'] !== undefined;
  return { heard: readHeard([{ role, ...message, ...(isAnswer ? { type: 'tool_result' } : {}) }]) };
}

/** One of the answers that the model gave. */
function choice(log: SafeLog): PartialLogStep | undefined {
  const body = messageOf(log);
  if (body === undefined) return undefined;
  const said = readSaid([isObject(body['message']) ? body['message'] : body]);
  const finish = body['finish_reason'];
  return {
    asked: said.calls,
    details: {
      finishReasons: typeof finish === 'string' ? [finish] : said.finishReasons,
      requestedToolCallIds: said.toolCallIds,
    },
    texts: { completion: said.completion, reasoning: said.reasoning },
  };
}

/** The message is the body, structured or as JSON; some SDKs put it into an attribute. */
function messageOf(log: SafeLog): JsonObject | undefined {
  const body = structure(log.body);
  if (isObject(body)) return body;
  const content = structure(log.attributes.get('gen_ai.event.content'));
  if (isObject(content)) return content;
  const plain = log.attributes.get('content');
  return plain === undefined || plain === null ? undefined : { content: plain };
}
