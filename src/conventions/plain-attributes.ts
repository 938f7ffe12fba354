import type { Attributes } from '../model/attributes.ts';
import { toIso } from '../model/time.ts';
import type { SafeSpan } from './convention.ts';

/** A span's attributes as a plain object, its events under `events`; undefined when it has neither. */
export function plainAttributes(span: SafeSpan): { readonly [key: string]: unknown } | undefined {
  if (span.attributes.size === 0 && span.events.length === 0) return undefined;
  const plain = plainObject(span.attributes);
  if (span.events.length > 0) {
    plain['events'] = span.events.map((event) => ({
      name: event.name,
      time: toIso(event.time),
      attributes: plainObject(event.attributes),
    }));
  }
  return plain;
}

/** As a plain object; no key of it can reach a prototype. */
export function plainObject(attributes: Attributes): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of attributes) {
    // Assigning to this key would set the object's prototype.
    if (key === '__proto__')
      Object.defineProperty(plain, key, { value, enumerable: true, configurable: true });
    else plain[key] = value;
  }
  return plain;
}
