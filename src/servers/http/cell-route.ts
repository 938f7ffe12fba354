import type { CellIdentity } from '../../model/cell-identity.ts';
import type { TaskCounts } from '../../model/told-cells.ts';
import { jsonAnswer, type Route } from './route.ts';

/** What a gateway asks its cells all the time; of the whole service, so whoever may monitor it may ask. */
export function cellRoute(cell: () => CellIdentity): Route {
  return { method: 'GET', path: '/api/cell', needs: 'monitor', handle: () => jsonAnswer(200, cell()) };
}

/** By which it is known when a cell may be stopped that is to be taken out; it is asked for when somebody wants to know. */
export function taskCountsRoute(counts: () => Promise<TaskCounts>): Route {
  return {
    method: 'GET',
    path: '/api/cell/tasks',
    needs: 'monitor',
    handle: async () => jsonAnswer(200, await counts()),
  };
}
