import type { IsOver } from '../base/in-turns.ts';
import type { NodeEntry } from './node-entry.ts';
import type { Tracker } from './tracker.ts';

/** How a node is brought up to date. */
export interface SettlingSteps {
  /** Records go to the nodes where they belong now. @returns whether all have */
  readonly place: (isLate: IsOver) => boolean;
  /** The node that it inherits from. */
  readonly parentOf: (entry: NodeEntry) => NodeEntry | undefined;
  /** Its sources changed. @returns whether its edges are to be made anew */
  readonly renew: (entry: NodeEntry) => boolean;
  /** Something that it read changed. @returns whether its edges are to be made anew */
  readonly revisit: (entry: NodeEntry, isStale: boolean) => boolean;
  readonly putEdges: (entry: NodeEntry) => void;
}

/** In which nodes the graph is behind what was taken. */
export class Unsettled {
  /** Nodes whose sources changed, and nodes of which something they refer to changed. */
  private readonly touched = new Set<NodeEntry>();
  private readonly toRevisit = new Set<NodeEntry>();
  /** Of these the nodes that show something else now. */
  private readonly stale = new Set<NodeEntry>();
  /** Nodes that are up to date, and whose edges are not. */
  private readonly needEdges = new Set<NodeEntry>();

  private readonly tracker: Tracker;

  constructor(tracker: Tracker) {
    this.tracker = tracker;
  }

  /** Its sources changed. */
  touch(entry: NodeEntry): void {
    entry.ordered = undefined;
    this.touched.add(entry);
  }

  /** It shows something else now, though its sources are the same. */
  showsOther(entry: NodeEntry): void {
    this.stale.add(entry);
    this.toRevisit.add(entry);
  }

  /**
   * First the nodes, then, as all ends exist, the edges. Wherever it is interrupted, the graph is one, and the next call
   * goes on.
   * @param isLate asked after each node whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  settle(steps: SettlingSteps, isLate: IsOver): boolean {
    do {
      if (!steps.place(isLate)) return false;
      if (!this.settleNodes(steps, isLate)) return false;
    } while (this.isBehind);
    return this.settleEdges(steps, isLate);
  }

  private get isBehind(): boolean {
    return this.touched.size + this.toRevisit.size > 0 || this.tracker.hasChanges;
  }

  private settleNodes(steps: SettlingSteps, isLate: IsOver): boolean {
    while (this.isBehind) {
      for (const entry of this.tracker.takeDirty()) this.toRevisit.add(entry);
      for (const entry of this.touched) {
        for (const next of [...this.lineTo(entry, steps)].reverse()) {
          this.touched.delete(next);
          this.toRevisit.delete(next);
          if (steps.renew(next)) this.needEdges.add(next);
          if (isLate()) return false;
        }
      }
      for (const entry of this.toRevisit) {
        this.toRevisit.delete(entry);
        if (steps.revisit(entry, this.stale.has(entry))) this.needEdges.add(entry);
        if (isLate()) return false;
      }
    }
    this.stale.clear();
    return true;
  }

  /** A node and those above it that are to be made anew as well: made from the top, what they pass on is read once. */
  private lineTo(entry: NodeEntry, steps: SettlingSteps): Set<NodeEntry> {
    const line = new Set([entry]);
    for (let at = steps.parentOf(entry); at && this.touched.has(at) && !line.has(at); at = steps.parentOf(at))
      line.add(at);
    return line;
  }

  private settleEdges(steps: SettlingSteps, isLate: IsOver): boolean {
    for (const entry of this.needEdges) {
      this.needEdges.delete(entry);
      // It may have left meanwhile.
      if (entry.inGraph) steps.putEdges(entry);
      if (isLate()) return false;
    }
    return true;
  }
}
