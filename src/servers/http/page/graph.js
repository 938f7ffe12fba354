/* oxlint-disable no-unused-vars -- the four files are one script in the page: what one declares, another uses */
// The graph as this reader holds it, and its place in a list.

const nodes = new Map();
const edges = new Map();

// Removals first; what is added replaces; a removed node takes its edges along.
function apply(update) {
  const gone = new Set(update.removedNodeIds);
  for (const id of gone) nodes.delete(id);
  for (const edge of update.removedEdgeIds) edges.delete(edge.id);
  for (const [id, edge] of edges) if (gone.has(edge.from) || gone.has(edge.to)) edges.delete(id);
  add(update.addedNodes, update.addedEdges);
}

function add(newNodes, newEdges) {
  for (const node of newNodes) nodes.set(node.id, node);
  for (const edge of newEdges) edges.set(edge.id, edge);
}

// Each node below the first that leads to it; a graph drawn as a list shows every node once.
function inTree(members) {
  const held = new Map(members.map((node) => [node.id, node]));
  const children = new Map();
  const parentEdge = new Map();
  for (const edge of edges.values()) {
    if (!held.has(edge.from) || !held.has(edge.to)) continue;
    const other = parentEdge.get(edge.to);
    // The span tree, where there is one, is how people know their program.
    if (!other || (edge.evidence === 'parentSpanId' && other.evidence !== 'parentSpanId'))
      parentEdge.set(edge.to, edge);
  }
  for (const edge of parentEdge.values()) {
    if (!children.has(edge.from)) children.set(edge.from, []);
    children.get(edge.from).push(held.get(edge.to));
  }
  const placed = [];
  const waiting = members.filter((node) => !parentEdge.has(node.id)).map((node) => [node, 0]);
  waiting.reverse();
  while (waiting.length > 0) {
    const [node, depth] = waiting.pop();
    const edge = parentEdge.get(node.id);
    const relation = edge === undefined || edge.relation === 'NEXT_STEP' ? '' : edge.relation;
    placed.push({ node, depth, relation });
    const below = (children.get(node.id) || []).sort(byTime).reverse();
    for (const child of below) waiting.push([child, depth + 1]);
  }
  return placed;
}

function byTime(a, b) {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
