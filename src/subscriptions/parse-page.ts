import { BoundaryError } from '../base/boundary-error.ts';

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** As many as a summary shows when it is opened. */
const DEFAULT_LIMIT = 200;
/** More is too much for one answer. */
const MAX_LIMIT = 1000;

/** Checks `{ offset?, limit? }`; undefined means the first page. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parsePage(input: unknown): Page {
  const { offset, limit } = (input ?? {}) as { readonly offset?: unknown; readonly limit?: unknown };
  return {
    offset: wholeNumber(offset ?? 0, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(limit ?? DEFAULT_LIMIT, 'limit', 1, MAX_LIMIT),
  };
}

function wholeNumber(value: unknown, field: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
    return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  throw new BoundaryError('INVALID_ARGUMENT', `${field} must be a whole number ${range}`);
}
