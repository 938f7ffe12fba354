import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { madeAtOnce, type LinkedEdge, type ListOf } from './lists.ts';

/** For d3-force, with `forceLink(links).id((node) => node.id)`. */
export interface D3Graph {
  readonly nodes: readonly ExplanationNode[];
  readonly links: readonly LinkedEdge[];
  readonly lastUpdated: string;
}

/** d3-force writes positions into nodes and objects into links, so both are copies. */
export function toD3(graph: ExplanationGraph, list: ListOf = madeAtOnce): D3Graph {
  return {
    nodes: list(graph.nodes, (node) => ({ ...node })),
    links: list(graph.edges, ({ from, to, ...rest }) => ({ ...rest, source: from, target: to })),
    lastUpdated: graph.lastUpdated,
  };
}
