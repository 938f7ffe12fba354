import type { Facts } from '../../model/facts.ts';
import { isSpanId, isTraceId } from '../../model/ids.ts';
import { NODE_STATUSES } from '../../model/node.ts';
import { MAX_EPOCH_MS } from '../../model/time.ts';
import type { SourceTexts } from '../text-store.ts';

type Loose = { readonly [key: string]: unknown };

/**
 * Whether a value from disk has the shape of facts: what correlation relies on without looking. A file can be
 * edited or damaged in ways that are still JSON.
 */
export function isFacts(value: unknown): value is Facts {
  if (!isObject(value)) return false;
  switch (value['kind']) {
    case 'span':
      return isSpan(value);
    case 'cot':
      return isCot(value);
    case 'event':
      return isEvent(value);
    case 'override':
      return isOverride(value);
    default:
      return false;
  }
}

export function isTextEntry(value: unknown): value is readonly [string, SourceTexts] {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string' || !isObject(value[1]))
    return false;
  const { texts = {}, attributes = {} } = value[1];
  return isObject(texts) && Object.values(texts).every(isText) && isObject(attributes);
}

function isSpan({ traceId, spanId, parentSpanId, name, start, end, links, step }: Loose): boolean {
  return (
    isTraceId(traceId) &&
    isSpanId(spanId) &&
    (parentSpanId === undefined || isSpanId(parentSpanId)) &&
    isText(name) &&
    isTime(start) &&
    (end === undefined || isTime(end)) &&
    (links === undefined || (Array.isArray(links) && links.every(isLink))) &&
    isObject(step) &&
    NODE_STATUSES.some((status) => status === step['status']) &&
    isObject(step['details']) &&
    STEP_TEXTS.every((key) => isOptional(step[key], isText)) &&
    STEP_NUMBERS.every((key) => isOptional(step[key], isNumber)) &&
    isOptional(step['task'], (task) => isObject(task) && isText(task['id']) && isNumber(task['rank']))
  );
}

const STEP_TEXTS = ['type', 'convention', 'agent', 'serviceName', 'model', 'requestId', 'promptSummary'];
const STEP_NUMBERS = ['tokensIn', 'tokensOut', 'latencyMs', 'costUsd'];

function isLink(link: unknown): boolean {
  return isObject(link) && isTraceId(link['traceId']) && isSpanId(link['spanId']);
}

const COT_TEXTS = ['summary', 'agent', 'model', 'taskId', 'traceId', 'spanId'];

function isCot(value: Loose): boolean {
  const { requestId, part, revision, text, final, first, last } = value;
  return (
    isText(requestId) &&
    isNumber(part) &&
    isNumber(revision) &&
    isText(text) &&
    typeof final === 'boolean' &&
    isTime(first) &&
    isTime(last) &&
    COT_TEXTS.every((key) => isOptional(value[key], isText))
  );
}

const EVENT_TEXTS = ['component', 'traceId', 'spanId'];

function isEvent(value: Loose): boolean {
  const { eventId, eventType, time, payload } = value;
  return (
    isText(eventId) &&
    isText(eventType) &&
    isTime(time) &&
    isObject(payload) &&
    EVENT_TEXTS.every((key) => isOptional(value[key], isText))
  );
}

function isOverride({ nodeId, originals }: Loose): boolean {
  return isText(nodeId) && isObject(originals) && Object.values(originals).every(isText);
}

function isOptional(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === undefined || check(value);
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= MAX_EPOCH_MS;
}
