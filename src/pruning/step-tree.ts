import { assert } from '../base/assert.ts';
import { byEvidence } from '../graph/acyclic-edges.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { endOf } from '../model/failure.ts';
import { borderOf, joinBorders } from './border.ts';
import { branchOf, endedLater, kidsByStart, type Branch, type Entry } from './entry.ts';
import { markDirty } from './sums.ts';

/** Told of what folding has to look at again. */
export interface TreeListener {
  /** The siblings change, or the step among them: it leaves what they have in common. */
  leaving(entry: Entry): void;
  /** What is above it, or how it is joined, changed. */
  changed(entry: Entry): void;
  /** The node is new, another, or about to go; it hangs where it hangs. */
  content(entry: Entry, isThere: boolean): void;
  /** It hangs elsewhere, with all that is below it. */
  moved(entry: Entry, before: Branch, after: Branch): void;
}

/** Can the edge be one of the tree's? */
export function isTreeEdge(edge: ExplanationEdge): boolean {
  return edge.evidence === 'parentSpanId' && edge.relation === 'NEXT_STEP';
}

/** Trees of steps. What is summed up at their branches is marked as dirty where something changes. */
export class StepTree {
  private readonly entries: ReadonlyMap<string, Entry>;
  private readonly listener: TreeListener;

  constructor(entries: ReadonlyMap<string, Entry>, listener: TreeListener) {
    this.entries = entries;
    this.listener = listener;
  }

  /** A new node, joined with nothing. */
  plant(entry: Entry): void {
    enter(entry, entry.task);
    entry.task.unfolded.add(entry);
    this.listener.content(entry, true);
    this.listener.changed(entry);
  }

  /** A node that is joined with nothing goes. */
  uproot(entry: Entry): void {
    this.listener.content(entry, false);
    this.listener.leaving(entry);
    leave(entry, entry.task);
    entry.task.unfolded.delete(entry);
    entry.task.version++;
  }

  /** Its content changed, not its task. */
  replace(entry: Entry, node: ExplanationNode): void {
    this.listener.leaving(entry);
    const branch = branchOf(entry);
    const moves = node.timestamp !== entry.node.timestamp;
    if (moves) branch.kids?.delete(entry);
    entry.node = node;
    const end = endOf(node);
    if (branch.lastKid === entry && end < entry.end) branch.lastKid = undefined;
    entry.end = end;
    if (branch.lastKid && endedLater(entry, branch.lastKid)) branch.lastKid = entry;
    if (moves) branch.kids?.add(entry);
    markDirty(entry);
    this.listener.content(entry, true);
    this.listener.changed(entry);
  }

  /** An edge between two steps of one task. */
  link(edge: ExplanationEdge, from: Entry, to: Entry): void {
    to.ins.push(edge);
    to.task.edges++;
    if (isTreeEdge(edge) && (!to.treeEdge || byEvidence(edge, to.treeEdge) < 0)) this.hang(to, edge, from);
    else this.addExtra(edge, from, to);
    this.listener.changed(to);
    this.listener.changed(from);
  }

  /** @param edge between two steps of one task, that was linked */
  unlink(edge: ExplanationEdge, from: Entry, to: Entry): void {
    this.takeIn(edge, to);
    if (to.treeEdge === edge) {
      const next = bestTreeEdge(to, this.entries);
      this.hang(to, next, next && this.entries.get(next.from));
    } else this.removeExtra(edge, from, to);
    this.listener.changed(to);
    this.listener.changed(from);
  }

  /** An edge into a step from another task. */
  linkIn(edge: ExplanationEdge, to: Entry): void {
    to.ins.push(edge);
    to.task.edges++;
    to.task.abroad.add(edge);
    turnOver(edge, to);
    this.listener.changed(to);
  }

  unlinkIn(edge: ExplanationEdge, to: Entry): void {
    this.takeIn(edge, to);
    to.task.abroad.delete(edge);
    turnOver(edge, to);
    this.listener.changed(to);
  }

  /** An edge out of a step to another task. */
  linkOut(edge: ExplanationEdge, from: Entry): void {
    (from.extra ??= new Set()).add(edge);
    from.task.abroad.add(edge);
    turnOver(edge, from);
    this.listener.changed(from);
  }

  unlinkOut(edge: ExplanationEdge, from: Entry): void {
    dropExtra(edge, from);
    from.task.abroad.delete(edge);
    turnOver(edge, from);
    this.listener.changed(from);
  }

  private takeIn(edge: ExplanationEdge, to: Entry): void {
    const place = to.ins.indexOf(edge);
    assert(place >= 0, 'only what was linked is unlinked');
    to.ins.splice(place, 1);
    to.task.edges--;
  }

  /** The nodes that hang below change their place in the tree: all of them with one step. */
  private hang(entry: Entry, edge: ExplanationEdge | undefined, parent: Entry | undefined): void {
    const old = { edge: entry.treeEdge, parent: entry.parent };
    if (edge && parent?.extra?.has(edge)) this.removeExtra(edge, parent, entry);
    this.listener.leaving(entry);
    const before = branchOf(entry);
    leave(entry, before);
    if (old.parent) shrink(old.parent);
    entry.parent = parent;
    entry.treeEdge = edge;
    if (parent) parent.kids ??= kidsByStart();
    const after = branchOf(entry);
    enter(entry, after);
    this.listener.moved(entry, before, after);
    const isStillThere = old.edge && entry.ins.includes(old.edge);
    if (old.edge && old.parent && isStillThere) this.addExtra(old.edge, old.parent, entry);
    this.listener.changed(entry);
  }

  private addExtra(edge: ExplanationEdge, from: Entry, to: Entry): void {
    (from.extra ??= new Set()).add(edge);
    turnOver(edge, from);
    turnOver(edge, to);
  }

  private removeExtra(edge: ExplanationEdge, from: Entry, to: Entry): void {
    dropExtra(edge, from);
    turnOver(edge, from);
    turnOver(edge, to);
  }
}

/** Of the edges into a step the one by which it hangs in the tree of its task. */
export function bestTreeEdge(entry: Entry, entries: ReadonlyMap<string, Entry>): ExplanationEdge | undefined {
  let best: ExplanationEdge | undefined;
  for (const edge of entry.ins) {
    if (!isTreeEdge(edge) || entries.get(edge.from)?.task !== entry.task) continue;
    if (!best || byEvidence(edge, best) < 0) best = edge;
  }
  return best;
}

/** An edge beside the tree comes to one of its ends, or goes. */
export function turnOver(edge: ExplanationEdge, end: Entry): void {
  end.ownBorder = joinBorders(end.ownBorder, borderOf(edge));
  markDirty(end);
}

function dropExtra(edge: ExplanationEdge, from: Entry): void {
  from.extra?.delete(edge);
  if (from.extra?.size === 0) from.extra = undefined;
}

function enter(entry: Entry, branch: Branch): void {
  branch.kids?.add(entry);
  markDirty(branch);
  if (branch.lastKid && endedLater(entry, branch.lastKid)) branch.lastKid = entry;
}

function leave(entry: Entry, branch: Branch): void {
  branch.kids?.delete(entry);
  markDirty(branch);
  if (branch.lastKid === entry) branch.lastKid = undefined;
  entry.chunk = undefined;
}

/** Nothing hangs below it any more? */
function shrink(entry: Entry): void {
  if (!entry.kids || entry.kids.size > 0) return;
  entry.kids = undefined;
  entry.lastKid = undefined;
}
