import type { SplitReport } from '../../model/told-cells.ts';
import { jsonAnswer, type Route } from './route.ts';

/** Which limits of several cells the newest tasks of a project meet: ids and counts, no texts. */
export function splitRoute(split: () => Promise<SplitReport>): Route {
  return {
    method: 'GET',
    path: '/api/cells/split',
    needs: 'see',
    handle: async () => jsonAnswer(200, await split()),
  };
}
