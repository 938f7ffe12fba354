import { BoundaryError } from '../../base/boundary-error.ts';
import { isSpanId, isTraceId } from '../../model/ids.ts';
import { parseTime, type EpochMs } from '../../model/time.ts';
import type { Bounds } from '../bounds.ts';
import { boundText } from '../bounded-values.ts';
import { MAX_ID_CHARS, TOO_LONG_ID } from '../config.ts';

/** Readers of the fields of one item; each throws INVALID_ARGUMENT with a message that begins with the field's name. */

export interface Item {
  readonly [key: string]: unknown;
}

/** @throws BoundaryError INVALID_ARGUMENT */
export function itemOf(value: unknown): Item {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BoundaryError('INVALID_ARGUMENT', 'not a JSON object');
  }
  return value as Item;
}

export function wrong(field: string, problem: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field}: ${problem}`);
}

/** Text that is not empty; numbers are written out, because ids often are numbers. undefined when absent. */
export function optionalId(item: Item, field: string, bounds: Bounds): string | undefined {
  const value = own(item, field);
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') throw wrong(field, 'must be a string');
  return boundText(value, bounds);
}

/** An id by which records are told apart. */
export function boundedId<Id extends string | undefined>(field: string, id: Id): Id {
  if (id !== undefined && id.length > MAX_ID_CHARS) throw wrong(field, TOO_LONG_ID);
  return id;
}

export function requiredId(item: Item, field: string, bounds: Bounds): string {
  const value = optionalId(item, field, bounds);
  if (value === undefined) throw wrong(field, 'required, a string that is not empty');
  return value;
}

/** Text as it is, the empty one included. */
export function optionalText(item: Item, field: string, bounds: Bounds): string | undefined {
  const value = own(item, field);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw wrong(field, 'must be a string');
  return boundText(value, bounds);
}

export function optionalBoolean(item: Item, field: string): boolean {
  const value = own(item, field);
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw wrong(field, 'must be true or false');
  return value;
}

export function optionalNumber(item: Item, field: string): number | undefined {
  const value = own(item, field);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(field, 'must be a number');
  return value;
}

export function optionalTexts(item: Item, field: string, bounds: Bounds): readonly string[] | undefined {
  const value = own(item, field);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrong(field, 'must be an array of strings');
  return value.map((entry: unknown, i) => {
    if (typeof entry !== 'string') throw wrong(`${field}[${i}]`, 'must be a string');
    return boundText(entry, bounds);
  });
}

export function requiredTime(item: Item, field: string): EpochMs {
  const value = own(item, field);
  if (value === undefined) throw wrong(field, 'required, ISO 8601 or epoch ms');
  const time = parseTime(value);
  if (time === undefined) throw wrong(field, 'must be ISO 8601 or epoch ms, of a year up to 9999');
  return time;
}

/** 32 hex digits, not all zero. */
export function optionalTraceId(item: Item, field: string): string | undefined {
  return optionalHex(item, field, isTraceId, 32);
}

/** 16 hex digits, not all zero. */
export function optionalSpanId(item: Item, field: string): string | undefined {
  return optionalHex(item, field, isSpanId, 16);
}

function optionalHex(
  item: Item,
  field: string,
  isId: (value: unknown) => value is string,
  digits: number,
): string | undefined {
  const value = own(item, field);
  if (value === undefined || value === '') return undefined;
  const id = typeof value === 'string' ? value.toLowerCase() : value;
  if (!isId(id)) throw wrong(field, `must be ${digits} hex digits, not all zero`);
  return id;
}

/** Own fields only; null counts as absent. */
export function own(item: Item, field: string): unknown {
  return Object.hasOwn(item, field) ? (item[field] ?? undefined) : undefined;
}
