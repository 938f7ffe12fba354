import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atOnce, NEVER_OVER } from '../../base/in-turns.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { assertDag } from '../../../test/support/assert-dag.ts';
import { MergedGraph } from '../views/merged-graph.ts';
import { isThoughtAlone } from '../owner.ts';
import { mergedGraph, type GraphPart } from './merged-graph.ts';

/** @param span of a request */
function node(id: string, taskId = 't', name = id, span?: string): ExplanationNode {
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
    ...(span !== undefined && { details: { spanId: span } }),
  };
}

function edge(from: string, to: string): ExplanationEdge {
  return { id: `${from}>${to}`, from, to, relation: 'NEXT_STEP', evidence: 'link' };
}

/** The first by name that has the span, if it is of a request; else the first that has the node. */
function ownerOf(nodeId: string, parts: readonly GraphPart[]): GraphPart | undefined {
  const having = parts.filter(({ graph }) => graph.nodes.some(({ id }) => id === nodeId));
  return (
    having.find(({ graph }) => graph.nodes.some((of) => of.id === nodeId && !isThoughtAlone(of))) ?? having[0]
  );
}

function merge(parts: readonly GraphPart[]): ExplanationGraph {
  return atOnce(mergedGraph(parts, NEVER_OVER)).graph;
}

/** An acyclic graph over some of ten nodes, in an order of its own, so that two of them may disagree. */
const graphArbitrary = fc
  .tuple(
    fc.shuffledSubarray(['0', '1', '2', '3', '4', 'req:5', 'req:6', 'req:7', 'req:8', 'req:9'], {
      minLength: 1,
    }),
    fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 }),
    fc.nat(1000),
    fc.nat(1023),
  )
  .map(([ids, pairs, time, spans]): ExplanationGraph => {
    const edges = new Map<string, ExplanationEdge>();
    for (const [a, b] of pairs) {
      const [from, to] = [ids[Math.min(a, b)], ids[Math.max(a, b)]];
      if (a !== b && from !== undefined && to !== undefined) edges.set(`${from}>${to}`, edge(from, to));
    }
    return {
      nodes: ids.map((id) => {
        const n = Number(id.slice(-1));
        return node(id, `t${n % 3}`, `${id} at ${time}`, (spans >> n) % 2 === 1 ? 's' : undefined);
      }),
      edges: [...edges.values()],
      lastUpdated: new Date(time).toISOString(),
    };
  });
const partsArbitrary = fc
  .array(graphArbitrary, { minLength: 1, maxLength: 5 })
  .map((graphs) => graphs.map((graph, i): GraphPart => ({ cell: `c${i}`, graph })));

test('[GA1] [GV12] merged graphs have every node once, no loose edge, no cycle, and are a function of the set of parts', () => {
  fc.assert(
    fc.property(partsArbitrary, fc.infiniteStream(fc.nat()), (parts, randoms) => {
      const merged = merge(parts);
      assertDag(merged);
      assert.deepEqual(
        new Set(merged.nodes.map(({ id }) => id)),
        new Set(parts.flatMap(({ graph }) => graph.nodes.map(({ id }) => id))),
      );
      for (const shown of merged.nodes) {
        const owner = ownerOf(shown.id, parts);
        assert.deepEqual(
          shown,
          owner?.graph.nodes.find(({ id }) => id === shown.id),
        );
        const into = ({ edges }: ExplanationGraph): ExplanationEdge[] =>
          edges.filter(({ to }) => to === shown.id);
        const isBefore = (part?: GraphPart): boolean => !!part && !!owner && part.cell <= owner.cell;
        const expected = owner && into(owner.graph).filter(({ from }) => isBefore(ownerOf(from, parts)));
        assert.deepEqual(new Set(into(merged)), new Set(expected));
      }
      const shuffled = parts
        .map((part) => ({ part, at: randoms.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ part }) => part);
      assert.deepEqual(merge(shuffled), merged);
      const kept = new MergedGraph();
      for (const { cell, graph } of shuffled) {
        kept.add(cell).replace(graph);
        if (graph.nodes.length % 2 === 0) kept.settle();
      }
      kept.settle();
      const { nodes, edges } = kept.copy();
      assert.deepEqual(new Set(nodes), new Set(merged.nodes));
      assert.deepEqual(new Set(edges), new Set(merged.edges));
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
