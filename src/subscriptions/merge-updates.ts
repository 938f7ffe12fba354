import type { ExplanationEdge, ExplanationNode, GraphUpdate } from '../model/node.ts';

/**
 * Updates that a slow reader has not been sent yet, merged into one: applying the merged update equals
 * applying them in order. Per id only the last word is kept, so memory is bounded by the number of ids.
 */
export class PendingUpdate {
  private readonly nodes = new Map<string, ExplanationNode | undefined>();
  private readonly edges = new Map<string, ExplanationEdge | { readonly gone: ExplanationEdgeId }>();
  private timestamp = '';
  private notices: readonly string[] | undefined;

  /** How many ids are held; notices count as one. */
  get size(): number {
    return this.nodes.size + this.edges.size + (this.notices ? 1 : 0);
  }

  add(update: GraphUpdate): void {
    this.timestamp = update.timestamp;
    this.notices = update.notices ?? this.notices;
    for (const id of update.removedNodeIds) this.nodes.set(id, undefined);
    for (const edge of update.removedEdgeIds) this.edges.set(edge.id, { gone: edge });
    for (const node of update.addedNodes) this.nodes.set(node.id, node);
    for (const edge of update.addedEdges) this.edges.set(edge.id, edge);
  }

  /** The merged update; undefined when nothing is pending. */
  build(): GraphUpdate | undefined {
    if (this.size === 0) return undefined;
    const addedNodes: ExplanationNode[] = [];
    const removedNodeIds: string[] = [];
    for (const [id, node] of this.nodes) {
      if (node) addedNodes.push(node);
      else removedNodeIds.push(id);
    }
    const addedEdges: ExplanationEdge[] = [];
    const removedEdgeIds: ExplanationEdgeId[] = [];
    for (const edge of this.edges.values()) {
      if ('gone' in edge) removedEdgeIds.push(edge.gone);
      else addedEdges.push(edge);
    }
    const { timestamp, notices } = this;
    return { addedNodes, removedNodeIds, addedEdges, removedEdgeIds, timestamp, ...(notices && { notices }) };
  }
}

type ExplanationEdgeId = GraphUpdate['removedEdgeIds'][number];
