import type { SpanEvent, SpanLink } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { DROPPED_EVENTS, DROPPED_LINKS, boundText } from '../bounded-values.ts';
import { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { misplacedLogs } from './misplaced.ts';
import { UNSET_TIME, isSet, nanoTimeFromHalves, toEpochMs } from './nano-time.ts';
import { isLinkTarget, spanRecord, type SpanDraft } from './span-draft.ts';
import { readKeyValue } from './values-proto.ts';
import { itemPath, walkItems, type ItemNames } from './walk-proto.ts';
import { WireReader } from '../../base/wire-reader.ts';

const NAMES: ItemNames = ['resourceSpans', 'scopeSpans', 'spans'];

/**
 * ExportTraceServiceRequest, protobuf. Spans go to `state`.
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message
 */
export function* decodeTracesProto(body: Buffer, state: DecodeState): Generator<void, void> {
  const reader = new WireReader(body);
  try {
    yield* walkItems(reader, state, NAMES, (end, resource, scope, place) => {
      if (!state.takeRecord()) return;
      const draft = readSpan(reader, end, state);
      const record = draft && spanRecord(draft, scope, resource, state.receivedMs);
      if (record === undefined) {
        state.misplaced++;
        state.reject(`${itemPath(NAMES, place)}: not a span`);
      } else if (typeof record === 'string') {
        state.reject(`${itemPath(NAMES, place)}.${record}`);
      } else {
        state.records.push(record);
      }
    });
  } catch (error) {
    // A log record decoded as a span fails with impossible lengths; say what is really wrong.
    if (state.misplaced > 0 && state.records.length === 0) throw misplacedLogs();
    throw error;
  }
  if (state.misplaced > 0 && state.records.length === 0) throw misplacedLogs();
}

/**
 * Span: trace_id 1, span_id 2, trace_state 3, parent_span_id 4, name 5, start 7, end 8, attributes 9, events 11,
 * links 13, status 15; dropped counts 10, 12, 14. Undefined when the fields have the types of a log record.
 */
function readSpan(reader: WireReader, end: number, state: DecodeState): SpanDraft | undefined {
  const attributes = new AttributeCollector(state);
  const events: SpanEvent[] = [];
  const links: SpanLink[] = [];
  const status = { code: 0, message: '' };
  let traceId = '';
  let spanId = '';
  let parentSpanId = '';
  let traceState = '';
  let name = '';
  let start = UNSET_TIME;
  let finish = UNSET_TIME;
  let droppedEvents = 0;
  let droppedLinks = 0;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 10:
        traceId = reader.id(reader.lengthEnd(end));
        break;
      case 18:
        spanId = reader.id(reader.lengthEnd(end));
        break;
      case 26:
        traceState = boundText(reader.text(reader.lengthEnd(end)), state);
        break;
      case 34:
        parentSpanId = reader.id(reader.lengthEnd(end));
        break;
      case 42:
        name = boundText(reader.name(reader.lengthEnd(end)), state);
        break;
      case 57:
        reader.fixed64(end);
        start = nanoTimeFromHalves(reader.hi, reader.lo);
        break;
      case 65:
        reader.fixed64(end);
        finish = nanoTimeFromHalves(reader.hi, reader.lo);
        break;
      case 74:
        readKeyValue(reader, reader.lengthEnd(end), state, attributes);
        break;
      case 80:
        attributes.drop(reader.varint32(end));
        break;
      case 90:
        if (!readEvent(reader, reader.lengthEnd(end), state, events)) droppedEvents++;
        break;
      case 96:
        droppedEvents += reader.varint32(end);
        break;
      case 106:
        if (!readLink(reader, reader.lengthEnd(end), state, links)) droppedLinks++;
        break;
      case 112:
        droppedLinks += reader.varint32(end);
        break;
      case 122:
        readStatus(reader, reader.lengthEnd(end), status, state);
        break;
      default:
        if (isLogField(tag)) return undefined;
        reader.skip(tag, end);
    }
  }
  if (droppedEvents > 0) attributes.set(DROPPED_EVENTS, droppedEvents);
  if (droppedLinks > 0) attributes.set(DROPPED_LINKS, droppedLinks);
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    start,
    end: finish,
    statusCode: status.code,
    statusMessage: status.message,
    traceState,
    attributes: attributes.finish(),
    events,
    links,
  };
}

/** LogRecord's time (1), severity (2), attributes (6), flags (8) and observed time (11): other wire types than a span's. */
function isLogField(tag: number): boolean {
  return tag === 9 || tag === 16 || tag === 50 || tag === 69 || tag === 89;
}

/** Span.Event: time 1, name 2, attributes 3, dropped 4. False when no more are taken. */
function readEvent(reader: WireReader, end: number, state: DecodeState, events: SpanEvent[]): boolean {
  if (events.length >= state.limits.maxAttributes || !state.takeValue()) {
    reader.pos = end;
    return false;
  }
  const attributes = new AttributeCollector(state);
  let time = UNSET_TIME;
  let name = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 9) {
      reader.fixed64(end);
      time = nanoTimeFromHalves(reader.hi, reader.lo);
    } else if (tag === 18) {
      name = boundText(reader.name(reader.lengthEnd(end)), state);
    } else if (tag === 26) {
      readKeyValue(reader, reader.lengthEnd(end), state, attributes);
    } else if (tag === 32) {
      attributes.drop(reader.varint32(end));
    } else {
      reader.skip(tag, end);
    }
  }
  const at = isSet(time) ? toEpochMs(time) : epochMs(state.receivedMs);
  events.push({ name, time: at, attributes: attributes.finish() });
  return true;
}

/** Span.Link: trace_id 1, span_id 2, attributes 4, dropped 5. False when it was not taken. */
function readLink(reader: WireReader, end: number, state: DecodeState, links: SpanLink[]): boolean {
  if (links.length >= state.limits.maxAttributes || !state.takeValue()) {
    reader.pos = end;
    return false;
  }
  const attributes = new AttributeCollector(state);
  let traceId = '';
  let spanId = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) traceId = reader.id(reader.lengthEnd(end));
    else if (tag === 18) spanId = reader.id(reader.lengthEnd(end));
    else if (tag === 34) readKeyValue(reader, reader.lengthEnd(end), state, attributes);
    else if (tag === 40) attributes.drop(reader.varint32(end));
    else reader.skip(tag, end);
  }
  if (!isLinkTarget(traceId, spanId)) return false;
  links.push({ traceId, spanId, attributes: attributes.finish() });
  return true;
}

/** Status: message 2, code 3. */
function readStatus(
  reader: WireReader,
  end: number,
  status: { code: number; message: string },
  state: DecodeState,
): void {
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 18) status.message = boundText(reader.text(reader.lengthEnd(end)), state);
    else if (tag === 24) status.code = reader.varint32(end);
    else reader.skip(tag, end);
  }
}
