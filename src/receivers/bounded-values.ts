import type { AttributeValue } from '../model/attributes.ts';
import type { Bounds } from './bounds.ts';

export const TOO_DEEP = '[too deep]';

/** Attribute with the number of dropped attributes, the sender's and ours; named as in OTel's non-OTLP exporters. */
export const DROPPED_ATTRIBUTES = 'otel.dropped_attributes_count';
export const DROPPED_EVENTS = 'otel.dropped_events_count';
export const DROPPED_LINKS = 'otel.dropped_links_count';

/**
 * Cuts a string at `maxStringChars`, between whole characters, says how many are missing, and counts it. Half of a character, which
 * JSON and the bus can bring, is U+FFFD from here on: the store would make it so, and ids must be the same in memory.
 */
export function boundText(given: string, bounds: Bounds): string {
  const text = given.toWellFormed();
  let end = bounds.limits.maxStringChars;
  if (text.length <= end) return text;
  bounds.textsCut++;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  // Through a Buffer, because a slice would keep the whole text alive.
  const head = Buffer.from(text.slice(0, end), 'utf8').toString('utf8');
  return `${head}…[cut ${text.length - end} chars]`;
}

export function bytesMarker(length: number): string {
  return `[bytes: ${length}]`;
}

/** Sets an own property whatever its name is: `__proto__` becomes a plain key and nothing else. */
export function setKey(target: Record<string, AttributeValue>, key: string, value: AttributeValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** A number if a double holds it exactly, else its digits as text. */
export function int64FromHalves(hi: number, lo: number): number | string {
  // As a small integer from the start: every field that it is copied to would else hold a boxed double.
  if (hi === 0 && lo < 0x4000_0000) return lo | 0;
  const high = hi | 0;
  const value = high * 4_294_967_296 + lo;
  if (Number.isSafeInteger(value)) return value;
  return ((BigInt(high) << 32n) | BigInt(lo)).toString();
}

/** Plain JSON (already parsed) as an attribute value within the bounds. */
function boundJson(value: unknown, bounds: Bounds, depth = 0): AttributeValue {
  if (typeof value === 'string') return boundText(value, bounds);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Uint8Array) return bytesMarker(value.byteLength);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (depth >= bounds.limits.maxDepth) return TOO_DEEP;
  if (Array.isArray(value)) return boundArray(value, bounds, depth);
  return boundObject(value, bounds, depth);
}

function boundArray(items: readonly unknown[], bounds: Bounds, depth: number): readonly AttributeValue[] {
  const out: AttributeValue[] = [];
  for (const item of items) {
    if (!bounds.takeValue()) break;
    out.push(boundJson(item, bounds, depth + 1));
  }
  return out;
}

/** Own enumerable keys only; at most `maxAttributes` of them. */
export function boundObject(
  value: object,
  bounds: Bounds,
  depth = 0,
): { readonly [key: string]: AttributeValue } {
  const out: Record<string, AttributeValue> = {};
  let kept = 0;
  let dropped = 0;
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (kept === bounds.limits.maxAttributes || !bounds.takeValue()) {
      dropped++;
      continue;
    }
    kept++;
    setKey(out, boundText(key, bounds), boundJson(item, bounds, depth + 1));
  }
  if (dropped > 0) out[DROPPED_ATTRIBUTES] = dropped;
  return out;
}
