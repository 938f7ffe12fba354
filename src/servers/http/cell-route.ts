import type { CellIdentity } from '../../model/cell-identity.ts';
import { jsonAnswer, type Route } from './route.ts';

/** What a gateway asks its cells all the time; of the whole service, so whoever may monitor it may ask. */
export function cellRoute(cell: () => CellIdentity): Route {
  return { method: 'GET', path: '/api/cell', needs: 'monitor', handle: () => jsonAnswer(200, cell()) };
}
