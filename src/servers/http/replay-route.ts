import type { Principal } from '../../access/principal.ts';
import type { ReplayStarted } from '../../model/replay.ts';
import { jsonRoute, type Route } from './route.ts';

/** Begins a replay. `request`: `{ taskId, speed? }`, unchecked. @throws BoundaryError */
export type ReplayHandler = (
  request: { readonly [key: string]: unknown },
  by: Principal,
) => Promise<ReplayStarted>;

export function replayRoute(handle: ReplayHandler): Route {
  return jsonRoute('POST /api/replay', 'operate', async ({ given, principal }) =>
    handle(await given('{"taskId": "…", "speed": 10}'), principal),
  );
}
