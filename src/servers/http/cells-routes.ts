import type { SplitReport, ToldCells } from '../../model/told-cells.ts';
import { jsonAnswer, type Route } from './route.ts';

/** How each cell of a gateway is; of the whole, so whoever may monitor it may ask. */
export function cellsRoute(cells: () => Promise<ToldCells>): Route {
  return {
    method: 'GET',
    path: '/api/cells',
    needs: 'monitor',
    handle: async () => jsonAnswer(200, await cells()),
  };
}

/** Which limits of several cells the newest tasks of a project meet: ids and counts, no texts. */
export function splitRoute(split: () => Promise<SplitReport>): Route {
  return {
    method: 'GET',
    path: '/api/cells/split',
    needs: 'see',
    handle: async () => jsonAnswer(200, await split()),
  };
}
