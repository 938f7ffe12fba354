import type { ExplanationGraph } from '../model/node.ts';
import { toCytoscape } from './cytoscape.ts';
import { toD2 } from './d2.ts';
import { toD3 } from './d3.ts';
import { toDot } from './dot.ts';
import { toGraphology } from './graphology.ts';
import { toMermaid } from './mermaid.ts';

export const EXPORT_FORMATS = [
  'explanation',
  'cytoscape',
  'd3',
  'graphology',
  'mermaid',
  'dot',
  'd2',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** JSON of the shape that a library loads, or the lines of a text in a language of diagrams. */
export type Exported =
  { readonly json: object } | { readonly mediaType: string; readonly lines: Iterable<string> };

/** The graph in another format; `explanation` is our own. */
export function exportGraph(graph: ExplanationGraph, format: ExportFormat): Exported {
  switch (format) {
    case 'explanation':
      return { json: graph };
    case 'cytoscape':
      return { json: toCytoscape(graph) };
    case 'd3':
      return { json: toD3(graph) };
    case 'graphology':
      return { json: toGraphology(graph) };
    case 'mermaid':
      return { mediaType: 'text/vnd.mermaid', lines: toMermaid(graph) };
    case 'dot':
      return { mediaType: 'text/vnd.graphviz', lines: toDot(graph) };
    case 'd2':
      // No type is registered for it.
      return { mediaType: 'text/plain', lines: toD2(graph) };
  }
}
