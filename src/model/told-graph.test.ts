import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyUpdate } from './apply-update.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from './node.ts';
import { ToldGraph } from './told-graph.ts';

const AT = '2026-03-02T09:00:00.000Z';
/** So few that updates meet each other. */
const ID = fc.constantFrom('a', 'b', 'c', 'd');
const NODE = fc
  .record({ id: ID, name: fc.constantFrom('one', 'two') })
  .map(({ id, name }): ExplanationNode => ({
    id,
    name,
    title: name,
    timestamp: AT,
    agent: 'A',
    type: 'OTHER',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
  }));
const EDGE = fc
  .record({ id: fc.constantFrom('1', '2', '3'), from: ID, to: ID })
  .map((edge): ExplanationEdge => ({ ...edge, relation: 'NEXT_STEP', evidence: 'parentSpanId' }));
const UPDATE = fc.record({
  addedNodes: fc.array(NODE, { maxLength: 3 }),
  addedEdges: fc.array(EDGE, { maxLength: 3 }),
  removedNodeIds: fc.array(ID, { maxLength: 2 }),
  removedEdgeIds: fc.array(EDGE, { maxLength: 2 }),
  timestamp: fc.constant(AT),
});

function byId(
  graph: ExplanationGraph,
): readonly [ReadonlyMap<string, unknown>, ReadonlyMap<string, unknown>] {
  return [
    new Map(graph.nodes.map((node) => [node.id, node])),
    new Map(graph.edges.map((edge) => [edge.id, edge])),
  ];
}

test('[AG32] a graph by all of its updates is what they make one after the other', () => {
  const isSame = (updates: readonly GraphUpdate[]): void => {
    const told = new ToldGraph();
    for (const { removedEdgeIds, ...update } of updates)
      told.apply({ ...update, removedEdgeIds: removedEdgeIds.map(({ id }) => id) });
    const empty: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
    assert.deepEqual(byId(told.graph()), byId(updates.reduce(applyUpdate, empty)));
  };
  fc.assert(fc.property(fc.array(UPDATE, { maxLength: 8 }), isSame));
});
