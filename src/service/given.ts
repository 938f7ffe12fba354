import { invalid, type BoundaryError } from '../base/boundary-error.ts';

/** What somebody sent, unchecked. */
export interface Given {
  readonly [field: string]: unknown;
}

const MAX_NAME_CHARS = 1_000;
const OWN_ID = /^[\w.:-]{1,100}$/;

/** A text that is not empty; undefined when it is absent. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function textIn(given: Given, field: string, most = MAX_NAME_CHARS): string | undefined {
  const value = Object.hasOwn(given, field) ? (given[field] ?? undefined) : undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
  throw wrong(field, `must be a text of 1 to ${most} characters`);
}

export function wrong(field: string, problem: string): BoundaryError {
  return invalid(`${field} ${problem}`);
}

/** The id by which its sender knows it; undefined when it has none. @throws BoundaryError INVALID_ARGUMENT */
export function ownIdIn({ id }: Given): string | undefined {
  if (id === undefined || (typeof id === 'string' && OWN_ID.test(id))) return id;
  throw wrong('id', 'must be 1 to 100 letters, digits, ".", "_", ":" and "-"');
}
