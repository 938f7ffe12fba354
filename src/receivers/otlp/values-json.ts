import type { JsonObject } from '../../base/json.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import { DROPPED_ATTRIBUTES, TOO_DEEP, boundText, bytesMarker, setKey } from '../bounded-values.ts';
import type { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, field, list, object, text } from './json-fields.ts';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** A list of KeyValue objects into a collector. */
export function readAttributes(
  value: unknown,
  path: string,
  state: DecodeState,
  attributes: AttributeCollector,
): void {
  const items = list(value, path);
  for (let i = 0; i < items.length; i++) {
    if (!attributes.take()) continue;
    const entry = object(items[i], `${path}[${i}]`);
    const key = text(entry['key'] ?? undefined, `${path}[${i}].key`);
    attributes.set(key, anyValue(entry['value'], `${path}[${i}].value`, state, 0));
  }
}

/** AnyValue. An absent or empty one, or one of an unknown kind, is null. */
export function anyValue(value: unknown, path: string, state: DecodeState, depth: number): AttributeValue {
  if (value === undefined || value === null) return null;
  const any = object(value, path);
  const string = field(any, 'stringValue', 'string_value');
  if (string !== undefined) return boundText(text(string, `${path}.stringValue`), state);
  const bool = field(any, 'boolValue', 'bool_value');
  if (bool !== undefined) {
    if (typeof bool !== 'boolean') throw new FieldError(`${path}.boolValue`, 'not a boolean');
    return bool;
  }
  const int = field(any, 'intValue', 'int_value');
  if (int !== undefined) return int64(int, `${path}.intValue`);
  const double = field(any, 'doubleValue', 'double_value');
  if (double !== undefined) return float(double, `${path}.doubleValue`);
  const bytes = field(any, 'bytesValue', 'bytes_value');
  if (bytes !== undefined) {
    return bytesMarker(Buffer.byteLength(text(bytes, `${path}.bytesValue`), 'base64'));
  }
  return container(any, path, state, depth);
}

function container(any: JsonObject, path: string, state: DecodeState, depth: number): AttributeValue {
  const array = field(any, 'arrayValue', 'array_value');
  const keyValues = array === undefined ? field(any, 'kvlistValue', 'kvlist_value') : undefined;
  if (array === undefined && keyValues === undefined) return null;
  if (depth >= state.limits.maxDepth) return TOO_DEEP;
  if (array !== undefined) return arrayValue(array, `${path}.arrayValue`, state, depth);
  return keyValueList(keyValues, `${path}.kvlistValue`, state, depth);
}

function arrayValue(value: unknown, path: string, state: DecodeState, depth: number): AttributeValue {
  const out: AttributeValue[] = [];
  const items = list(object(value, path)['values'] ?? undefined, `${path}.values`);
  for (let i = 0; i < items.length && state.takeValue(); i++) {
    out.push(anyValue(items[i], `${path}.values[${i}]`, state, depth + 1));
  }
  return out;
}

function keyValueList(value: unknown, path: string, state: DecodeState, depth: number): AttributeValue {
  const out: Record<string, AttributeValue> = {};
  const items = list(object(value, path)['values'] ?? undefined, `${path}.values`);
  let dropped = 0;
  for (let i = 0; i < items.length; i++) {
    if (i >= state.limits.maxAttributes || !state.takeValue()) {
      dropped++;
      continue;
    }
    const at = `${path}.values[${i}]`;
    const entry = object(items[i], at);
    const key = boundText(text(entry['key'] ?? undefined, `${at}.key`), state);
    setKey(out, key, anyValue(entry['value'], `${at}.value`, state, depth + 1));
  }
  if (dropped > 0) out[DROPPED_ATTRIBUTES] = dropped;
  return out;
}

/** A number where a double is exact, else the digits. */
export function int64(value: unknown, path: string): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  let digits: bigint;
  if (typeof value === 'number' && Number.isInteger(value)) digits = BigInt(value);
  else if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) digits = BigInt(value);
  else throw new FieldError(path, 'not an integer');
  if (digits < MIN_INT64 || digits > MAX_INT64) throw new FieldError(path, 'not a 64-bit integer');
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits.toString();
}

export function float(value: unknown, path: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (typeof value === 'string' && /^-?(?:Infinity|\d[\d.eE+-]{0,40})$/.test(value)) {
    const number = Number(value);
    if (!Number.isNaN(number)) return number;
  }
  throw new FieldError(path, 'not a number');
}
