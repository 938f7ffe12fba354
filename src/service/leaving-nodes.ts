import type { IsOver } from '../base/in-turns.ts';
import type { GraphSink } from '../correlation/graph-sink.ts';
import type { CausalGraph } from '../graph/causal-graph.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';

/** A node as it was when it left the graph. */
export interface LeftNode {
  readonly node: ExplanationNode;
  readonly edges: readonly ExplanationEdge[];
}

/**
 * The graph as correlation writes it. While somebody watches, each node that is taken out is noted with its edges:
 * nodes that were derived from others leave with them, and nobody else knows which those are.
 */
export class LeavingNodes implements GraphSink {
  private readonly graph: CausalGraph;
  private left: Map<string, LeftNode> | undefined;

  constructor(graph: CausalGraph) {
    this.graph = graph;
  }

  /** The nodes that are taken out by `work` and not put in again. */
  during(work: () => void): readonly LeftNode[] {
    const left = (this.left = new Map<string, LeftNode>());
    try {
      work();
    } finally {
      this.left = undefined;
    }
    return [...left.values()];
  }

  node(id: string): ExplanationNode | undefined {
    return this.graph.node(id);
  }

  putNode(node: ExplanationNode): void {
    this.left?.delete(node.id);
    this.graph.putNode(node);
  }

  dropNode(id: string): void {
    const node = this.left && this.graph.node(id);
    if (node) this.left?.set(id, { node, edges: [...this.graph.inEdges(id), ...this.graph.outEdges(id)] });
    this.graph.dropNode(id);
  }

  putInEdges(target: string, edges: readonly ExplanationEdge[]): void {
    this.graph.putInEdges(target, edges);
  }

  untangle(isLate: IsOver): boolean {
    return this.graph.untangle(isLate);
  }
}
