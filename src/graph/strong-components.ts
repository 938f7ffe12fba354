import type { Work } from '../base/in-turns.ts';

/** Nodes that are looked at before others may have their turn: well under a millisecond. */
const STEP_LOOKS = 2000;
const NONE = -1;

/** Edges by one of their ends, as linked lists: the first edge of each node, and the one after each edge. */
export class EdgeLists {
  readonly first: Int32Array;
  readonly next: Int32Array;

  constructor(nodes: number, edges: number) {
    this.first = new Int32Array(nodes).fill(NONE);
    this.next = new Int32Array(edges).fill(NONE);
  }

  add(node: number, edge: number): void {
    this.next[edge] = this.first[node] ?? NONE;
    this.first[node] = edge;
  }
}

/**
 * The strongly connected components of a graph, by Tarjan: linear in nodes and edges.
 * @param from where each edge begins, and `to` where it ends: numbers below `nodes`
 * @returns the number of each node's component
 */
export function* strongComponents(nodes: number, from: Int32Array, to: Int32Array): Work<Int32Array> {
  const out = new EdgeLists(nodes, from.length);
  from.forEach((node, edge) => out.add(node, edge));
  const component = new Int32Array(nodes).fill(NONE);
  const order = new Int32Array(nodes);
  const low = new Int32Array(nodes);
  const path: number[] = [];
  const open: number[] = [];
  let [seen, found, looks] = [0, 0, 0];
  for (let root = 0; root < nodes; root++) {
    if (order[root] === 0) path.push(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      if (++looks % STEP_LOOKS === 0) yield;
      if (order[node] === 0) {
        order[node] = low[node] = ++seen;
        open.push(node);
      }
      const edge = out.first[node] ?? NONE;
      if (edge !== NONE) {
        out.first[node] = out.next[edge] ?? NONE;
        const after = to[edge] ?? 0;
        if (order[after] === 0) path.push(after);
        else if (component[after] === NONE) low[node] = Math.min(low[node] ?? 0, order[after] ?? 0);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) low[before] = Math.min(low[before] ?? 0, low[node] ?? 0);
      if (low[node] !== order[node]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = found;
        if (member === node) break;
      }
      found++;
    }
  }
  return component;
}
