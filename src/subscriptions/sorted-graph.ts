import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { byStartAndId } from '../model/node-order.ts';
import type { TaskView } from './compute-view.ts';
import type { IsOver, Work } from '../base/in-turns.ts';
import { sorted, type Compare } from '../base/sorted.ts';

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
      for (const node of part.nodes) nodes.push(node);
      for (const edge of part.edges) edges.push(edge);
      if (isOver()) yield;
    }
  }
  return {
    nodes: yield* sorted(nodes, byStartAndId, isOver),
    edges: yield* sorted(edges, byId, isOver),
    lastUpdated,
  };
}

export const byId: Compare<{ readonly id: string }> = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
