import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';

/** What is in memory of a task. */
export function* taskNodes(
  graph: Pick<GraphReader, 'node' | 'nodesOfTask'>,
  taskId: string,
): Generator<ExplanationNode> {
  for (const id of graph.nodesOfTask(taskId)) {
    const node = graph.node(id);
    if (node) yield node;
  }
}
