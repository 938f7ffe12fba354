import type { LogRecord, Resource, Scope, TelemetryRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { isCot, cotFromLog } from './cot-log.ts';
import type { DecodeState } from './decode-state.ts';
import { eventTypeOf, eventFromLog } from './event-log.ts';
import { fieldsOf } from './log-fields.ts';
import type { LogDraft } from './log-draft.ts';
import { isSet, toEpochMs } from './nano-time.ts';
import { isOpenSpan, openSpanFromLog } from './open-span-log.ts';
import { partialEventOf, takePartialSpans } from './partial-span-log.ts';
import { contextId } from './span-draft.ts';

/**
 * Adds a log record to `state` as the kind of record that it is.
 * @returns the reason for rejecting it, `<field>: <problem>`; undefined when it was accepted
 */
export function takeLog(
  draft: LogDraft,
  scope: Scope,
  resource: Resource,
  state: DecodeState,
): string | undefined {
  const log = logRecord(draft, scope, resource, state.receivedMs);
  const partial = partialEventOf(log);
  // The ended span is exported as well, so the announcement of its end adds nothing.
  if (partial === 'stop') return undefined;
  if (partial === 'heartbeat') return takePartialSpans(log, state);
  const record = recordOf(draft, log, state);
  if (typeof record === 'string') return record;
  state.records.push(record);
  return undefined;
}

/**
 * An open span by the event name (`span.start`), a Reflexion event by its name (`reflexion.*`) or its fields, a
 * chain-of-thought entry by its requestId or its name, else a plain log record.
 */
function recordOf(draft: LogDraft, log: LogRecord, state: DecodeState): TelemetryRecord | string {
  const fields = fieldsOf(log);
  if (isOpenSpan(log)) return openSpanFromLog(draft, log, fields, state);
  const eventType = eventTypeOf(log, fields);
  if (eventType !== undefined) return eventFromLog(eventType, log, fields, state);
  if (isCot(log, fields)) return cotFromLog(log, fields);
  return log;
}

function logRecord(draft: LogDraft, scope: Scope, resource: Resource, receivedMs: number): LogRecord {
  const time = isSet(draft.time) ? draft.time : draft.observedTime;
  const named = draft.attributes.get('event.name');
  return {
    kind: 'log',
    time: isSet(time) ? toEpochMs(time) : epochMs(receivedMs),
    severityNumber: draft.severityNumber,
    severityText: draft.severityText,
    eventName: draft.eventName === '' && typeof named === 'string' ? named : draft.eventName,
    body: draft.body,
    attributes: draft.attributes,
    traceId: contextId(draft.traceId, 'trace'),
    spanId: contextId(draft.spanId, 'span'),
    scope,
    resource,
  };
}
