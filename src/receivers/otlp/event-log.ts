import type { AttributeValue } from '../../model/attributes.ts';
import type { EventRecord, LogRecord } from '../../model/records.ts';
import { parseTime } from '../../model/time.ts';
import { boundObject, setKey } from '../bounded-values.ts';
import { derivedEventId, eventIdProblem } from '../event-id.ts';
import type { DecodeState } from './decode-state.ts';
import { asObject, type LogFields } from './log-fields.ts';

const PREFIX = 'reflexion.';

/** Fields of the event itself; every other attribute or body field belongs to its payload. */
const ENVELOPE = new Set([
  'eventID',
  'eventId',
  'event_id',
  'eventType',
  'event_type',
  'eventName',
  'event.name',
  'component',
  'timestamp',
  'payload',
]);

/** The event type of a log record named `reflexion.<type>`, or with the fields eventType and component. */
export function eventTypeOf(log: LogRecord, fields: LogFields): string | undefined {
  const { body } = fields;
  for (const name of [log.eventName, log.body, body?.['name'], body?.['eventName'], body?.['event.name']]) {
    if (typeof name === 'string' && name.startsWith(PREFIX) && name.length > PREFIX.length) {
      return name.slice(PREFIX.length);
    }
  }
  if (fields.text('component') === undefined) return undefined;
  return fields.text('eventType', 'event_type');
}

export function eventFromLog(
  eventType: string,
  log: LogRecord,
  fields: LogFields,
  state: DecodeState,
): EventRecord | string {
  const given = fields.text('eventID', 'eventId', 'event_id');
  const problem = eventIdProblem(given);
  if (problem !== undefined) return `eventID: ${problem}`;
  const component = fields.text('component');
  const time = parseTime(fields.get('timestamp')) ?? log.time;
  const payload = payloadOf(log, fields, state);
  return {
    kind: 'event',
    eventId: given ?? derivedEventId(eventType, component, time, payload),
    eventType,
    component,
    time,
    payload,
    traceId: log.traceId,
    spanId: log.spanId,
  };
}

/** `payload` itself (an object, or its JSON), and around it what else the record says. */
function payloadOf(
  log: LogRecord,
  fields: LogFields,
  state: DecodeState,
): { readonly [key: string]: AttributeValue } {
  const out: Record<string, AttributeValue> = {};
  for (const [key, value] of log.attributes) if (isPayload(key, value)) setKey(out, key, value);
  for (const [key, value] of Object.entries(fields.body ?? {})) {
    if (isPayload(key, value)) setKey(out, key, value);
  }
  const given = fields.get('payload');
  const inner = asObject(given) ?? parsedObject(given, state);
  if (inner !== undefined) for (const [key, value] of Object.entries(inner)) setKey(out, key, value);
  else if (given !== undefined) out['payload'] = given;
  return out;
}

function isPayload(key: string, value: AttributeValue): boolean {
  if (key === 'name') return !(typeof value === 'string' && value.startsWith(PREFIX));
  return !ENVELOPE.has(key);
}

function parsedObject(
  value: AttributeValue | undefined,
  state: DecodeState,
): { readonly [key: string]: AttributeValue } | undefined {
  if (typeof value !== 'string' || !value.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    return boundObject(parsed, state);
  } catch {
    return undefined; // Text that only looks like JSON stays text.
  }
}
