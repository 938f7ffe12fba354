import type { MultiDirectedGraph } from 'graphology';
import { EVIDENCE, type ExplanationEdge } from '../model/node.ts';

/** A total order: never 0 for two edges with different ids. */
export type EdgeOrder = (a: ExplanationEdge, b: ExplanationEdge) => number;

/**
 * Keeps the edges of the graph acyclic, independent of arrival order.
 *
 * The rule: of all edges that were asked for ("candidates"), the accepted ones are those that a single pass
 * in their order (`byEvidence`: rank of evidence, id) would add, leaving out each edge that closes a cycle with those already
 * added. An edge can only close a cycle inside a strongly connected component of the candidates, so the pass
 * is repeated for the one component that a change touches; everywhere else nothing is left out.
 */
export class AcyclicEdges {
  private readonly graph: MultiDirectedGraph<Record<string, unknown>, ExplanationEdge>;
  private readonly onChange: (edge: ExplanationEdge, added: boolean) => void;
  private readonly order: EdgeOrder;
  private readonly leftOut = new Map<string, ExplanationEdge>();
  private readonly leftOutFrom = new Map<string, Set<ExplanationEdge>>();
  private readonly leftOutTo = new Map<string, Set<ExplanationEdge>>();

  /**
   * @param onChange told of each accepted edge that comes or goes
   * @param order which of two edges goes first; of one edge it stays the same as long as the edge is there
   */
  constructor(
    graph: MultiDirectedGraph<Record<string, unknown>, ExplanationEdge>,
    onChange: (edge: ExplanationEdge, added: boolean) => void,
    order: EdgeOrder,
  ) {
    this.graph = graph;
    this.onChange = onChange;
    this.order = order;
  }

  /** How many candidates are left out now. */
  get leftOutCount(): number {
    return this.leftOut.size;
  }

  /** All candidates into a node, accepted or not. */
  candidatesInto(id: string): ExplanationEdge[] {
    const edges = this.acceptedInto(id);
    const others = this.leftOutTo.get(id);
    return others ? [...edges, ...others] : edges;
  }

  /** All candidates out of a node, accepted or not. */
  candidatesFrom(id: string): ExplanationEdge[] {
    const edges = this.acceptedFrom(id);
    const others = this.leftOutFrom.get(id);
    return others ? [...edges, ...others] : edges;
  }

  acceptedInto(id: string): ExplanationEdge[] {
    return this.graph.mapInEdges(id, (_key, edge) => edge);
  }

  acceptedFrom(id: string): ExplanationEdge[] {
    return this.graph.mapOutEdges(id, (_key, edge) => edge);
  }

  /** Adds a candidate whose two nodes exist and differ, and whose id is new. */
  add(edge: ExplanationEdge): void {
    if (!this.reaches(edge.to, edge.from)) {
      this.accept(edge);
      return;
    }
    this.leaveOut(edge);
    this.settle(this.componentOf(edge));
  }

  remove(edge: ExplanationEdge): void {
    const component = this.leftOut.size > 0 ? this.componentOf(edge) : undefined;
    this.takeOut(edge);
    if (component && component.size > 1) this.settle(component);
  }

  private accept(edge: ExplanationEdge): void {
    this.graph.addDirectedEdgeWithKey(edge.id, edge.from, edge.to, edge);
    this.onChange(edge, true);
  }

  private takeOut(edge: ExplanationEdge): void {
    if (this.leftOut.delete(edge.id)) {
      forget(this.leftOutFrom, edge.from, edge);
      forget(this.leftOutTo, edge.to, edge);
    } else {
      this.graph.dropEdge(edge.id);
      this.onChange(edge, false);
    }
  }

  private leaveOut(edge: ExplanationEdge): void {
    this.leftOut.set(edge.id, edge);
    remember(this.leftOutFrom, edge.from, edge);
    remember(this.leftOutTo, edge.to, edge);
  }

