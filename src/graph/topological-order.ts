import { EdgeLists } from './strong-components.ts';

const NONE = -1;

/**
 * A graph without cycles that edges are added to, and an order of its nodes in which every edge leads forwards (Pearce
 * and Kelly). Of most edges the order says at once that they close no cycle; for the others only what lies between
 * their ends is searched, from both sides in turn.
 */
export class TopologicalOrder {
  /** Edges looked at in searches so far. */
  looks = 0;
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly rank: Int32Array;
  private readonly nodeAt: Int32Array;
  private readonly out: EdgeLists;
  private readonly into: EdgeLists;
  /** In which search a node was last found, by side. */
  private readonly foundAfter: Int32Array;
  private readonly foundBefore: Int32Array;
  private search = 0;

  /**
   * @param from where each edge begins, and `to` where it ends: numbers below `nodes`. None is in the graph yet
   * @param likely edges that are likely to be added and have no cycle: the first order is one of theirs
   */
  constructor(nodes: number, from: Int32Array, to: Int32Array, likely: (edge: number) => boolean) {
    this.from = from;
    this.to = to;
    this.out = new EdgeLists(nodes, from.length);
    this.into = new EdgeLists(nodes, from.length);
    this.foundAfter = new Int32Array(nodes);
    this.foundBefore = new Int32Array(nodes);
    this.rank = ranksOf(nodes, from, to, likely);
    this.nodeAt = new Int32Array(nodes);
    this.rank.forEach((place, node) => (this.nodeAt[place] = node));
  }

  /** Adds an edge, unless it closes a cycle. @returns whether it was added */
  add(edge: number): boolean {
    const [from, to] = [this.from[edge] ?? 0, this.to[edge] ?? 0];
    if (this.rankOf(from) > this.rankOf(to) && !this.makeRoom(from, to)) return false;
    this.out.add(from, edge);
    this.into.add(to, edge);
    return true;
  }

  /** Orders the nodes so that `from` comes before `to`. @returns false when a path leads from `to` to `from` */
  private makeRoom(from: number, to: number): boolean {
    this.search++;
    const after = new Frontier(to, this.out, this.to, this.foundAfter, this.search);
    const before = new Frontier(from, this.into, this.from, this.foundBefore, this.search);
    const [least, most] = [this.rankOf(to), this.rankOf(from)];
    for (;;) {
      const next = after.next();
      if (next !== NONE) {
        if (this.foundBefore[next] === this.search) return false;
        if (this.rankOf(next) <= most) after.take(next);
      }
      const last = before.next();
      if (last !== NONE) {
        if (this.foundAfter[last] === this.search) return false;
        if (this.rankOf(last) >= least) before.take(last);
      }
      if (next === NONE && last === NONE) break;
      this.looks++;
    }
    this.reorder(before.nodes, after.nodes);
    return true;
  }

  /** What comes before goes first, within the places that both have now. */
  private reorder(before: readonly number[], after: readonly number[]): void {
    const places = new Int32Array(before.length + after.length);
    before.forEach((node, i) => (places[i] = this.rankOf(node)));
    after.forEach((node, i) => (places[before.length + i] = this.rankOf(node)));
    const nodes = new Int32Array(places.length);
    for (const side of [places.subarray(0, before.length), places.subarray(before.length)]) side.sort();
    places.forEach((place, i) => (nodes[i] = this.nodeAt[place] ?? 0));
    places.sort();
    nodes.forEach((node, i) => this.put(node, places[i] ?? 0));
  }

  private put(node: number, place: number): void {
    this.rank[node] = place;
    this.nodeAt[place] = node;
  }

  private rankOf(node: number): number {
    return this.rank[node] ?? 0;
  }
}

/** One side of a search: the nodes found so far, and the next edge to look at. */
class Frontier {
  readonly nodes: number[];
  private readonly lists: EdgeLists;
  private readonly end: Int32Array;
  private readonly found: Int32Array;
  private readonly search: number;
  private at = 0;
  private edge: number;

  constructor(start: number, lists: EdgeLists, end: Int32Array, found: Int32Array, search: number) {
    this.nodes = [start];
    this.lists = lists;
    this.end = end;
    this.found = found;
    this.search = search;
    this.edge = lists.first[start] ?? NONE;
    found[start] = search;
  }

  /** The node at the other end of the next edge; -1 when there is none left. */
  next(): number {
    while (this.edge === NONE) {
      if (this.at + 1 >= this.nodes.length) return NONE;
      this.edge = this.lists.first[this.nodes[++this.at] ?? 0] ?? NONE;
    }
    const node = this.end[this.edge] ?? NONE;
    this.edge = this.lists.next[this.edge] ?? NONE;
    return node;
  }

  take(node: number): void {
    if (this.found[node] === this.search) return;
    this.found[node] = this.search;
    this.nodes.push(node);
  }
}

/** An order of the nodes in which the edges that are meant lead forwards. */
function ranksOf(
  nodes: number,
  from: Int32Array,
  to: Int32Array,
  isMeant: (edge: number) => boolean,
): Int32Array {
  const out = new EdgeLists(nodes, from.length);
  const waiting = new Int32Array(nodes);
  for (let edge = 0; edge < from.length; edge++) {
    if (!isMeant(edge)) continue;
    out.add(from[edge] ?? 0, edge);
    const end = to[edge] ?? 0;
    waiting[end] = (waiting[end] ?? 0) + 1;
  }
  const free: number[] = [];
  for (let node = 0; node < nodes; node++) if (waiting[node] === 0) free.push(node);
  const rank = new Int32Array(nodes);
  for (let place = 0; place < free.length; place++) {
    const node = free[place] ?? 0;
    rank[node] = place;
    for (let edge = out.first[node] ?? NONE; edge !== NONE; edge = out.next[edge] ?? NONE) {
      const after = to[edge] ?? 0;
      waiting[after] = (waiting[after] ?? 0) - 1;
      if (waiting[after] === 0) free.push(after);
    }
  }
  return rank;
}
