import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CellIdentity } from '../../model/cell-identity.ts';
import type { TaskCounts, ToldCells } from '../../model/told-cells.ts';
import { jsonAnswer, type Route } from './route.ts';

export interface Readiness {
  readonly ready: boolean;
  /** What is missing, for people; empty when ready. */
  readonly reasons: readonly string[];
  /** What is wrong and takes nothing from what the service does, for people. */
  readonly warnings?: readonly string[];
}

export interface ServiceRouteOptions {
  readonly readiness: () => Readiness;
  /** What a gateway asks all the time; absent where the service can be no cell of one. */
  readonly cell?: () => CellIdentity;
  /** Of a gateway; any other service has none. */
  readonly cells?: (() => Promise<ToldCells>) | undefined;
  /** By which it is known when a cell may be stopped; absent where the service has no tasks of its own. */
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
    ...(options.cell ? [monitored('/api/cell', options.cell)] : []),
    ...(options.taskCounts ? [monitored('/api/cell/tasks', options.taskCounts)] : []),
    monitored('/api/cells', options.cells ?? (() => ({ cells: [] }))),
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

/** Told of the whole service, so to whoever may monitor it. */
function monitored(path: string, value: () => unknown): Route {
  return { method: 'GET', path, needs: 'monitor', handle: async () => jsonAnswer(200, await value()) };
}
