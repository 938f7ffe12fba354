import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { CellSet } from './cells/cell-set.ts';
import { outcomes } from './answers/ask-cells.ts';
import type { AskedCell } from './answers/asked-cell.ts';
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
    cells: (detail) => cells.asked({ project, level: detail ?? 'operate' }),
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
    mayHaveTask: (taskId) => mayHaveTask(cells.asked({ project, level: 'texts' }), taskId, clock),
  });
  const held = subscriptions.subscriptions;
  return {
    subscriptions,
    reader: {
      subscribe: (request, sink, requestId) => held.subscribe(request, sink, requestId),
      updateFilters: (id, filters, requestId) => held.updateFilters(id, filters, requestId),
      expand: (id, nodeId, requestId) => held.expand(id, nodeId, requestId),
      collapse: (id, nodeId, requestId) => held.collapse(id, nodeId, requestId),
      expandTask: (id, taskId, requestId) => held.expandTask(id, taskId, requestId),
      unsubscribe: (id) => held.unsubscribe(id),
      getGraph: (request, isWanted, detail) => answers.getGraph(request, isWanted, detail),
      getNode: (nodeId, page) => answers.getNode(nodeId, page),
      listTasks: (query) => answers.listTasks(query),
      search: (query) => answers.search(query),
      why: (question, detail) => answers.why(question, detail),
      spikes: (taskId) => answers.spikes(taskId),
      compare: (question, detail) => answers.compare(question, detail),
      summary: (taskId, detail) => answers.summary(taskId, detail),
      patterns: (filters, detail) => answers.patterns(filters, detail),
      adaptationEffect: (timeline) => answers.adaptationEffect(timeline),
      prune: (olderThanMinutes) => answers.prune(olderThanMinutes),
    },
  };
}

/** Does a cell have this task, or may one that does not answer? */
async function mayHaveTask(cells: readonly AskedCell[], taskId: string, clock: Clock): Promise<boolean> {
  const asked = { taskIds: [taskId] };
  const { answers, failures } = await outcomes(cells, (of) => of.findTasks(asked), clock, 'own');
  return failures.length > 0 || answers.some(({ answer }) => answer.tasks.length > 0);
}
