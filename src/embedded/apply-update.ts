import { applyUpdate as applied } from '../model/apply-update.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { ViewUpdate } from './feed.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };

/** The graph after an update; undefined stands for none yet. Neither argument is changed. */
export function applyUpdate(graph: ExplanationGraph | undefined, update: ViewUpdate): ExplanationGraph {
  return applied(update.snapshot || graph === undefined ? EMPTY : graph, update);
}
