import { explainWhy } from '../analysis/why.ts';
import { findSpikes } from '../analysis/spikes.ts';
import { BoundaryError } from '../base/boundary-error.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import { summaryTask } from './expansion.ts';

/** @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND */
export function whyAnswer(graph: GraphReader, nodeId: string, lastUpdated: string): WhyAnswer {
  const node = graph.node(nodeId);
  if (node) return explainWhy(graph, node, lastUpdated);
  if (summaryTask(nodeId, graph) === undefined) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is known');
  }
  throw new BoundaryError(
    'INVALID_ARGUMENT',
    'nodeId: a summary has no cause of its own; ask about one of its members (GET /api/nodes/{id} lists them)',
  );
}

/** Of one task, or of all in memory. @throws BoundaryError NOT_FOUND */
export function spikesAnswer(graph: GraphReader, taskId: string | undefined): SpikesAnswer {
  if (taskId !== undefined && graph.nodesOfTask(taskId).size === 0) {
    throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  }
  return findSpikes(graph, taskId === undefined ? graph.taskIds() : [taskId]);
}
