import type { GraphReader } from '../graph/graph-reader.ts';
import { structureOf } from './structure-node.ts';

/** The graph with nodes without texts: what is worked out from it can tell nothing of them. */
export function structureGraph(graph: GraphReader): GraphReader {
  return {
    get nodeCount() {
      return graph.nodeCount;
    },
    get edgeCount() {
      return graph.edgeCount;
    },
    node: (id) => {
      const node = graph.node(id);
      return node && structureOf(node);
    },
    inEdges: (id) => graph.inEdges(id),
    outEdges: (id) => graph.outEdges(id),
    treeParent: (id) => graph.treeParent(id),
    taskIds: () => graph.taskIds(),
    nodesOfTask: (taskId) => graph.nodesOfTask(taskId),
    tasksAfter: (taskId) => graph.tasksAfter(taskId),
  };
}
