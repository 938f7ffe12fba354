import type { NodeEntry } from './node-entry.ts';

/** How a node is brought up to date. */
export interface SettlingSteps {
  /** Its sources changed. @returns whether its edges are to be made anew */
  readonly renew: (entry: NodeEntry) => boolean;
  /** Something that it refers to changed. @returns the node, if its edges are to be made anew */
  readonly revisit: (nodeId: string, isStale: boolean) => NodeEntry | undefined;
  /** All nodes are there: what is joined to them by time. */
  readonly join: () => void;
  readonly putEdges: (entry: NodeEntry) => void;
}

/** In which nodes the graph is behind what was taken. */
export class Unsettled {
  /** Nodes whose sources changed, and nodes of which something they refer to changed. */
  private readonly touched = new Set<NodeEntry>();
  private readonly toRevisit = new Set<string>();
  /** Of these the nodes that show something else now, though their own sources are the same. */
  private readonly stale = new Set<string>();
  /** Nodes that are up to date, and whose edges are not. */
  private readonly needEdges = new Set<NodeEntry>();

  touch(entry: NodeEntry): void {
    this.touched.add(entry);
  }

  isTouched(entry: NodeEntry): boolean {
    return this.touched.has(entry);
  }

  /** @param isStale it shows something else now */
  lookAgain(nodeId: string, isStale = false): void {
    this.toRevisit.add(nodeId);
    if (isStale) this.stale.add(nodeId);
  }

  /**
   * First the nodes, then, as all ends exist, the edges. Wherever it is interrupted, the graph is one, and the next call
   * goes on.
   * @param isLate asked after each node whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  settle(steps: SettlingSteps, isLate: () => boolean): boolean {
    do {
      if (!this.settleNodes(steps, isLate)) return false;
      steps.join();
    } while (this.touched.size + this.toRevisit.size > 0);
    return this.settleEdges(steps, isLate);
  }

  private settleNodes(steps: SettlingSteps, isLate: () => boolean): boolean {
    while (this.touched.size + this.toRevisit.size > 0) {
      for (const entry of this.touched) {
        this.touched.delete(entry);
        if (steps.renew(entry)) this.needEdges.add(entry);
        if (isLate()) return false;
      }
      for (const nodeId of this.toRevisit) {
        this.toRevisit.delete(nodeId);
        const entry = steps.revisit(nodeId, this.stale.has(nodeId));
        if (entry) this.needEdges.add(entry);
        if (isLate()) return false;
      }
    }
    this.stale.clear();
    return true;
  }

  private settleEdges(steps: SettlingSteps, isLate: () => boolean): boolean {
    for (const entry of this.needEdges) {
      this.needEdges.delete(entry);
      // It may have left meanwhile.
      if (entry.inGraph) steps.putEdges(entry);
      if (isLate()) return false;
    }
    return true;
  }
}
