import { branchOf, byStart, kidsByStart, newEntry, newTask, type Entry, type TaskTree } from './entry.ts';
import type { FoldLimits, InSight } from './fold.ts';
import { Foldable } from './foldable.ts';
import { bestTreeEdge, turnOver } from './step-tree.ts';
import { sumUp } from './sums.ts';
import type { GraphReader } from '../graph/graph-reader.ts';

/** The tree of a task, and its nodes. */
export interface GrownTask {
  readonly task: TaskTree;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** The tree of a task as the graph is now, at once: what following each change would have come to. */
export function growTask(
  graph: GraphReader,
  taskId: string,
  limits: FoldLimits,
  inSight: InSight,
): GrownTask {
  const task = newTask(taskId);
  const entries = new Map<string, Entry>();
  for (const id of graph.nodesOfTask(taskId)) {
    const node = graph.node(id);
    if (node) entries.set(id, newEntry(node, task, [...graph.inEdges(id)]));
  }
  joinAll(graph, task, entries);
  const downwards = plantAll(task, entries);
  for (const entry of entries.values()) {
    for (const edge of entry.ins) if (edge !== entry.treeEdge) turnOver(edge, entry);
    for (const edge of entry.extra ?? []) turnOver(edge, entry);
  }
  sumUp(task);
  const foldable = new Foldable(limits, entries, inSight);
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
      if (entries.has(edge.to)) continue;
      (entry.extra ??= new Set()).add(edge);
      task.abroad.add(edge);
    }
    for (const edge of entry.ins) {
      const from = entries.get(edge.from);
      if (!from) task.abroad.add(edge);
      else if (edge !== entry.treeEdge) (from.extra ??= new Set()).add(edge);
    }
  }
}

/** Hangs each below its parent. @returns all, parents before what is below them */
function plantAll(task: TaskTree, entries: ReadonlyMap<string, Entry>): Entry[] {
  for (const entry of [...entries.values()].sort(byStart)) {
    const branch = branchOf(entry);
    branch.kids ??= kidsByStart();
    branch.kids.add(entry);
  }
  const downwards = [...task.kids];
  for (const entry of downwards) for (const kid of entry.kids ?? []) downwards.push(kid);
  return downwards;
}
