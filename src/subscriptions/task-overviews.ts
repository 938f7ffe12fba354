import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskOverview } from '../model/reader-messages.ts';

/** All tasks in memory, the most recent first. */
export function taskOverviews(graph: GraphReader): TaskOverview[] {
  const overviews: TaskOverview[] = [];
  for (const taskId of graph.taskIds()) {
    const nodes = [...graph.nodesOfTask(taskId)]
      .map((id) => graph.node(id))
      .filter((node) => node !== undefined);
    if (nodes.length > 0) overviews.push(overview(taskId, nodes));
  }
  return overviews.sort((a, b) =>
    a.lastTimestamp !== b.lastTimestamp
      ? a.lastTimestamp < b.lastTimestamp
        ? 1
        : -1
      : a.taskId < b.taskId
        ? -1
        : 1,
  );
}

function overview(taskId: string, nodes: readonly ExplanationNode[]): TaskOverview {
  // Containers repeat the figures of the calls inside them, so only calls are counted.
  const calls = nodes.filter((node) => node.type === 'LLM_CALL');
  const tokensIn = total(calls, (node) => node.tokensIn);
  const tokensOut = total(calls, (node) => node.tokensOut);
  const costUsd = total(calls, (node) => node.costUsd);
  const timestamps = nodes.map((node) => node.timestamp).sort();
  return {
    taskId,
    nodes: nodes.length,
    errors: nodes.filter((node) => node.status === 'ERROR').length,
    running: nodes.filter((node) => node.state === 'RUNNING').length,
    ...(tokensIn !== undefined && { tokensIn }),
    ...(tokensOut !== undefined && { tokensOut }),
    ...(costUsd !== undefined && { costUsd }),
    firstTimestamp: timestamps[0] ?? '',
    lastTimestamp: timestamps.at(-1) ?? '',
    agents: [...new Set(nodes.map((node) => node.agent))].sort(),
  };
}

function total(
  nodes: readonly ExplanationNode[],
  pick: (node: ExplanationNode) => number | undefined,
): number | undefined {
  const values = nodes.map(pick).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : values.sort((a, b) => a - b).reduce((a, b) => a + b, 0);
}
