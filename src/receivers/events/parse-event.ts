import type { AttributeValue } from '../../model/attributes.ts';
import type { EventRecord } from '../../model/records.ts';
import type { Bounds } from '../bounds.ts';
import { boundObject } from '../bounded-values.ts';
import { derivedEventId, eventIdProblem } from '../event-id.ts';
import { itemOf, optionalId, own, requiredId, requiredTime, wrong, type Item } from './event-fields.ts';

/**
 * One ReflexionAdapter event: `{eventID?, eventType, component?, timestamp, payload?}`. Without an eventID
 * the id is derived from the content. An unknown eventType is no fault.
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function parseEvent(value: unknown, bounds: Bounds): EventRecord {
  const item = itemOf(value);
  const eventType = requiredId(item, 'eventType', bounds);
  const component = optionalId(item, 'component', bounds);
  const time = requiredTime(item, 'timestamp');
  const payload = payloadOf(item, bounds);
  const eventId = optionalId(item, 'eventID', bounds) ?? optionalId(item, 'eventId', bounds);
  const problem = eventIdProblem(eventId);
  if (problem !== undefined) throw wrong('eventID', problem);
  return {
    kind: 'event',
    eventId: eventId ?? derivedEventId(eventType, component, time, payload),
    eventType,
    component,
    time,
    payload,
    traceId: undefined,
    spanId: undefined,
  };
}

function payloadOf(item: Item, bounds: Bounds): { readonly [key: string]: AttributeValue } {
  const payload = own(item, 'payload');
  if (payload === undefined) return {};
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw wrong('payload', 'must be an object');
  }
  return boundObject(payload, bounds);
}
