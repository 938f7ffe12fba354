import { seldom, type IsOver, type Work } from '../../base/in-turns.ts';
import { sorted } from '../../base/sorted.ts';
import { compareText } from '../../model/compare-text.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { byStartAndId } from '../../model/node-order.ts';
import { byId } from '../../subscriptions/sorted-graph.ts';
import type { SharedTask } from '../notices.ts';
import { isThoughtAlone } from '../owner.ts';

/** What a cell shows of a question. */
export interface GraphPart {
  readonly cell: string;
  readonly graph: ExplanationGraph;
}

/** The parts as one graph, and what of them has to be said. */
export interface MergedParts {
  readonly graph: ExplanationGraph;
  /** The tasks of which several parts show nodes, whoever owns these; by id. */
  readonly shared: readonly SharedTask[];
  /** The cell that each node is shown of. */
  readonly owners: ReadonlyMap<string, string>;
}

/**
 * The parts as one graph, whatever their order: by the rule of the owner (`owner.ts`), as `views/merged-graph.ts` keeps one
 * current, but at once and in turns of the event loop.
 * @param given each a graph: what cells send is checked where it enters
 */
export function* mergedGraph(given: readonly GraphPart[], isOver: IsOver): Work<MergedParts> {
  const isRest = seldom(isOver);
  const parts = given.toSorted((a, b) => compareText(a.cell, b.cell));
  const nodes = new Map<string, ExplanationNode>();
  const owners = new Map<string, string>();
  const edges = new Map<string, ExplanationEdge>();
  const cellsOf = new Map<string, Set<string>>();
  for (const { cell, graph } of parts)
    for (const node of graph.nodes) {
      const cells = cellsOf.get(node.taskId);
      if (cells) cells.add(cell);
      else cellsOf.set(node.taskId, new Set([cell]));
      const other = nodes.get(node.id);
      if (!other || (isThoughtAlone(other) && !isThoughtAlone(node))) {
        nodes.set(node.id, node);
        owners.set(node.id, cell);
      }
      if (isRest()) yield;
    }
  for (const { cell, graph } of parts)
    for (const edge of graph.edges) {
      if (isRest()) yield;
      const { id, from, to } = edge;
      if (owners.get(to) === cell && (owners.get(from) ?? cell) <= cell && !edges.has(id))
        edges.set(id, edge);
    }
  const lastUpdated = parts.reduce(
    (last, { graph }) => (graph.lastUpdated > last ? graph.lastUpdated : last),
    '',
  );
  const shared = [...cellsOf].flatMap(([taskId, cells]) =>
    cells.size > 1 ? [{ taskId, cells: [...cells] }] : [],
  );
  return {
    graph: {
      nodes: yield* sorted([...nodes.values()], byStartAndId, isOver),
      edges: yield* sorted([...edges.values()], byId, isOver),
      lastUpdated,
    },
    owners,
    shared: shared.sort((a, b) => compareText(a.taskId, b.taskId)),
  };
}
