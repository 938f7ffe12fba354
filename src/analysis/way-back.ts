import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted, type Compare } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { hasFailed } from '../model/failure.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { byEnd } from '../model/node-order.ts';
import { ancestorsOf } from './outcome.ts';

/** A person reads the answer: beyond this the far end of the way is left out. */
const MAX_NODES = 500;
/** How many steps inside others are searched: a task of the usual limits many times over. */
const MAX_SEARCHED = 20_000;

/** One step nearer to the node that was asked about. */
interface Hop {
  readonly to: string;
  readonly edge: ExplanationEdge;
  /** How many edges it is away. */
  readonly distance: number;
}

/** A way along edges, each as it was when it was walked. An edge of containment may be walked from child to parent. */
export interface Path {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
}

const NO_PATH: Path = { nodes: [], edges: [] };

/** What was found of everything that led to a node. */
export class WayBack {
  /** The nodes in order of distance, the start first. */
  readonly nodes: readonly ExplanationNode[];
  readonly truncated: boolean;
  private readonly hops: ReadonlyMap<string, Hop | undefined>;
  private readonly byId: ReadonlyMap<string, ExplanationNode>;

  /** @param hops of each node, the start included */
  constructor(
    nodes: readonly ExplanationNode[],
    hops: ReadonlyMap<string, Hop | undefined>,
    truncated: boolean,
  ) {
    this.nodes = nodes;
    this.hops = hops;
    this.truncated = truncated;
    this.byId = new Map(nodes.map((node) => [node.id, node]));
  }

  has(id: string): boolean {
    return this.hops.has(id);
  }

  /** How many edges lead from a node on the way to the start. */
  distanceOf(id: string): number {
    return this.hops.get(id)?.distance ?? 0;
  }

  /** The way from a node to the start, both included; empty when the node is not on the way back. */
  pathFrom(id: string): Path {
    const nodes: ExplanationNode[] = [];
    const edges: ExplanationEdge[] = [];
    for (let node = this.byId.get(id); node;) {
      nodes.push(node);
      const hop = this.hops.get(node.id);
      if (hop) edges.push(hop.edge);
      node = this.byId.get(hop?.to ?? '');
    }
    return { nodes, edges };
  }
}

/**
 * Everything that led to a node: whatever edges lead into it from, directly or through others. What is inside a
 * failed step comes before it too, against the direction of the edge: what failed in it, or all of it where nothing
 * did. So does, in a step that others depend on, the call inside that gave its output. Breadth first, so that what is
 * closest comes first; order of ids within a level, so that it depends on the graph alone.
 */
export function* wayBack(
  graph: GraphReader,
  start: ExplanationNode,
  isOver: IsOver,
  { insideFailures = true } = {},
): Work<WayBack> {
  const inside = new Inside(graph, isOver);
  if (insideFailures && hasFailed(start)) yield* inside.ofFailed(start);
  const hops = new Map<string, Hop | undefined>([[start.id, undefined]]);
  const nodes = [start];
  const isRest = seldom(isOver);
  let truncated = false;
  // The array grows while it is walked: it is the queue of the search.
  for (const node of nodes) {
    const hop = hops.get(node.id);
    const distance = (hop?.distance ?? 0) + 1;
    if (hop && hop.edge.evidence !== 'parentSpanId') yield* inside.ofOutput(node);
    for (const [from, edge] of yield* before(graph, node.id, inside, isOver)) {
      if (isRest()) yield;
      const found = hops.has(from) ? undefined : graph.node(from);
      if (!found) continue;
      if (nodes.length >= MAX_NODES) {
        truncated = true;
        break;
      }
      hops.set(from, { to: node.id, edge, distance });
      nodes.push(found);
    }
    if (isOver()) yield;
  }
  return new WayBack(nodes, hops, truncated || inside.isCut);
}

/** What comes right before a node, by id. */
function* before(
  graph: GraphReader,
  id: string,
  inside: Inside,
  isOver: IsOver,
): Work<readonly (readonly [string, ExplanationEdge])[]> {
  const isRest = seldom(isOver);
  const found: (readonly [string, ExplanationEdge])[] = [];
  for (const edge of graph.inEdges(id)) {
    found.push([edge.from, edge]);
    if (isRest()) yield;
  }
  for (const edge of inside.edgesFrom(id)) {
    found.push([edge.to, edge]);
    if (isRest()) yield;
  }
  const byId: Compare<(typeof found)[number]> = ([a, one], [b, other]) =>
    a !== b ? (a < b ? -1 : 1) : one.id < other.id ? -1 : 1;
  return yield* sorted(found, byId, isOver);
}

