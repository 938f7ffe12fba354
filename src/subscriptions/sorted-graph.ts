import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { TaskView } from './compute-view.ts';
import type { IsOver, Work } from '../base/in-turns.ts';

/** Items that are sorted, or merged, in one step: well under a millisecond. */
const STEP_ITEMS = 500;

type Compare<T> = (a: T, b: T) => number;

/** What is seen of these tasks as one graph: nodes by start, edges by id. */
export function* sortedGraph(
  tasks: Iterable<TaskView>,
  lastUpdated: string,
  isOver: IsOver,
): Work<ExplanationGraph> {
  const nodes: ExplanationNode[] = [];
  const edges: ExplanationEdge[] = [];
  for (const task of tasks) {
    for (const part of task.values()) {
      for (const node of part.nodes.values()) nodes.push(node);
      for (const edge of part.edges.values()) edges.push(edge);
      if (isOver()) yield;
    }
  }
  return {
    nodes: yield* sorted(nodes, byStart, isOver),
    edges: yield* sorted(edges, byId, isOver),
    lastUpdated,
  };
}

export const byId: Compare<{ readonly id: string }> = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

export const byStart: Compare<ExplanationNode> = (a, b) =>
  a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : byId(a, b);

/** Merge sort that can be interrupted; runs that are in order already are joined as they are. */
export function* sorted<T>(items: readonly T[], compare: Compare<T>, isOver: IsOver): Work<readonly T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += STEP_ITEMS) {
    runs.push(items.slice(at, at + STEP_ITEMS).sort(compare));
    if (isOver()) yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(yield* merged(runs[at] ?? [], runs[at + 1] ?? [], compare, isOver));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(first: T[], second: T[], compare: Compare<T>, isOver: IsOver): Work<T[]> {
  const [last, next] = [first.at(-1), second[0]];
  if (last === undefined || next === undefined || compare(last, next) <= 0) return first.concat(second);
  const all: T[] = [];
  let at = 0;
  for (const item of first) {
    for (let other = second[at]; other !== undefined && compare(other, item) < 0; other = second[++at]) {
      all.push(other);
      if (all.length % STEP_ITEMS === 0 && isOver()) yield;
    }
    all.push(item);
    if (all.length % STEP_ITEMS === 0 && isOver()) yield;
  }
  return all.concat(second.slice(at));
}
