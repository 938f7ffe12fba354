import type { ExplanationGraph } from '../model/node.ts';
import { toCytoscape } from './cytoscape.ts';
import { toD3 } from './d3.ts';
import { toGraphology } from './graphology.ts';

export const EXPORT_FORMATS = ['explanation', 'cytoscape', 'd3', 'graphology'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The graph as plain JSON in the shape that a library loads; `explanation` is our own. */
export function exportGraph(graph: ExplanationGraph, format: ExportFormat): object {
  switch (format) {
    case 'explanation':
      return graph;
    case 'cytoscape':
      return toCytoscape(graph);
    case 'd3':
      return toD3(graph);
    case 'graphology':
      return toGraphology(graph);
  }
}