/** The edges of containment that are walked from child to parent. */
class Inside {
  isCut = false;
  private readonly graph: GraphReader;
  private readonly isOver: IsOver;
  private readonly edges = new Map<string, Set<ExplanationEdge>>();
  private left = MAX_SEARCHED;

  constructor(graph: GraphReader, isOver: IsOver) {
    this.graph = graph;
    this.isOver = seldom(isOver);
  }

  edgesFrom(id: string): Iterable<ExplanationEdge> {
    return this.edges.get(id) ?? [];
  }

  /** The way to each failed step below; where none failed, all that is below. */
  *ofFailed(start: ExplanationNode): Work<void> {
    const tree = yield* this.treeBelow(start.id);
    const leading = new Set<string>();
    // From the leaves up, so that what an edge leads to is known before the edge is looked at.
    for (const { from, to } of tree.toReversed()) {
      const node = this.graph.node(to);
      if (leading.has(to) || (node && hasFailed(node))) leading.add(to).add(from);
      if (this.isOver()) yield;
    }
    for (const edge of tree) {
      if (leading.size === 0 || leading.has(edge.to)) this.walk(edge);
      if (this.isOver()) yield;
    }
  }

  /** The way to the call of which the output of a step is, where the step is made of others. */
  *ofOutput(step: ExplanationNode): Work<void> {
    if (step.type === 'LLM_CALL') return;
    const above = new Map<string, ExplanationEdge>();
    let last: ExplanationNode | undefined;
    for (const edge of yield* this.treeBelow(step.id)) {
      above.set(edge.to, edge);
      const node = this.graph.node(edge.to);
      if (node?.type === 'LLM_CALL' && (!last || byEnd(node, last) > 0)) last = node;
      if (this.isOver()) yield;
    }
    if (!last) return;
    for (let edge = above.get(last.id); edge; edge = above.get(edge.from)) {
      this.walk(edge);
      if (this.isOver()) yield;
    }
  }

  private walk(edge: ExplanationEdge): void {
    const held = this.edges.get(edge.from);
    if (held) held.add(edge);
    else this.edges.set(edge.from, new Set([edge]));
  }

  /** From above to below; nothing of a tree that is too large to be searched. */
  private *treeBelow(start: string): Work<readonly ExplanationEdge[]> {
    const { graph } = this;
    const tree: ExplanationEdge[] = [];
    // By id: one that is put below another step meanwhile is taken once, so that what is found stays a tree.
    const queue = new Set([start]);
    for (const id of queue) {
      if (this.isOver()) yield;
      for (const edge of graph.outEdges(id)) {
        if (this.isOver()) yield;
        if (queue.has(edge.to) || edge.evidence !== 'parentSpanId' || graph.treeParent(edge.to) !== id)
          continue;
        if (--this.left < 0) {
          this.isCut = true;
          return [];
        }
        tree.push(edge);
        queue.add(edge.to);
      }
    }
    return tree;
  }
}

/** The way between two nodes through the closest step that both are in; empty when there is none, or none any more. */
export function* pathByTree(
  graph: GraphReader,
  from: ExplanationNode,
  to: ExplanationNode,
  isOver: IsOver,
): Work<Path> {
  const isRest = seldom(isOver);
  const down = new Set([to.id, ...(yield* ancestorsOf(graph, to.id, isOver))]);
  const up = [from.id, ...(yield* ancestorsOf(graph, from.id, isOver))];
  const meets = up.findIndex((id) => down.has(id));
  if (meets < 0) return NO_PATH;
  const falling: string[] = [];
  for (const id of down) {
    if (id === up[meets]) break;
    falling.push(id);
  }
  const ids = [...up.slice(0, meets + 1), ...falling.reverse()];
  const ends = new Map([from, to].map((node) => [node.id, node]));
  const nodes: ExplanationNode[] = [];
  const edges: ExplanationEdge[] = [];
  for (const id of ids) {
    const node = ends.get(id) ?? graph.node(id);
    const last = nodes.at(-1);
    const edge = last && edgeBetween(graph, last.id, id);
    if (!node || (last && !edge)) return NO_PATH;
    nodes.push(node);
    if (edge) edges.push(edge);
    if (isRest()) yield;
  }
  return { nodes, edges };
}

function edgeBetween(graph: GraphReader, a: string, b: string): ExplanationEdge | undefined {
  const inTree = ({ evidence }: ExplanationEdge): boolean => evidence === 'parentSpanId';
  return (
    graph.inEdges(a).find((edge) => edge.from === b && inTree(edge)) ??
    graph.inEdges(b).find((edge) => edge.from === a && inTree(edge))
  );
}
