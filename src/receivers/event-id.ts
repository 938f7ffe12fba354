import { createHash } from 'node:crypto';
import type { AttributeValue } from '../model/attributes.ts';
import { isOwnEventId } from '../model/ids.ts';
import { MAX_ID_CHARS, TOO_LONG_ID } from './config.ts';

const ID_HEX_DIGITS = 32;

/** What is wrong with the id that a sender gave an event; undefined when it can be taken. */
export function eventIdProblem(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  if (id.length > MAX_ID_CHARS) return TOO_LONG_ID;
  // Nobody else says who interrupted whom.
  return isOwnEventId(id) ? 'is one of the service itself' : undefined;
}

/**
 * The id of an event without one: a hash of its content, so that a redelivery gets the same id.
 * The payload must already be within the depth bound.
 */
export function derivedEventId(
  eventType: string,
  component: string | undefined,
  time: number,
  payload: { readonly [key: string]: AttributeValue },
): string {
  const content = canonicalJson([eventType, component ?? null, time, payload]);
  return createHash('sha256').update(content).digest('hex').slice(0, ID_HEX_DIGITS);
}

/** JSON with sorted keys: equal values give equal text. */
function canonicalJson(value: AttributeValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: AttributeValue) => canonicalJson(item)).join(',')}]`;
  const entries = Object.entries(value as { readonly [key: string]: AttributeValue });
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
