import assert from 'node:assert/strict';
import type { ExplanationGraph } from '../../src/model/node.ts';

/** No cycle, no edge without both its nodes, no id twice. */
export function assertDag(graph: Pick<ExplanationGraph, 'nodes' | 'edges'>): void {
  const ids = new Set(graph.nodes.map((node) => node.id));
  assert.equal(ids.size, graph.nodes.length, 'every node once');
  assert.equal(new Set(graph.edges.map((edge) => edge.id)).size, graph.edges.length, 'every edge once');
  const incoming = new Map<string, number>();
  for (const edge of graph.edges) {
    assert.ok(ids.has(edge.from) && ids.has(edge.to), `dangling edge ${edge.id}`);
    incoming.set(edge.to, (incoming.get(edge.to) ?? 0) + 1);
  }
  const free = [...ids].filter((id) => !incoming.has(id));
  for (const id of free) {
    for (const edge of graph.edges) {
      if (edge.from !== id) continue;
      const left = (incoming.get(edge.to) ?? 0) - 1;
      incoming.set(edge.to, left);
      if (left === 0) free.push(edge.to);
    }
  }
  assert.equal(free.length, ids.size, 'a cycle');
}
