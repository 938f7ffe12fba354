import { single } from './graph-query.ts';

/**
 * `?offset=&limit=`, for `ReaderApi.getNode`, which checks the numbers.
 * @throws BoundaryError INVALID_ARGUMENT when one is given more than once
 */
export function pageOf(query: URLSearchParams): { readonly offset?: number; readonly limit?: number } {
  const offset = single(query, 'offset');
  const limit = single(query, 'limit');
  return {
    ...(offset !== undefined && { offset: wholeNumber(offset) }),
    ...(limit !== undefined && { limit: wholeNumber(limit) }),
  };
}

/** NaN, which no check lets pass, for what is not written in digits. */
function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}
