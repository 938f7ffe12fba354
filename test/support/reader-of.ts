import type { Clock } from '../../src/base/clock.ts';
import type { CausalGraph } from '../../src/graph/causal-graph.ts';
import type { FoldLimits } from '../../src/pruning/fold.ts';
import { TaskFolds } from '../../src/pruning/task-folds.ts';
import { Reader } from '../../src/subscriptions/reader.ts';
import type { Decorate } from '../../src/subscriptions/compute-view.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';

/** Answers questions about a graph that was put together for one answer, by the rules for the one in memory. */
export function readerOf(
  graph: CausalGraph,
  options: {
    readonly clock: Clock;
    readonly decorate: Decorate;
    readonly limits: FoldLimits;
    /** By task: what was found out to be worth seeing. */
    readonly inSight?: ReadonlyMap<string, ReadonlySet<string>>;
  },
): Reader {
  const { clock, decorate, limits, inSight = new Map() } = options;
  const folds = new TaskFolds(graph, limits, clock, () => graph.takeChanges().log);
  for (const [taskId, ids] of inSight) folds.keepInSight(taskId, ids);
  return new Reader({
    source: { graph, folds },
    limits,
    sources: { sourcesOf: () => [], thoughtOf: () => ({}) },
    clock,
    metrics: noMetrics,
    decorate,
    bringUpToDate: () => {},
    prune: () => Promise.resolve(0),
    maxQueuedUpdates: 1,
    resumeWindowSeconds: 0,
    maxViewItems: Infinity,
    maxSubscriptions: 1000,
  });
}
