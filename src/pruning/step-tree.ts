import { assert } from '../base/assert.ts';
import { byEvidence } from '../graph/acyclic-edges.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { branchOf, crossingOf, endedLater, endOf, kidsByStart, type Branch, type Entry } from './entry.ts';
import { Totals } from './totals.ts';

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
function isTreeEdge(edge: ExplanationEdge): boolean {
  return edge.evidence === 'parentSpanId' && edge.relation === 'NEXT_STEP';
}

/**
 * Trees of steps with sums at every branch. Each step costs as much as it is deep, whatever the size of the tree.
 * Of the edges beside the tree each branch knows those that cross its border: an edge is turned over (in, or out
 * again) at every branch above either end, so above both ends it is out.
 */
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
    this.addUp(entry, entry.task, 1);
    entry.task.unfolded.add(entry);
    entry.task.starts.came(entry.node.timestamp);
    this.listener.content(entry, true);
    this.listener.changed(entry);
  }

  /** A node that is joined with nothing goes. */
  uproot(entry: Entry): void {
    this.listener.content(entry, false);
    this.listener.leaving(entry);
    leave(entry, entry.task);
    this.addUp(entry, entry.task, -1);
    entry.task.unfolded.delete(entry);
    entry.task.starts.went(entry.node.timestamp);
    entry.task.version++;
  }

  /** Its content changed, not its task. */
  replace(entry: Entry, node: ExplanationNode): void {
    this.listener.leaving(entry);
    const branch = branchOf(entry);
    const moves = node.timestamp !== entry.node.timestamp;
    if (moves) branch.kids?.delete(entry);
    if (moves) {
      entry.task.starts.went(entry.node.timestamp);
      entry.task.starts.came(node.timestamp);
    }
    const difference = Totals.of(node).addNode(entry.node, -1);
    entry.node = node;
    const end = endOf(node);
    if (branch.lastKid === entry && end < entry.end) branch.lastKid = undefined;
    entry.end = end;
    if (branch.lastKid && endedLater(entry, branch.lastKid)) branch.lastKid = entry;
    if (moves) branch.kids?.add(entry);
    entry.totals?.add(difference, 1);
    touch(entry);
    this.walkUp(entry, (above) => {
      if (above !== entry) above.totals?.add(difference, 1);
    });
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
    this.turnOverFrom(edge, to, false);
    this.listener.changed(to);
  }

  unlinkIn(edge: ExplanationEdge, to: Entry): void {
    this.takeIn(edge, to);
    this.turnOverFrom(edge, to, false);
    this.listener.changed(to);
  }

  /** An edge out of a step to another task. */
  linkOut(edge: ExplanationEdge, from: Entry): void {
    (from.extra ??= new Set()).add(edge);
    this.turnOverFrom(edge, from, false);
    this.listener.changed(from);
  }

  unlinkOut(edge: ExplanationEdge, from: Entry): void {
    dropExtra(edge, from);
    this.turnOverFrom(edge, from, false);
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
    const crossing = [...crossingOf(entry)].filter((held) => held !== edge);
    for (const held of crossing) this.walkUp(before, (above) => turnOver(above, held));
    leave(entry, before);
    this.addUp(entry, before, -1);
    if (old.parent) shrink(old.parent);
    entry.parent = parent;
    entry.treeEdge = edge;
    if (parent) grow(parent);
    const after = branchOf(entry);
    enter(entry, after);
    this.addUp(entry, after, 1);
    for (const held of crossing) this.walkUp(after, (above) => turnOver(above, held));
    this.listener.moved(entry, before, after);
    const isStillThere = old.edge && entry.ins.includes(old.edge);
    if (old.edge && old.parent && isStillThere) this.addExtra(old.edge, old.parent, entry);
    this.listener.changed(entry);
  }

  private addExtra(edge: ExplanationEdge, from: Entry, to: Entry): void {
    (from.extra ??= new Set()).add(edge);
    this.turnOverAlong(edge, from, to);
  }

  private removeExtra(edge: ExplanationEdge, from: Entry, to: Entry): void {
    dropExtra(edge, from);
    this.turnOverAlong(edge, from, to);
  }

  private turnOverAlong(edge: ExplanationEdge, from: Entry, to: Entry): void {
    // Neighbours, the usual case: everything above them has both ends.
    const alike = branchOf(from) === branchOf(to);
    this.turnOverFrom(edge, from, alike);
    this.turnOverFrom(edge, to, alike);
  }

  /** @param onlyHere not at what is above */
  private turnOverFrom(edge: ExplanationEdge, end: Entry, onlyHere: boolean): void {
    touch(end);
    turnOver(end, edge);
    this.stamp(end);
    this.walkUp(branchOf(end), onlyHere ? () => {} : (at) => turnOver(at, edge));
  }

  private addUp(entry: Entry, branch: Branch, sign: 1 | -1): void {
    const { totals, node } = entry;
    this.walkUp(branch, (above) => {
      if (totals) above.totals?.add(totals, sign);
      else above.totals?.addNode(node, sign);
    });
  }

  /** From a branch up to its task. What was noted of the siblings on the way holds no more. */
  private walkUp(branch: Branch, visit: (branch: Branch) => void): void {
    let at: Branch | undefined = branch;
    while (at) {
      visit(at);
      this.stamp(at);
      if (!isEntry(at)) return;
      touch(at);
      at = branchOf(at);
    }
  }

  private stamp(branch: Branch): void {
    branch.stamp = nextStamp();
  }
}

/** One for all trees: what was made anew is never taken for what was there before. */
let ticks = 0;

export function nextStamp(): number {
  return ++ticks;
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

/** Turns an edge over at one of its ends and everything above it. */
export function turnOverUpFrom(end: Entry, edge: ExplanationEdge): void {
  let at: Branch | undefined = end;
  while (at) {
    turnOver(at, edge);
    at = isEntry(at) ? branchOf(at) : undefined;
  }
}

function dropExtra(edge: ExplanationEdge, from: Entry): void {
  from.extra?.delete(edge);
  if (from.extra?.size === 0) from.extra = undefined;
}

function enter(entry: Entry, branch: Branch): void {
  branch.kids?.add(entry);
  if (branch.lastKid && endedLater(entry, branch.lastKid)) branch.lastKid = entry;
}

function leave(entry: Entry, branch: Branch): void {
  branch.kids?.delete(entry);
  if (branch.lastKid === entry) branch.lastKid = undefined;
  entry.chunk = undefined;
}

/** The first step is about to hang below this one. */
function grow(entry: Entry): void {
  if (entry.kids) return;
  entry.crossing = new Set(crossingOf(entry));
  entry.totals = Totals.of(entry.node);
  entry.kids = kidsByStart();
}

/** If nothing hangs below it any more, its own figures are enough. */
function shrink(entry: Entry): void {
  if (!entry.kids || entry.kids.size > 0) return;
  entry.kids = undefined;
  entry.lastKid = undefined;
  entry.totals = undefined;
  entry.crossing = undefined;
}

function turnOver(branch: Branch, edge: ExplanationEdge): void {
  if (branch.crossing?.delete(edge) === false) branch.crossing.add(edge);
}

function touch(entry: Entry): void {
  if (entry.chunk) entry.chunk.notes = undefined;
}

export function isEntry(branch: Branch): branch is Entry {
  return 'node' in branch;
}
