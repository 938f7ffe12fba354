import type { TaskOverview } from '../model/reader-messages.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';

/** All tasks in memory, the most recent first. */
export function taskOverviews(graph: GraphReader, folds: TaskFolds): TaskOverview[] {
  const overviews: TaskOverview[] = [];
  for (const taskId of graph.taskIds()) {
    const figures = folds.figuresOf(taskId);
    if (!figures) continue;
    const { totals, firstTimestamp, lastTimestamp } = figures;
    const { tokensIn, tokensOut, costUsd } = totals;
    overviews.push({
      taskId,
      nodes: totals.members,
      errors: totals.statuses.ERROR,
      running: totals.running,
      ...(tokensIn !== undefined && { tokensIn }),
      ...(tokensOut !== undefined && { tokensOut }),
      ...(costUsd !== undefined && { costUsd }),
      firstTimestamp,
      lastTimestamp,
      agents: [...totals.agents.keys()].sort(),
    });
  }
  return overviews.sort((a, b) => compare(b.lastTimestamp, a.lastTimestamp) || compare(a.taskId, b.taskId));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
