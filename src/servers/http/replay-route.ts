import type { Principal } from '../../access/principal.ts';
import type { ReplayStarted } from '../../model/replay.ts';
import { readObject } from './read-object.ts';
import { jsonAnswer, type Route } from './route.ts';

/** Begins a replay. `request`: `{ taskId, speed? }`, unchecked. @throws BoundaryError */
export type ReplayHandler = (
  request: { readonly [key: string]: unknown },
  by: Principal,
) => Promise<ReplayStarted>;

export function replayRoute(handle: ReplayHandler): Route {
  return {
    method: 'POST',
    path: '/api/replay',
    needs: 'operate',
    query: [],
    handle: async ({ body, principal }) =>
      jsonAnswer(200, await handle(readObject(await body(), '{"taskId": "…", "speed": 10}'), principal)),
  };
}
