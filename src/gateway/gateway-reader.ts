import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { CellSet } from './cells/cell-set.ts';
import { GatewayAnswers } from './answers/gateway-answers.ts';
import { GatewaySubscriptions } from './views/gateway-subscriptions.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { CELL_TIMING } from './cells/connect-cell.ts';

export interface GatewayReaderOptions {
  readonly config: Pick<ServiceConfig, 'maxQueuedUpdates' | 'resumeWindowSeconds' | 'maxSubscriptions'>;
  /** Nodes and edges that all views may hold. */
  readonly maxViewItems: number;
  readonly project: string;
  readonly cells: CellSet;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly metrics: OwnMetrics;
}

/** Answers the readers of a project over all cells. */
export function gatewayReader({
  config,
  maxViewItems,
  project,
  cells,
  clock,
  pace,
  metrics,
}: GatewayReaderOptions): {
  readonly reader: ReaderApi;
  readonly subscriptions: GatewaySubscriptions;
} {
  const answers = new GatewayAnswers({
    cells: (detail) =>
      cells
        .all()
        .map((cell) => ({ name: cell.name, answers: cell.as({ project, level: detail ?? 'operate' }) })),
    clock,
    pace: pace.of('readers'),
  });
  const { maxQueuedUpdates, resumeWindowSeconds, maxSubscriptions } = config;
  const subscriptions = new GatewaySubscriptions({
    project,
    cells: () => cells.all(),
    clock,
    timing: CELL_TIMING,
    pace: pace.of('readers'),
    metrics,
    maxQueuedUpdates,
    resumeWindowSeconds,
    maxSubscriptions,
    maxViewItems,
    mayHaveTask: (taskId) => mayHaveTask(cells, project, taskId),
  });
  const { subscribe, updateFilters, expand, collapse, expandTask, unsubscribe } = subscriptions;
  const bound = Object.fromEntries(
    ANSWERS.map((name) => [
      name,
      (...asked: readonly unknown[]) => Reflect.apply(answers[name], answers, asked),
    ]),
  ) as Pick<ReaderApi, (typeof ANSWERS)[number]>;
  return {
    subscriptions,
    reader: { ...bound, subscribe, updateFilters, expand, collapse, expandTask, unsubscribe },
  };
}

/** Does a cell have this task, or one that does not answer? */
async function mayHaveTask(cells: CellSet, project: string, taskId: string): Promise<boolean> {
  const asked = cells.all().map(async (cell) => {
    const { tasks } = await cell.as({ project, level: 'texts' }).findTasks({ taskIds: [taskId] });
    return tasks.length > 0;
  });
  const answers = await Promise.allSettled(asked);
  return answers.some((answer) => answer.status === 'rejected' || answer.value);
}

const ANSWERS = [
  'getGraph',
  'getNode',
  'listTasks',
  'search',
  'why',
  'spikes',
  'compare',
  'summary',
  'patterns',
  'adaptationEffect',
  'prune',
] as const satisfies readonly (keyof ReaderApi)[];
