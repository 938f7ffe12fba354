import { searchQuerySchema } from '../../model/search.ts';
import { taskQuerySchema } from '../../model/task-query.ts';
import { listOf, single } from '../query.ts';

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

export const SEARCH_QUERY = Object.keys(searchQuerySchema.shape);

/** For `ReaderApi.search`, which checks the values. @throws BoundaryError INVALID_ARGUMENT when one is given twice */
export function searchQueryOf(query: URLSearchParams): object {
  return queryOf(query, SEARCH_QUERY);
}

export const TASK_QUERY = Object.keys(taskQuerySchema.shape);

/**
 * For `ReaderApi.listTasks`, which checks the values; ids of tasks are comma-separated or repeated.
 * @throws BoundaryError INVALID_ARGUMENT when another one is given twice
 */
export function taskQueryOf(query: URLSearchParams): object {
  const rest = queryOf(
    query,
    TASK_QUERY.filter((name) => name !== 'taskIds'),
  );
  return query.has('taskIds') ? { ...rest, taskIds: listOf(query, 'taskIds') } : rest;
}

function queryOf(query: URLSearchParams, names: readonly string[]): object {
  const given = Object.fromEntries(names.map((name) => [name, single(query, name)]));
  return { ...given, ...(given['limit'] !== undefined && { limit: wholeNumber(given['limit']) }) };
}

/** NaN, which no check lets pass, for what is not written in digits. */
function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}
