import type { EdgeRelation, Evidence, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { madeAtOnce, type ListOf } from './lists.ts';

/** For d3-force, with `forceLink(links).id((node) => node.id)`. */
export interface D3Graph {
  readonly nodes: readonly ExplanationNode[];
  readonly links: readonly D3Link[];
  readonly lastUpdated: string;
}

export interface D3Link {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly relation: EdgeRelation;
  readonly evidence: Evidence;
  readonly bridged?: true;
}

/** d3-force writes positions into nodes and objects into links, so both are copies. */
export function toD3(graph: ExplanationGraph, list: ListOf = madeAtOnce): D3Graph {
  return {
    nodes: list(graph.nodes, (node) => ({ ...node })),
    links: list(graph.edges, ({ from, to, ...rest }) => ({ ...rest, source: from, target: to })),
    lastUpdated: graph.lastUpdated,
  };
}
