import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from './node.ts';

/**
 * A graph by all of its updates: as `applyUpdate` one after the other, at a cost that is in proportion to what they hold.
 * Edges are removed by their ids.
 */
export class ToldGraph {
  private readonly nodes = new Map<unknown, ExplanationNode>();
  private readonly edges = new Map<unknown, { readonly edge: ExplanationEdge; readonly update: number }>();
  /** By node: the last update that removed it, and with it the edges that it had. */
  private readonly removals = new Map<unknown, number>();
  private updates = 0;

  apply(update: {
    readonly addedNodes: readonly ExplanationNode[];
    readonly addedEdges: readonly ExplanationEdge[];
    readonly removedNodeIds: readonly unknown[];
    readonly removedEdgeIds: readonly unknown[];
  }): void {
    const number = this.updates++;
    for (const id of update.removedNodeIds) if (this.nodes.delete(id)) this.removals.set(id, number);
    for (const id of update.removedEdgeIds) this.edges.delete(id);
    for (const node of update.addedNodes) this.nodes.set(node.id, node);
    for (const edge of update.addedEdges)
      if (this.nodes.has(edge.from) && this.nodes.has(edge.to))
        this.edges.set(edge.id, { edge, update: number });
  }

  graph(): ExplanationGraph {
    const holds = (id: string, since: number): boolean =>
      this.nodes.has(id) && (this.removals.get(id) ?? 0) <= since;
    const edges = [...this.edges.values()].filter(
      ({ edge: { from, to }, update }) => holds(from, update) && holds(to, update),
    );
    return { nodes: [...this.nodes.values()], edges: edges.map(({ edge }) => edge), lastUpdated: '' };
  }
}
