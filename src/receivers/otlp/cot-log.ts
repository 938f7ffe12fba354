import type { AttributeValue } from '../../model/attributes.ts';
import type { CotRecord, LogRecord } from '../../model/records.ts';
import { MAX_ID_CHARS, TOO_LONG_ID } from '../config.ts';
import type { LogFields } from './log-fields.ts';

/** Event names that mark a chain-of-thought entry, besides everything below `cot.` and `reasoning.`. */
const REASONING_EVENT = /^(?:(?:cot|reasoning)(?:\..*)?|chain_of_thought.*|llm\.cot)$/s;
const REQUEST_IDS = ['requestId', 'request_id', 'request.id'] as const;
const COT_CONTENT = ['text', 'tokens', 'summary', 'final'] as const;

/**
 * A record is a chain-of-thought entry when its name says so or it has a `requestId`. The spellings
 * `request_id` and `request.id` are also used by the log events of model clients (costs, timings), so a record
 * that has another name of its own needs the content of an entry besides.
 */
export function isCot(log: LogRecord, fields: LogFields): boolean {
  if (REASONING_EVENT.test(log.eventName)) return true;
  if (log.attributes.has('requestId')) return true;
  if (fields.text(...REQUEST_IDS) === undefined) return false;
  return log.eventName === '' || fields.get(...COT_CONTENT) !== undefined;
}

/** The entry, or why there is none. Without a requestId the active span identifies the request. */
export function cotFromLog(log: LogRecord, fields: LogFields): CotRecord | string {
  const requestId = fields.text(...REQUEST_IDS) ?? spanContext(log);
  if (requestId === undefined) {
    return 'requestId: required; a reasoning event needs the attribute requestId or a trace and span id';
  }
  if (requestId.length > MAX_ID_CHARS) return `requestId: ${TOO_LONG_ID}`;
  const text =
    fields.text('text') ?? (typeof log.body === 'string' && log.body !== '' ? log.body : undefined);
  const tokens = tokensOf(fields.get('tokens'));
  // A record with `sequence` or `final` is a piece of one text.
  const isPiece = tokens === undefined && text !== undefined && fields.get('sequence', 'final') !== undefined;
  return {
    kind: 'cot',
    requestId,
    time: log.time,
    text: isPiece ? undefined : text,
    tokens: isPiece ? [text] : tokens,
    final: isTrue(fields.get('final')),
    summary: fields.text('summary'),
    agent: fields.text('agent', 'component'),
    model: fields.text('model', 'model.name'),
    taskId: fields.text('taskId', 'taskID', 'task_id', 'task.id'),
    traceId: log.traceId,
    spanId: log.spanId,
    sequence: sequenceOf(fields.get('sequence')),
  };
}

function spanContext(log: LogRecord): string | undefined {
  return log.traceId !== undefined && log.spanId !== undefined ? `${log.traceId}:${log.spanId}` : undefined;
}

/** Attributes are scalars in many SDKs: a single token may come as a bare string. */
function tokensOf(value: AttributeValue | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  const items: readonly AttributeValue[] = value;
  return items.filter((item): item is string => typeof item === 'string');
}

function isTrue(value: AttributeValue | undefined): boolean {
  return value === true || value === 'true';
}

function sequenceOf(value: AttributeValue | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
