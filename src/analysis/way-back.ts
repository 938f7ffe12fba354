import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';

/** A person reads the answer: beyond this the far end of the way is left out. */
const MAX_NODES = 500;
/** How many steps inside a failed one are searched for what failed: a task of the usual limits many times over. */
const MAX_SEARCHED = 20_000;

const NOTHING: ReadonlyMap<string, readonly ExplanationEdge[]> = new Map();

/** One step nearer to the node that was asked about. */
interface Hop {
  readonly to: string;
  readonly edge: ExplanationEdge;
}

/**
 * Everything that led to a node: whatever edges lead into it from, directly or through others. Where a failed
 * step contains failed ones, these come before it too: a failure surfaces in what contains it, against the
 * direction of the edge. Breadth first, so that what is closest comes first; order of ids within a level, so
 * that it depends on the graph alone.
 */
export class WayBack {
  /** The nodes in order of distance, the start first. */
  readonly nodes: readonly ExplanationNode[];
  readonly truncated: boolean;
  private readonly hops: ReadonlyMap<string, Hop | undefined>;

  /** @param insideFailures whether what failed inside a failed start comes before it */
  constructor(graph: GraphReader, start: ExplanationNode, { insideFailures = true } = {}) {
    const failedInside = insideFailures ? failuresInside(graph, start) : NOTHING;
    const hops = new Map<string, Hop | undefined>([[start.id, undefined]]);
    const nodes = [start];
    let truncated = failedInside === undefined;
    // The array grows while it is walked: it is the queue of the search.
    for (const node of nodes) {
      for (const [from, edge] of before(graph, node.id, failedInside ?? NOTHING)) {
        const found = hops.has(from) ? undefined : graph.node(from);
        if (!found) continue;
        if (nodes.length >= MAX_NODES) {
          truncated = true;
          break;
        }
        hops.set(from, { to: node.id, edge });
        nodes.push(found);
      }
    }
    this.nodes = nodes;
    this.hops = hops;
    this.truncated = truncated;
  }

  has(id: string): boolean {
    return this.hops.has(id);
  }

  /** The way from a node to the start, both included; empty when the node is not on the way back. */
  pathFrom(id: string): { readonly path: readonly string[]; readonly edgeIds: readonly string[] } {
    if (!this.hops.has(id)) return { path: [], edgeIds: [] };
    const path = [id];
    const edgeIds: string[] = [];
    for (let hop = this.hops.get(id); hop !== undefined; hop = this.hops.get(hop.to)) {
      path.push(hop.to);
      edgeIds.push(hop.edge.id);
    }
    return { path, edgeIds };
  }
}

/** What comes right before a node, by id. */
function before(
  graph: GraphReader,
  id: string,
  failedInside: ReadonlyMap<string, readonly ExplanationEdge[]>,
): (readonly [string, ExplanationEdge])[] {
  const inside = (failedInside.get(id) ?? []).map((edge) => [edge.to, edge] as const);
  const into = graph.inEdges(id).map((edge) => [edge.from, edge] as const);
  return [...into, ...inside].sort(([a, one], [b, other]) =>
    a !== b ? (a < b ? -1 : 1) : one.id < other.id ? -1 : 1,
  );
}

/**
 * For a failed node: the edges of the tree below it that lie on the way to a failed step. Undefined when the
 * tree is too large to be searched; empty for a node that has not failed.
 */
function failuresInside(
  graph: GraphReader,
  start: ExplanationNode,
): ReadonlyMap<string, readonly ExplanationEdge[]> | undefined {
  if (!hasFailed(start)) return NOTHING;
  const tree: ExplanationEdge[] = [];
  const queue = [start.id];
  for (const id of queue) {
    for (const edge of graph.outEdges(id)) {
      if (edge.evidence !== 'parentSpanId' || graph.treeParent(edge.to) !== id) continue;
      if (queue.length >= MAX_SEARCHED) return undefined;
      tree.push(edge);
      queue.push(edge.to);
    }
  }
  const leading = new Map<string, ExplanationEdge[]>();
  // From the leaves up, so that what an edge leads to is known before the edge is looked at.
  for (const edge of tree.reverse()) {
    const node = graph.node(edge.to);
    if (!leading.has(edge.to) && !(node && hasFailed(node))) continue;
    leading.set(edge.from, [...(leading.get(edge.from) ?? []), edge]);
  }
  return leading;
}
