import type { AttributeValue } from '../../model/attributes.ts';
import type { EventRecord } from '../../model/records.ts';
import { DEFAULT_RECEIVER_LIMITS, type ReceiverLimits } from '../config.ts';
import { allowance, boundObject } from '../bounded-values.ts';
import { derivedEventId } from '../event-id.ts';
import { itemOf, optionalId, own, requiredId, requiredTime, wrong, type Item } from './event-fields.ts';

/**
 * One ReflexionAdapter event: `{eventID?, eventType, component?, timestamp, payload?}`. Without an eventID
 * the id is derived from the content. An unknown eventType is no fault.
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function parseEvent(
  value: unknown,
  limits: ReceiverLimits = DEFAULT_RECEIVER_LIMITS,
  take: () => boolean = allowance(limits.maxValues),
): EventRecord {
  const item = itemOf(value);
  const eventType = requiredId(item, 'eventType', limits);
  const component = optionalId(item, 'component', limits);
  const time = requiredTime(item, 'timestamp');
  const payload = payloadOf(item, limits, take);
  const eventId = optionalId(item, 'eventID', limits) ?? optionalId(item, 'eventId', limits);
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

function payloadOf(
  item: Item,
  limits: ReceiverLimits,
  take: () => boolean,
): { readonly [key: string]: AttributeValue } {
  const payload = own(item, 'payload');
  if (payload === undefined) return {};
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw wrong('payload', 'must be an object');
  }
  return boundObject(payload, limits, take);
}
