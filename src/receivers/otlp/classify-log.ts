import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import type { LogRecord, Resource, Scope, TelemetryRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { isCot, cotFromLog } from './cot-log.ts';
import type { DecodeState } from './decode-state.ts';
import { eventTypeOf, eventFromLog } from './event-log.ts';
import { fieldsOf } from './log-fields.ts';
import { isSet, toEpochMs, type NanoTime } from './nano-time.ts';
import { contextId } from './span-draft.ts';

/** A log record as it was sent. Both encodings make one. */
export interface LogDraft {
  readonly time: NanoTime;
  readonly observedTime: NanoTime;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  /** Lower-case hex of whatever was sent; empty when nothing was. */
  readonly traceId: string;
  readonly spanId: string;
  /** The record's event_name; older SDKs put it into the attribute `event.name`. */
  readonly eventName: string;
}

/**
 * What a log record is: a Reflexion event by its name (`reflexion.*`) or its fields, a chain-of-thought entry
 * by its requestId or its name, else a plain log record. A string is the reason for refusing it.
 */
export function classifyLog(
  draft: LogDraft,
  scope: Scope,
  resource: Resource,
  state: DecodeState,
): TelemetryRecord | string {
  const log = logRecord(draft, scope, resource, state.receivedMs);
  const fields = fieldsOf(log);
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