  /** Is there a path of candidates? Searched from both ends in turn, so the smaller side decides the cost. */
  private reaches(from: string, to: string): boolean {
    if (from === to) return true;
    if (this.isEnd(from, 'out') || this.isEnd(to, 'in')) return false;
    const forward = new Search(from, (id) => this.candidatesFrom(id).map((edge) => edge.to));
    const backward = new Search(to, (id) => this.candidatesInto(id).map((edge) => edge.from));
    for (;;) {
      if (forward.step((id) => backward.seen.has(id))) return true;
      if (forward.done) return false;
      if (backward.step((id) => forward.seen.has(id))) return true;
      if (backward.done) return false;
    }
  }

  private isEnd(id: string, side: 'in' | 'out'): boolean {
    return side === 'out'
      ? this.graph.outDegree(id) === 0 && !this.leftOutFrom.has(id)
      : this.graph.inDegree(id) === 0 && !this.leftOutTo.has(id);
  }

  /** The nodes of the strongly connected component of the candidates in which this candidate lies. */
  private componentOf(edge: ExplanationEdge): Set<string> {
    const after = new Search(edge.to, (id) => this.candidatesFrom(id).map((e) => e.to)).all();
    if (!after.has(edge.from)) return new Set();
    const before = new Search(edge.from, (id) => this.candidatesInto(id).map((e) => e.from)).all();
    return new Set([...after].filter((id) => before.has(id)));
  }

  /** Repeats the ordered pass over the candidates inside one component. */
  private settle(component: ReadonlySet<string>): void {
    const candidates: ExplanationEdge[] = [];
    for (const id of component) {
      for (const edge of this.candidatesFrom(id)) if (component.has(edge.to)) candidates.push(edge);
    }
    candidates.sort(this.order);
    const next = new Map<string, string[]>();
    const toAccept: ExplanationEdge[] = [];
    for (const edge of candidates) {
      const closes = new Search(edge.to, (id) => next.get(id) ?? []).finds(edge.from);
      if (!closes) append(next, edge.from, edge.to);
      if (closes === this.leftOut.has(edge.id)) continue;
      this.takeOut(edge);
      if (closes) this.leaveOut(edge);
      else toAccept.push(edge);
    }
    // Only now, so that the accepted edges are acyclic at every step.
    for (const edge of toAccept) this.accept(edge);
  }
}

/** The order in which edges are added where some must be left out. */
export function byEvidence(a: ExplanationEdge, b: ExplanationEdge): number {
  const rank = EVIDENCE.indexOf(a.evidence) - EVIDENCE.indexOf(b.evidence);
  return rank !== 0 ? rank : compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A breadth-first search that can be advanced node by node. */
class Search {
  readonly seen = new Set<string>();
  private readonly queue: string[] = [];
  private next = 0;
  private readonly neighbours: (id: string) => readonly string[];

  constructor(start: string, neighbours: (id: string) => readonly string[]) {
    this.neighbours = neighbours;
    this.seen.add(start);
    this.queue.push(start);
  }

  get done(): boolean {
    return this.next >= this.queue.length;
  }

  /** Expands one node; true when one of its neighbours is a hit. */
  step(isHit: (id: string) => boolean): boolean {
    const id = this.queue[this.next++];
    if (id === undefined) return false;
    for (const neighbour of this.neighbours(id)) {
      if (isHit(neighbour)) return true;
      if (!this.seen.has(neighbour)) {
        this.seen.add(neighbour);
        this.queue.push(neighbour);
      }
    }
    return false;
  }

  finds(target: string): boolean {
    while (!this.done) if (this.step((id) => id === target)) return true;
    return false;
  }

  all(): Set<string> {
    while (!this.done) this.step(() => false);
    return this.seen;
  }
}

function remember<V>(index: Map<string, Set<V>>, key: string, value: V): void {
  const set = index.get(key);
  if (set) set.add(value);
  else index.set(key, new Set([value]));
}

function forget<V>(index: Map<string, Set<V>>, key: string, value: V): void {
  const set = index.get(key);
  if (set?.delete(value) && set.size === 0) index.delete(key);
}

function append(index: Map<string, string[]>, key: string, value: string): void {
  const list = index.get(key);
  if (list) list.push(value);
  else index.set(key, [value]);
}
