import type { JsonObject } from '../../base/json.ts';
import type { SpanEvent, SpanLink } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { DROPPED_EVENTS, DROPPED_LINKS, boundText } from '../bounded-values.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, count, enumNumber, field, hexId, list, object, text } from './json-fields.ts';
import { UNSET_TIME, isSet, nanoTimeFromJson, toEpochMs, type NanoTime } from './nano-time.ts';
import { isLinkTarget, spanRecord, type SpanDraft } from './span-draft.ts';
import { attempt, attributesOf, walkJson, type JsonNames } from './walk-json.ts';

/** TracesData has the same fields as ExportTraceServiceRequest. */
export const TRACES_NAMES: JsonNames = [
  ['resourceSpans', 'resource_spans'],
  ['scopeSpans', 'scope_spans'],
  ['spans', 'spans'],
];
const STATUS_CODES = new Map([
  ['STATUS_CODE_UNSET', 0],
  ['STATUS_CODE_OK', 1],
  ['STATUS_CODE_ERROR', 2],
]);

/**
 * ExportTraceServiceRequest, JSON, an item a step. Spans go to `state`.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE
 */
export function decodeTracesJson(body: Buffer, state: DecodeState): Generator<void, void> {
  return walkJson(body, state, TRACES_NAMES, (span, path, resource, scope) => {
    if (!state.takeRecord()) return;
    attempt(state, path, () => {
      const record = spanRecord(readSpan(span, state), scope, resource, state.receivedMs);
      if (typeof record === 'string') state.reject(`${path}.${record}`);
      else state.records.push(record);
    });
  });
}

/** @throws FieldError */
export function readSpan(span: JsonObject, state: DecodeState): SpanDraft {
  const events = readEvents(span, state);
  const links = readLinks(span, state);
  const status = object(span['status'] ?? {}, 'status');
  return {
    traceId: hexId(field(span, 'traceId', 'trace_id'), 16, 'traceId'),
    spanId: hexId(field(span, 'spanId', 'span_id'), 8, 'spanId'),
    parentSpanId: hexId(field(span, 'parentSpanId', 'parent_span_id'), 8, 'parentSpanId'),
    name: boundText(text(span['name'] ?? undefined, 'name'), state),
    start: time(field(span, 'startTimeUnixNano', 'start_time_unix_nano'), 'startTimeUnixNano'),
    end: time(field(span, 'endTimeUnixNano', 'end_time_unix_nano'), 'endTimeUnixNano'),
    statusCode: enumNumber(status['code'] ?? undefined, STATUS_CODES, 'status.code'),
    statusMessage: boundText(text(status['message'] ?? undefined, 'status.message'), state),
    traceState: boundText(text(field(span, 'traceState', 'trace_state'), 'traceState'), state),
    attributes: attributesOf(span, 'attributes', state, [
      [DROPPED_EVENTS, events.dropped],
      [DROPPED_LINKS, links.dropped],
    ]),
    events: events.kept,
    links: links.kept,
  };
}

interface Kept<T> {
  readonly kept: readonly T[];
  readonly dropped: number;
}

function readEvents(span: JsonObject, state: DecodeState): Kept<SpanEvent> {
  const kept: SpanEvent[] = [];
  const items = list(span['events'] ?? undefined, 'events');
  let dropped = count(field(span, 'droppedEventsCount', 'dropped_events_count'), 'droppedEventsCount');
  for (let i = 0; i < items.length; i++) {
    if (kept.length >= state.limits.maxAttributes || !state.takeValue()) {
      dropped++;
      continue;
    }
    const path = `events[${i}]`;
    const event = object(items[i], path);
    const at = time(field(event, 'timeUnixNano', 'time_unix_nano'), `${path}.timeUnixNano`);
    kept.push({
      name: boundText(text(event['name'] ?? undefined, `${path}.name`), state),
      time: isSet(at) ? toEpochMs(at) : epochMs(state.receivedMs),
      attributes: attributesOf(event, `${path}.attributes`, state),
    });
  }
  return { kept, dropped };
}

/** A link with unreadable ids is dropped; its span is kept. */
function readLinks(span: JsonObject, state: DecodeState): Kept<SpanLink> {
  const kept: SpanLink[] = [];
  const items = list(span['links'] ?? undefined, 'links');
  let dropped = count(field(span, 'droppedLinksCount', 'dropped_links_count'), 'droppedLinksCount');
  for (let i = 0; i < items.length; i++) {
    const link =
      kept.length < state.limits.maxAttributes && state.takeValue()
        ? readLink(items[i], i, state)
        : undefined;
    if (link === undefined) dropped++;
    else kept.push(link);
  }
  return { kept, dropped };
}

function readLink(value: unknown, index: number, state: DecodeState): SpanLink | undefined {
  const path = `links[${index}]`;
  const link = object(value, path);
  const traceId = linkId(field(link, 'traceId', 'trace_id'), 16);
  const spanId = linkId(field(link, 'spanId', 'span_id'), 8);
  const attributes = attributesOf(link, `${path}.attributes`, state);
  return isLinkTarget(traceId, spanId) ? { traceId, spanId, attributes } : undefined;
}

function linkId(value: unknown, bytes: number): string {
  try {
    return hexId(value, bytes, '');
  } catch (error) {
    if (error instanceof FieldError) return '';
    throw error;
  }
}

export function time(value: unknown, path: string): NanoTime {
  if (value === undefined || value === '') return UNSET_TIME;
  const nanos = nanoTimeFromJson(value);
  if (nanos === undefined) throw new FieldError(path, 'not a number (nanoseconds since 1970)');
  return nanos;
}
