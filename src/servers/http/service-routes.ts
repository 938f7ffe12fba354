import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CellIdentity } from '../../model/cell-identity.ts';
import type { TaskCounts, ToldCells } from '../../model/told-cells.ts';
import { cellRoute, taskCountsRoute } from './cell-route.ts';
import { cellsRoute } from './cells-routes.ts';
import { jsonAnswer } from './route.ts';
import type { Route } from './route.ts';

export interface Readiness {
  readonly ready: boolean;
  /** What is missing, for people; empty when ready. */
  readonly reasons: readonly string[];
  /** What is wrong and takes nothing from what the service does, for people. */
  readonly warnings?: readonly string[];
}

export interface ServiceRouteOptions {
  readonly readiness: () => Readiness;
  /** Absent where the service can be no cell of a gateway. */
  readonly cell?: () => CellIdentity;
  /** Of a gateway; any other service has none. */
  readonly cells?: (() => Promise<ToldCells>) | undefined;
  /** Absent where the service has no tasks of its own. */
  readonly taskCounts?: (() => Promise<TaskCounts>) | undefined;
  /** Writes the whole answer, as the Prometheus exporter's own handler does. */
  readonly metrics: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
}

export function serviceRoutes(options: ServiceRouteOptions): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', needs: 'nothing', handle: () => jsonAnswer(200, { status: 'alive' }) },
    {
      method: 'GET',
      path: '/readyz',
      needs: 'monitor',
      handle: () => {
        const { ready, reasons, warnings = [] } = options.readiness();
        return jsonAnswer(ready ? 200 : 503, {
          ready,
          reasons,
          ...(warnings.length > 0 && { warnings }),
        });
      },
    },
    ...(options.cell ? [cellRoute(options.cell)] : []),
    ...(options.taskCounts ? [taskCountsRoute(options.taskCounts)] : []),
    cellsRoute(options.cells ?? (async () => ({ cells: [] }))),
    {
      method: 'GET',
      path: '/metrics',
      needs: 'monitor',
      handle: async ({ raw }, response) => {
        await options.metrics(raw, response);
        return undefined;
      },
    },
  ];
}
