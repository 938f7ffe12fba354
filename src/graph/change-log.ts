import type { ExplanationEdge } from '../model/node.ts';

/**
 * What happened to nodes and edges, in net terms: memory goes with the number of ids that changed, not with the
 * number of changes. To follow: take out what was removed, look at the nodes, put in what was added.
 */
export class ChangeLog {
  /** Tasks whose nodes, or the edges at them, changed. */
  readonly tasks = new Set<string>();
  /** Nodes that came, changed or went. */
  readonly nodes = new Set<string>();
  readonly removed = new Map<string, ExplanationEdge>();
  /** An edge that is in both was replaced by another with its id. */
  readonly added = new Map<string, ExplanationEdge>();

  get size(): number {
    return this.nodes.size + this.removed.size + this.added.size;
  }

  taskChanged(taskId: string): void {
    this.tasks.add(taskId);
  }

  nodeChanged(id: string): void {
    this.nodes.add(id);
  }

  edgeAdded(edge: ExplanationEdge): void {
    this.added.set(edge.id, edge);
  }

  edgeRemoved(edge: ExplanationEdge): void {
    // One that came and went again was never there for whoever follows.
    if (!this.added.delete(edge.id)) this.removed.set(edge.id, edge);
  }
}
