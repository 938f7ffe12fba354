import type { IsOver } from '../base/in-turns.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';

/** Where correlation puts what it finds: the graph. */
export interface GraphSink {
  node(id: string): ExplanationNode | undefined;
  /** Adds a node, or replaces the one of the same id. */
  putNode(node: ExplanationNode): void;
  /** Takes a node out with all its edges. */
  dropNode(id: string): void;
  /** Says which edges lead into a node, in place of those said before. Both ends of each exist. */
  putInEdges(target: string, edges: readonly ExplanationEdge[]): void;
  /** Decides which edges stay where they form cycles. @returns whether nothing is left for the next call */
  untangle(isLate: IsOver): boolean;
}
