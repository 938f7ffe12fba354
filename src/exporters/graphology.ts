import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { madeAtOnce, type ListOf } from './lists.ts';

/** Graphology's serialised graph (`Graph.from(json)`). */
export interface GraphologyGraph {
  readonly attributes: { readonly lastUpdated: string };
  readonly options: { readonly type: 'directed'; readonly multi: true; readonly allowSelfLoops: false };
  readonly nodes: readonly { readonly key: string; readonly attributes: Omit<ExplanationNode, 'id'> }[];
  readonly edges: readonly {
    readonly key: string;
    readonly source: string;
    readonly target: string;
    readonly attributes: Omit<ExplanationEdge, 'id' | 'from' | 'to'>;
  }[];
}

/** `multi`, because two relations may join the same two nodes; no self-loops, because the graph is acyclic. */
export function toGraphology(graph: ExplanationGraph, list: ListOf = madeAtOnce): GraphologyGraph {
  return {
    attributes: { lastUpdated: graph.lastUpdated },
    options: { type: 'directed', multi: true, allowSelfLoops: false },
    nodes: list(graph.nodes, ({ id, ...attributes }) => ({ key: id, attributes })),
    edges: list(graph.edges, ({ id, from, to, ...attributes }) => ({
      key: id,
      source: from,
      target: to,
      attributes,
    })),
  };
}
