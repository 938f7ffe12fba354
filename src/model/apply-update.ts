import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from './node.ts';

/**
 * The reader's half of the protocol: the graph after an update. Neither argument is changed.
 *
 * Removals come before additions; an added node or edge replaces the one that has its id, in its place;
 * removing a node removes its edges. Nothing throws: ids that are not held are passed over, a removed edge
 * without an id (the spec's own shape) means every edge between its ends, and an edge without both its nodes
 * is left out, because graph libraries refuse a whole graph for one.
 */
export function applyUpdate(graph: ExplanationGraph, update: GraphUpdate): ExplanationGraph {
  const nodes = new Map<string, ExplanationNode>();
  for (const node of graph.nodes) nodes.set(node.id, node);
  for (const id of update.removedNodeIds) nodes.delete(id);
  const surviving = new Set(nodes.keys());
  for (const node of update.addedNodes) nodes.set(node.id, node);

  const edges = new Map<string, ExplanationEdge>();
  const isRemoved = edgeRemoval(update);
  for (const edge of graph.edges) {
    if (surviving.has(edge.from) && surviving.has(edge.to) && !isRemoved(edge)) edges.set(edge.id, edge);
  }
  for (const edge of update.addedEdges) {
    if (nodes.has(edge.from) && nodes.has(edge.to)) edges.set(edge.id, edge);
  }
  const { notices = graph.notices ?? [] } = update;
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()],
    lastUpdated: update.timestamp,
    ...(notices.length > 0 && { notices }),
  };
}

function edgeRemoval(update: GraphUpdate): (edge: ExplanationEdge) => boolean {
  const ids = new Set<string>();
  const pairs = new Set<string>();
  for (const { id, from, to } of update.removedEdgeIds as readonly Partial<ExplanationEdge>[]) {
    if (id === undefined) pairs.add(JSON.stringify([from, to]));
    else ids.add(id);
  }
  return (edge) => ids.has(edge.id) || (pairs.size > 0 && pairs.has(JSON.stringify([edge.from, edge.to])));
}
