import { onlyKnown, single } from './query.ts';

/** What an agent says at its stream, over HTTP or WebSocket. */
export const WAITING_QUERY = ['agent', 'taskId', 'traceId', 'instance'];

/**
 * What an agent waits for, as it says in the query of its stream, over server-sent events or a WebSocket.
 * @throws BoundaryError INVALID_ARGUMENT naming a parameter that is not known, or is there twice
 */
export function waitingOf(query: URLSearchParams): { readonly [name: string]: string | undefined } {
  onlyKnown(query, WAITING_QUERY);
  return Object.fromEntries(WAITING_QUERY.map((name) => [name, single(query, name)]));
}
