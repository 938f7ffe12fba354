import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import type { LogRecord, Scope, SpanRecord } from '../../model/records.ts';
import { parseTime } from '../../model/time.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, hexId } from './json-fields.ts';
import type { LogDraft } from './log-draft.ts';
import { asObject, type LogFields } from './log-fields.ts';
import { UNSET_TIME, isSet, nanoTimeFromJson, type NanoTime } from './nano-time.ts';
import { spanRecord } from './span-draft.ts';

/**
 * Log records that make a span known before it has ended: those of the span processor in `src/otel`, and events as
 * OpenTelemetry's semantic-conventions#2133 discusses them. As that is a draft, the fields are looked for under
 * several names, among the attributes and in the body.
 */
const EVENT_NAME = /^(?:otel\.)?span\.(?:start|started|heartbeat)$/;

const ATTRIBUTES_PREFIX = 'span.attributes.';

const TRACE_ID = ['trace_id', 'traceId', 'span.trace_id'] as const;
const SPAN_ID = ['span_id', 'spanId', 'span.span_id', 'span.id'] as const;
const NAME = ['span.name', 'name'] as const;
const PARENT = [
  'span.parent_id',
  'span.parent_span_id',
  'span.parent.id',
  'parent_span_id',
  'parentSpanId',
  'parent_id',
  'parent',
] as const;
const START = [
  'span.start_time_unix_nano',
  'start_time_unix_nano',
  'startTimeUnixNano',
  'span.start_time',
  'start_time',
  'startTime',
] as const;

/** Fields that describe the span itself. Every other attribute of the record becomes an attribute of the span. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...TRACE_ID,
  ...SPAN_ID,
  ...NAME,
  ...PARENT,
  ...START,
  'event.name',
  'span.kind',
  'span.scope.name',
  'span.scope.version',
]);

export function isOpenSpan(log: LogRecord): boolean {
  return EVENT_NAME.test(log.eventName);
}

/** The span, without an end; or why there is none: `<field>: <problem>`. */
export function openSpanFromLog(
  draft: LogDraft,
  log: LogRecord,
  fields: LogFields,
  state: DecodeState,
): SpanRecord | string {
  try {
    const name = fields.text(...NAME);
    if (name === undefined) return 'span.name: missing; the start of a span names it';
    const open = {
      traceId: draft.traceId === '' ? idOf(fields, TRACE_ID, 16) : draft.traceId,
      spanId: draft.spanId === '' ? idOf(fields, SPAN_ID, 8) : draft.spanId,
      parentSpanId: parentOf(fields),
      name,
      start: startOf(draft, log, fields),
      end: UNSET_TIME,
      statusCode: 0,
      statusMessage: '',
      traceState: '',
      attributes: attributesOf(log, fields),
      events: [],
      links: [],
    };
    return spanRecord(open, scopeOf(log, fields), log.resource, state.receivedMs);
  } catch (error) {
    if (error instanceof FieldError) return error.message;
    throw error;
  }
}

function idOf(fields: LogFields, names: readonly string[], bytes: number): string {
  return hexId(fields.get(...names), bytes, names[0] ?? '');
}

/** An id, or an object (a span context) that has one. */
function parentOf(fields: LogFields): string {
  const given = fields.get(...PARENT);
  const context = asObject(given);
  return hexId(context ? (context['span_id'] ?? context['spanId']) : given, 8, PARENT[0]);
}

/** The start time; if absent, that of the record, unless it is a heartbeat, which is written later. */
function startOf(draft: LogDraft, log: LogRecord, fields: LogFields): NanoTime {
  const given = fields.get(...START);
  if (given === undefined) {
    if (log.eventName.endsWith('heartbeat')) throw new FieldError(START[0], 'missing');
    return isSet(draft.time) ? draft.time : draft.observedTime;
  }
  const nanos = nanoTimeFromJson(given);
  if (nanos !== undefined) return nanos;
  const ms = parseTime(given);
  if (ms === undefined || ms < 0) throw new FieldError(START[0], 'not a number (nanoseconds since 1970)');
  return { ms: Math.floor(ms), ns: Math.round((ms % 1) * 1_000_000) };
}

function scopeOf(log: LogRecord, fields: LogFields): Scope {
  const name = fields.text('span.scope.name');
  if (name === undefined) return log.scope;
  return { name, version: fields.text('span.scope.version') ?? '', attributes: log.scope.attributes };
}

function attributesOf(log: LogRecord, fields: LogFields): Attributes {
  const own = new Map<string, AttributeValue>();
  for (const [key, value] of log.attributes) {
    if (!ENVELOPE.has(key) && !key.startsWith(ATTRIBUTES_PREFIX)) own.set(key, value);
  }
  for (const [key, value] of Object.entries(asObject(fields.body?.['attributes']) ?? {})) own.set(key, value);
  for (const [key, value] of log.attributes) {
    if (key.startsWith(ATTRIBUTES_PREFIX)) own.set(key.slice(ATTRIBUTES_PREFIX.length), value);
  }
  return own;
}
