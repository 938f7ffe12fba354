import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { byEnd } from './order.ts';
import { ancestorsOf } from './outcome.ts';

/** A person reads the answer: beyond this the far end of the way is left out. */
const MAX_NODES = 500;
/** How many steps inside others are searched: a task of the usual limits many times over. */
const MAX_SEARCHED = 20_000;

/** One step nearer to the node that was asked about. */
interface Hop {
  readonly to: string;
  readonly edge: ExplanationEdge;
}

/** A way along edges. An edge of containment may be walked from child to parent. */
export interface Path {
  readonly path: readonly string[];
  readonly edgeIds: readonly string[];
}

/**
 * Everything that led to a node: whatever edges lead into it from, directly or through others. What is inside a
 * failed step comes before it too, against the direction of the edge: what failed in it, or all of it where nothing
 * did. So does, in a step that others depend on, the call inside that gave its output. Breadth first, so that what is
 * closest comes first; order of ids within a level, so that it depends on the graph alone.
 */
export class WayBack {
  /** The nodes in order of distance, the start first. */
  readonly nodes: readonly ExplanationNode[];
  readonly truncated: boolean;
  private readonly hops: ReadonlyMap<string, Hop | undefined>;

  /** @param insideFailures whether what is inside a failed start comes before it */
  constructor(graph: GraphReader, start: ExplanationNode, { insideFailures = true } = {}) {
    const inside = new Inside(graph);
    if (insideFailures && hasFailed(start)) inside.ofFailed(start);
    const hops = new Map<string, Hop | undefined>([[start.id, undefined]]);
    const nodes = [start];
    let truncated = false;
    // The array grows while it is walked: it is the queue of the search.
    for (const node of nodes) {
      const hop = hops.get(node.id);
      if (hop && hop.edge.evidence !== 'parentSpanId') inside.ofOutput(node);
      for (const [from, edge] of before(graph, node.id, inside)) {
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
    this.truncated = truncated || inside.isCut;
  }

  has(id: string): boolean {
    return this.hops.has(id);
  }

  /** The way from a node to the start, both included; empty when the node is not on the way back. */
  pathFrom(id: string): Path {
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
function before(graph: GraphReader, id: string, inside: Inside): (readonly [string, ExplanationEdge])[] {
  const down = inside.edgesFrom(id).map((edge) => [edge.to, edge] as const);
  const into = graph.inEdges(id).map((edge) => [edge.from, edge] as const);
  return [...into, ...down].sort(([a, one], [b, other]) =>
    a !== b ? (a < b ? -1 : 1) : one.id < other.id ? -1 : 1,
  );
}

/** The edges of containment that are walked from child to parent. */
class Inside {
  isCut = false;
  private readonly graph: GraphReader;
  private readonly edges = new Map<string, ExplanationEdge[]>();
  private left = MAX_SEARCHED;

  constructor(graph: GraphReader) {
    this.graph = graph;
  }

  edgesFrom(id: string): readonly ExplanationEdge[] {
    return this.edges.get(id) ?? [];
  }

  /** The way to each failed step below; where none failed, all that is below. */
  ofFailed(start: ExplanationNode): void {
    const tree = this.treeBelow(start.id);
    const leading = new Set<string>();
    // From the leaves up, so that what an edge leads to is known before the edge is looked at.
    for (const { from, to } of tree.toReversed()) {
      const node = this.graph.node(to);
      if (leading.has(to) || (node && hasFailed(node))) leading.add(to).add(from);
    }
    for (const edge of tree) if (leading.size === 0 || leading.has(edge.to)) this.walk(edge);
  }

  /** The way to the call of which the output of a step is, where the step is made of others. */
  ofOutput(step: ExplanationNode): void {
    if (step.type === 'LLM_CALL') return;
    const tree = this.treeBelow(step.id);
    const calls = tree
      .map(({ to }) => this.graph.node(to))
      .filter((node) => node?.type === 'LLM_CALL')
      .filter((node) => node !== undefined);
    const last = calls.sort(byEnd).at(-1);
    if (!last) return;
    const above = new Map(tree.map((edge) => [edge.to, edge]));
    for (let edge = above.get(last.id); edge; edge = above.get(edge.from)) this.walk(edge);
  }

  private walk(edge: ExplanationEdge): void {
    const held = this.edges.get(edge.from);
    if (!held) this.edges.set(edge.from, [edge]);
    else if (!held.includes(edge)) held.push(edge);
  }

  /** From above to below; nothing of a tree that is too large to be searched. */
  private treeBelow(start: string): readonly ExplanationEdge[] {
    const { graph } = this;
    const tree: ExplanationEdge[] = [];
    const queue = [start];
    for (const id of queue) {
      for (const edge of graph.outEdges(id)) {
        if (edge.evidence !== 'parentSpanId' || graph.treeParent(edge.to) !== id) continue;
        if (--this.left < 0) {
          this.isCut = true;
          return [];
        }
        tree.push(edge);
        queue.push(edge.to);
      }
    }
    return tree;
  }
}

/** The way between two nodes through the closest step that both are in; empty when there is none. */
export function pathByTree(graph: GraphReader, from: string, to: string): Path {
  const down = [to, ...ancestorsOf(graph, to)];
  const up = [from, ...ancestorsOf(graph, from)];
  const meets = up.find((id) => down.includes(id));
  if (meets === undefined) return { path: [], edgeIds: [] };
  const rising = up.slice(0, up.indexOf(meets) + 1);
  const path = [...rising, ...down.slice(0, down.indexOf(meets)).reverse()];
  const edgeIds = path.slice(1).map((id, i) => edgeBetween(graph, path[i] ?? '', id)?.id ?? '');
  return { path, edgeIds };
}

function edgeBetween(graph: GraphReader, a: string, b: string): ExplanationEdge | undefined {
  const inTree = ({ evidence }: ExplanationEdge): boolean => evidence === 'parentSpanId';
  return (
    graph.inEdges(a).find((edge) => edge.from === b && inTree(edge)) ??
    graph.inEdges(b).find((edge) => edge.from === a && inTree(edge))
  );
}
