import type { AttributeValue } from '../../model/attributes.ts';
import { boundText } from '../bounded-values.ts';
import { AttributeCollector } from './attribute-collector.ts';
import { takeLog } from './classify-log.ts';
import type { DecodeState } from './decode-state.ts';
import type { LogDraft } from './log-draft.ts';
import { misplacedSpans } from './misplaced.ts';
import { UNSET_TIME, nanoTimeFromHalves } from './nano-time.ts';
import { readAnyValue, readKeyValue } from './values-proto.ts';
import { itemPath, walkItems, type ItemNames } from './walk-proto.ts';
import { WireReader } from '../../base/wire-reader.ts';

const NAMES: ItemNames = ['resourceLogs', 'scopeLogs', 'logRecords'];

/**
 * ExportLogsServiceRequest, protobuf. CoT entries, Reflexion events, open spans and other log records go to `state`.
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message
 */
export function* decodeLogsProto(body: Buffer, state: DecodeState): Generator<void, void> {
  const reader = new WireReader(body);
  try {
    yield* walkItems(reader, state, NAMES, (end, resource, scope, place) => {
      if (!state.takeRecord()) return;
      const draft = readLog(reader, end, state);
      if (draft === undefined) {
        state.misplaced++;
        state.reject(`${itemPath(NAMES, place)}: not a log record`);
        return;
      }
      const problem = takeLog(draft, scope, resource, state);
      if (problem !== undefined) state.reject(`${itemPath(NAMES, place)}.${problem}`);
    });
  } catch (error) {
    if (state.misplaced > 0 && state.records.length === 0) throw misplacedSpans();
    throw error;
  }
  if (state.misplaced > 0 && state.records.length === 0) throw misplacedSpans();
}

/**
 * LogRecord: time 1, severity_number 2, severity_text 3, body 5, attributes 6, dropped 7, trace_id 9, span_id 10,
 * observed_time 11, event_name 12. Undefined when the fields have the types of a span.
 */
function readLog(reader: WireReader, end: number, state: DecodeState): LogDraft | undefined {
  const attributes = new AttributeCollector(state);
  let time = UNSET_TIME;
  let observedTime = UNSET_TIME;
  let severityNumber = 0;
  let severityText = '';
  let body: AttributeValue = null;
  let traceId = '';
  let spanId = '';
  let eventName = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 9:
        reader.fixed64(end);
        time = nanoTimeFromHalves(reader.hi, reader.lo);
        break;
      case 16:
        severityNumber = reader.varint32(end);
        break;
      case 26:
        severityText = boundText(reader.name(reader.lengthEnd(end)), state);
        break;
      case 42:
        body = readAnyValue(reader, reader.lengthEnd(end), state, 0);
        break;
      case 50:
        readKeyValue(reader, reader.lengthEnd(end), state, attributes);
        break;
      case 56:
        attributes.drop(reader.varint32(end));
        break;
      case 74:
        traceId = reader.hex(reader.lengthEnd(end));
        break;
      case 82:
        spanId = reader.hex(reader.lengthEnd(end));
        break;
      case 89:
        reader.fixed64(end);
        observedTime = nanoTimeFromHalves(reader.hi, reader.lo);
        break;
      case 98:
        eventName = boundText(reader.name(reader.lengthEnd(end)), state);
        break;
      default:
        if (isSpanField(tag)) return undefined;
        reader.skip(tag, end);
    }
  }
  return {
    time,
    observedTime,
    severityNumber,
    severityText,
    body,
    attributes: attributes.finish(),
    traceId,
    spanId,
    eventName,
  };
}

/** Span's ids (1, 2), kind (6) and times (7, 8): other wire types than a log record's. */
function isSpanField(tag: number): boolean {
  return tag === 10 || tag === 18 || tag === 48 || tag === 57 || tag === 65;
}
