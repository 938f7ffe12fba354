import { branchOf, byStart, kidsByStart, newEntry, newTask, type Entry, type TaskTree } from './entry.ts';
import type { FoldLimits } from './fold.ts';
import { Foldable } from './foldable.ts';
import { bestTreeEdge, isEntry, nextStamp, turnOverUpFrom } from './step-tree.ts';
import { Totals } from './totals.ts';
import type { GraphReader } from '../graph/graph-reader.ts';

/** The tree of a task, and its nodes. */
export interface GrownTask {
  readonly task: TaskTree;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** The tree of a task as the graph is now, at once: what following each change would have come to. */
export function growTask(graph: GraphReader, taskId: string, limits: FoldLimits): GrownTask {
  const task = newTask(taskId);
  const entries = new Map<string, Entry>();
  for (const id of graph.nodesOfTask(taskId)) {
    const node = graph.node(id);
    if (node) entries.set(id, newEntry(node, task, [...graph.inEdges(id)]));
  }
  joinAll(graph, task, entries);
  const downwards = plantAll(task, entries);
  for (const entry of downwards.toReversed()) addUp(entry);
  addUp(task);
  for (const entry of entries.values()) {
    for (const edge of entry.ins) if (edge !== entry.treeEdge) turnOverUpFrom(entry, edge);
    for (const edge of entry.extra ?? []) turnOverUpFrom(entry, edge);
  }
  const foldable = new Foldable(limits, entries);
  for (const entry of downwards) foldable.setDepth(entry);
  // What is below first: then most are looked at once.
  for (const entry of downwards.toReversed()) foldable.markStale(entry);
  foldable.settle(() => false);
  return { task, entries };
}

/** Says which edges are the tree's, and which are beside it. */
function joinAll(graph: GraphReader, task: TaskTree, entries: ReadonlyMap<string, Entry>): void {
  for (const entry of entries.values()) {
    entry.treeEdge = bestTreeEdge(entry, entries);
    entry.parent = entry.treeEdge && entries.get(entry.treeEdge.from);
    task.edges += entry.ins.length;
    task.unfolded.add(entry);
    for (const edge of graph.outEdges(entry.node.id)) {
      entry.blockers++;
      if (!entries.has(edge.to)) (entry.extra ??= new Set()).add(edge);
    }
    for (const edge of entry.ins) {
      const from = edge === entry.treeEdge ? undefined : entries.get(edge.from);
      if (from) (from.extra ??= new Set()).add(edge);
    }
  }
}

/** Hangs each below its parent. @returns all, parents before what is below them */
function plantAll(task: TaskTree, entries: ReadonlyMap<string, Entry>): Entry[] {
  for (const entry of [...entries.values()].sort(byStart)) {
    const branch = branchOf(entry);
    branch.kids ??= kidsByStart();
    branch.kids.add(entry);
    entry.stamp = nextStamp();
  }
  task.stamp = nextStamp();
  const downwards = [...task.kids];
  for (const entry of downwards) for (const kid of entry.kids ?? []) downwards.push(kid);
  return downwards;
}

/** The figures of a branch, when those below it are known. */
function addUp(branch: Entry | TaskTree): void {
  if (!branch.kids) return;
  if (isEntry(branch)) {
    branch.totals = Totals.of(branch.node);
    branch.crossing = new Set();
  }
  for (const kid of branch.kids) {
    if (kid.totals) branch.totals?.add(kid.totals, 1);
    else branch.totals?.addNode(kid.node, 1);
  }
}
