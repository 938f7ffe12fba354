import { seldom, type IsOver, type Work } from '../../base/in-turns.ts';
import { sorted } from '../../base/sorted.ts';
import { compareText } from '../../model/compare-text.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { byId, byStart } from '../../subscriptions/sorted-graph.ts';
import type { SharedTask } from '../notices.ts';

/** What a cell shows of a question. */
export interface GraphPart {
  readonly cell: string;
  readonly graph: ExplanationGraph;
}

/**
 * The parts as one graph, whatever their order. A node belongs to its owner, the first cell by name that has it, and is
 * shown as the owner shows it, with the edges into it that the owner shows. So no node is there twice and no edge is loose;
 * and there is no cycle: of the nodes of one, that whose owner comes first would have the node before it in the cycle in
 * the same cell, and so on, so that the whole cycle would be in that cell's graph.
 */
export function* mergedGraph(parts: readonly GraphPart[], isOver: IsOver): Work<ExplanationGraph> {
  const isRest = seldom(isOver);
  const owned = new Set<string>();
  const edgeIds = new Set<string>();
  const nodes: ExplanationNode[] = [];
  const edges: ExplanationEdge[] = [];
  for (const { graph } of byCell(parts)) {
    const has = new Set<string>();
    const owns = new Set<string>();
    for (const node of graph.nodes) {
      has.add(node.id);
      if (!owned.has(node.id)) {
        owned.add(node.id);
        owns.add(node.id);
        nodes.push(node);
      }
      if (isRest()) yield;
    }
    for (const edge of graph.edges) {
      if (isRest()) yield;
      // A cell that breaks the rules itself breaks them here no further.
      if (!owns.has(edge.to) || !has.has(edge.from) || edgeIds.has(edge.id)) continue;
      edgeIds.add(edge.id);
      edges.push(edge);
    }
  }
  const lastUpdated = parts.reduce(
    (last, { graph }) => (graph.lastUpdated > last ? graph.lastUpdated : last),
    '',
  );
  return {
    nodes: yield* sorted(nodes, byStart, isOver),
    edges: yield* sorted(edges, byId, isOver),
    lastUpdated,
  };
}

/** The tasks of which more than one part shows something, by id. */
export function* tasksInSeveral(parts: readonly GraphPart[], isOver: IsOver): Work<readonly SharedTask[]> {
  const isRest = seldom(isOver);
  const cells = new Map<string, Set<string>>();
  for (const { cell, graph } of byCell(parts))
    for (const { taskId } of graph.nodes) {
      const of = cells.get(taskId);
      if (of) of.add(cell);
      else cells.set(taskId, new Set([cell]));
      if (isRest()) yield;
    }
  return [...cells]
    .filter(([, of]) => of.size > 1)
    .map(([taskId, of]) => ({ taskId, cells: [...of] }))
    .sort((a, b) => compareText(a.taskId, b.taskId));
}

function byCell(parts: readonly GraphPart[]): readonly GraphPart[] {
  return parts.toSorted((a, b) => compareText(a.cell, b.cell));
}
