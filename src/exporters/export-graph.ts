import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import { toCytoscape } from './cytoscape.ts';
import { toD2 } from './d2.ts';
import { toD3 } from './d3.ts';
import { toDot } from './dot.ts';
import { toGraphology } from './graphology.ts';
import { madeAtOnce, type ListOf } from './lists.ts';
import { toMermaid } from './mermaid.ts';
import { mewLines } from './mew/mew-lines.ts';
import { tracesJson } from './otlp/traces-json.ts';
import { flowsJson } from './thoughtflow/flow-json.ts';

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

/**
 * The graph in another format; `explanation` is our own.
 * @param list how lists in JSON are made
 */
export function exportGraph(
  graph: ExplanationGraph,
  format: ExportFormat,
  list: ListOf = madeAtOnce,
): Exported {
  switch (format) {
    case 'explanation':
      return { json: graph };
    case 'cytoscape':
      return { json: toCytoscape(graph, list) };
    case 'd3':
      return { json: toD3(graph, list) };
    case 'graphology':
      return { json: toGraphology(graph, list) };
    case 'mermaid':
      return { mediaType: 'text/vnd.mermaid', lines: toMermaid(graph) };
    case 'dot':
      return { mediaType: 'text/vnd.graphviz', lines: toDot(graph) };
    case 'd2':
      // No type is registered for it.
      return { mediaType: 'text/plain', lines: toD2(graph) };
  }
}

/** Made of more than the graph: of the texts and attributes of each step, every one and no summaries. */
export const DETAILED_FORMATS = ['otlp', 'thoughtflow', 'mew'] as const;
export type DetailedFormat = (typeof DETAILED_FORMATS)[number];

export const ALL_FORMATS = [...EXPORT_FORMATS, ...DETAILED_FORMATS] as const;

export function isDetailed(format: ExportFormat | DetailedFormat): format is DetailedFormat {
  return DETAILED_FORMATS.some((detailed) => detailed === format);
}

/** What is read beside the graph. A node that was erased meanwhile is left out. */
export interface DetailSource {
  /** Of these nodes, in their order. */
  readonly details: (nodes: readonly ExplanationNode[]) => AsyncIterable<NodeDetail>;
  readonly detail: (nodeId: string) => Promise<NodeDetail | undefined>;
}

/** Each is one JSON, or one a line. */
export const DETAILED_MEDIA_TYPES: Readonly<Record<DetailedFormat, string>> = {
  otlp: 'application/json',
  thoughtflow: 'application/json',
  mew: 'application/x-ndjson',
};

/** The graph, with all that is kept of its nodes, as text that is made while it is read. */
export function exportDetailed(
  graph: ExplanationGraph,
  format: DetailedFormat,
  { details, detail }: DetailSource,
): AsyncIterable<string> {
  switch (format) {
    case 'otlp':
      return tracesJson(graph, details(graph.nodes));
    case 'thoughtflow':
      return flowsJson(graph, detail);
    case 'mew':
      return mewLines(graph, detail);
  }
}
