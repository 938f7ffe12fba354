import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atOnce, NEVER_OVER } from '../../base/in-turns.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { assertDag } from '../../../test/support/assert-dag.ts';
import { MergedGraph } from '../views/merged-graph.ts';
import { mergedGraph, type GraphPart } from './merged-graph.ts';

function node(id: string, taskId = 't', name = id): ExplanationNode {
  return {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'a',
    type: 'OTHER',
    name,
    title: name,
    taskId,
    state: 'ENDED',
    status: 'OK',
  };
}

function edge(from: string, to: string): ExplanationEdge {
  return { id: `${from}>${to}`, from, to, relation: 'NEXT_STEP', evidence: 'link' };
}

function merge(parts: readonly GraphPart[]): ExplanationGraph {
  return atOnce(mergedGraph(parts, NEVER_OVER)).graph;
}

/** An acyclic graph over some of ten nodes, in an order of its own, so that two of them may disagree. */
const graphArbitrary = fc
  .tuple(
    fc.shuffledSubarray(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], { minLength: 1 }),
    fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 }),
    fc.nat(1000),
  )
  .map(([ids, pairs, time]): ExplanationGraph => {
    const edges = new Map<string, ExplanationEdge>();
    for (const [a, b] of pairs) {
      const [from, to] = [ids[Math.min(a, b)], ids[Math.max(a, b)]];
      if (a !== b && from !== undefined && to !== undefined) edges.set(`${from}>${to}`, edge(from, to));
    }
    return {
      nodes: ids.map((id) => node(id, `t${Number(id) % 3}`, `${id} at ${time}`)),
      edges: [...edges.values()],
      lastUpdated: new Date(time).toISOString(),
    };
  });
const partsArbitrary = fc
  .array(graphArbitrary, { minLength: 1, maxLength: 5 })
  .map((graphs) => graphs.map((graph, i): GraphPart => ({ cell: `c${i}`, graph })));

test('[GA1] merged graphs have every node once, no loose edge, no cycle, and are a function of the set of parts', () => {
  fc.assert(
    fc.property(partsArbitrary, fc.infiniteStream(fc.nat()), (parts, randoms) => {
      const merged = merge(parts);
      assertDag(merged);
      assert.deepEqual(
        new Set(merged.nodes.map(({ id }) => id)),
        new Set(parts.flatMap(({ graph }) => graph.nodes.map(({ id }) => id))),
      );
      for (const shown of merged.nodes) {
        const owner = parts.find(({ graph }) => graph.nodes.some(({ id }) => id === shown.id));
        assert.deepEqual(
          shown,
          owner?.graph.nodes.find(({ id }) => id === shown.id),
        );
        const into = (graph: ExplanationGraph): string[] =>
          graph.edges.flatMap(({ id, to }) => (to === shown.id ? [id] : [])).sort();
        assert.deepEqual(into(merged), owner && into(owner.graph));
      }
      const shuffled = parts
        .map((part) => ({ part, at: randoms.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ part }) => part);
      assert.deepEqual(merge(shuffled), merged);
    }),
    propertyRuns(),
  );
});

test('[GA2] [GV3] a task is in several cells where more than one shows a node of it, whoever owns that node', () => {
  const graph = (...nodes: ExplanationNode[]): ExplanationGraph => ({ nodes, edges: [], lastUpdated: '' });
  const parts = [
    { cell: 'b', graph: graph(node('1', 't'), node('2', 'u')) },
    { cell: 'a', graph: graph(node('1', 't'), node('3', 'v')) },
  ];
  const expected = [{ taskId: 't', cells: ['a', 'b'] }];
  assert.deepEqual(atOnce(mergedGraph(parts, NEVER_OVER)).shared, expected);
  const kept = new MergedGraph();
  for (const { cell, graph: of } of parts) kept.add(cell).replace(of);
  assert.deepEqual(kept.splitTasks(), expected);
});
