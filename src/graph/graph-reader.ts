import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';

/** The read-only face of the graph: all that views and exporters see of it. */
export interface GraphReader {
  readonly nodeCount: number;
  readonly edgeCount: number;
  node(id: string): ExplanationNode | undefined;
  /** Edges into a node; empty for an unknown one. Do not change the graph while iterating. */
  inEdges(id: string): readonly ExplanationEdge[];
  outEdges(id: string): readonly ExplanationEdge[];
  /** The node above in the tree of parentSpanId edges: of several, which contain one another, the innermost. */
  treeParent(id: string): string | undefined;
  taskIds(): Iterable<string>;
  nodesOfTask(taskId: string): ReadonlySet<string>;
  /** Tasks that an edge from this task's nodes leads into, itself excluded. */
  tasksAfter(taskId: string): Iterable<string>;
}
