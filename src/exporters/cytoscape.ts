import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { madeAtOnce, type LinkedEdge, type ListOf } from './lists.ts';

/** Cytoscape.js elements JSON (`cytoscape({elements})`). */
export interface CytoscapeGraph {
  readonly elements: {
    readonly nodes: readonly { readonly data: ExplanationNode; readonly classes: string }[];
    readonly edges: readonly { readonly data: LinkedEdge; readonly classes: string }[];
  };
  readonly data: { readonly lastUpdated: string };
}

/** Classes are type, status and state in lower case with hyphens, for selectors such as `.llm-call.error`. */
export function toCytoscape(graph: ExplanationGraph, list: ListOf = madeAtOnce): CytoscapeGraph {
  const nodeIds = new Set(graph.nodes.map((node) => node.id));
  return {
    elements: {
      nodes: list(graph.nodes, (node) => ({
        data: node,
        classes: [node.type, node.status, node.state].map(className).join(' '),
      })),
      edges: list(graph.edges, ({ id, from, to, ...rest }) => ({
        data: { id: elementId(id, nodeIds), source: from, target: to, ...rest },
        classes: rest.bridged ? `${className(rest.relation)} bridged` : className(rest.relation),
      })),
    },
    data: { lastUpdated: graph.lastUpdated },
  };
}

/** Nodes and edges share one space of ids in Cytoscape.js, and the later of two equal ids is lost without a word. */
function elementId(edgeId: string, nodeIds: ReadonlySet<string>): string {
  let id = edgeId;
  while (nodeIds.has(id)) id = `edge:${id}`;
  return id;
}

function className(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
