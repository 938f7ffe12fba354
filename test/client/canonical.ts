import type { ExplanationGraph } from '../../src/model/node.ts';
import type { LiveGraphology } from '../../src/client/change-log.ts';

/** Order is no part of a graph, and when it was last updated is no part of what it says. */
export function canonical({ nodes, edges }: Pick<ExplanationGraph, 'nodes' | 'edges'>): object {
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
  return sortedKeys({ nodes: [...nodes].sort(byId), edges: [...edges].sort(byId) }) as object;
}

/** What a graphology graph says; fails when its keys and ends are not those of its attributes. */
export function contentOf(graph: LiveGraphology): Pick<ExplanationGraph, 'nodes' | 'edges'> {
  return {
    nodes: graph.mapNodes((id, node) => ({ ...node, id })),
    edges: graph.mapEdges((id, edge, from, to) => ({ ...edge, id, from, to })),
  };
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortedKeys(member)]));
}
