import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';

/** Nodes and edges, from which on a frame or an answer is encoded in steps: of so many it takes some milliseconds. */
const LARGE_ITEMS = 2_000;

export function isLargeGraph({ nodes, edges }: ExplanationGraph): boolean {
  return nodes.length + edges.length > LARGE_ITEMS;
}

export function isLargeUpdate(update: GraphUpdate): boolean {
  const { addedNodes, addedEdges, removedNodeIds, removedEdgeIds } = update;
  const items = addedNodes.length + addedEdges.length + removedNodeIds.length + removedEdgeIds.length;
  return items > LARGE_ITEMS;
}

export function isLargeFrame(frame: ServerFrame): boolean {
  if (frame.type === 'subscribed') return isLargeGraph(frame.graph);
  return frame.type === 'update' && isLargeUpdate(frame.update);
}
