import { isObject, type JsonObject } from '../../base/json.ts';

/** A field that cannot be read: its record is rejected with this reason, the rest of the batch is accepted. */
export class FieldError extends Error {
  override readonly name = 'FieldError';

  /** @param path from the record (`attributes[3].value`); never holds input text */
  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
  }
}

/** OTLP/JSON is written in lowerCamelCase; proto names in snake_case are read as well. null counts as absent. */
export function field(object: JsonObject, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake] ?? undefined;
}

export function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new FieldError(path, 'not an array');
  return value;
}

export function object(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new FieldError(path, 'not an object');
  return value;
}

export function text(value: unknown, path: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw new FieldError(path, 'not a string');
  return value;
}

/** A count that a sender reports; 0 when absent. */
export function count(value: unknown, path: string): number {
  if (value === undefined) return 0;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > 0xffff_ffff) {
    throw new FieldError(path, 'not a number');
  }
  return number;
}

/** An enum by number, by its digits, or by name; a name that is not known counts as 0, as an unknown number would. */
export function enumNumber(value: unknown, names: ReadonlyMap<string, number>, path: string): number {
  if (value === undefined) return 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value !== 'string') throw new FieldError(path, 'not an enum number or name');
  return names.get(value) ?? (/^\d{1,9}$/.test(value) ? Number(value) : 0);
}

const HEX = /^[0-9a-fA-F]*$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * An id as lower-case hex: from hex (OTLP/JSON), or from base64 (what protobuf's own JSON mapping writes).
 * Which one is told by the length. '' when absent.
 */
export function hexId(value: unknown, bytes: number, path: string): string {
  const id = text(value, path);
  if (id === '') return '';
  if (id.length === bytes * 2) {
    if (!HEX.test(id)) throw new FieldError(path, 'not hexadecimal');
    return id.toLowerCase();
  }
  if (Math.ceil((bytes * 4) / 3) === id.length || Math.ceil(bytes / 3) * 4 === id.length) {
    const raw = BASE64.test(id) ? Buffer.from(id, 'base64') : undefined;
    if (raw?.length === bytes) return raw.toString('hex');
  }
  throw new FieldError(path, `not ${bytes} bytes in hex or base64`);
}
