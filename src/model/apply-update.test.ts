import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyUpdate } from './apply-update.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from './node.ts';

const NOW = '2025-06-20T14:00:00.000Z';

function node(id: string, name = id): ExplanationNode {
  const common = {
    timestamp: NOW,
    agent: 'A',
    type: 'OTHER',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
  } as const;
  return { id, name, title: name, ...common };
}

function edge(from: string, to: string, id = `${from}>${to}`): ExplanationEdge {
  return { id, from, to, relation: 'NEXT_STEP', evidence: 'parentSpanId' };
}

function update(parts: Partial<GraphUpdate>): GraphUpdate {
  return { addedNodes: [], removedNodeIds: [], addedEdges: [], removedEdgeIds: [], timestamp: NOW, ...parts };
}

const GRAPH: ExplanationGraph = {
  nodes: [node('a'), node('b'), node('c')],
  edges: [edge('a', 'b'), edge('b', 'c')],
  lastUpdated: '2025-06-20T13:00:00.000Z',
};

function shape(graph: ExplanationGraph): readonly [string[], string[]] {
  return [graph.nodes.map(({ id }) => id), graph.edges.map(({ id }) => id)];
}

test('[SV20] an added node replaces the one with its id in its place and keeps its edges', () => {
  const after = applyUpdate(GRAPH, update({ addedNodes: [node('b', 'changed')] }));
  assert.deepEqual(shape(after), shape(GRAPH));
  assert.equal(after.nodes[1]?.name, 'changed');
  assert.equal(after.lastUpdated, NOW);
});

test('[SV20] removing a node removes its edges', () => {
  assert.deepEqual(shape(applyUpdate(GRAPH, update({ removedNodeIds: ['b'] }))), [['a', 'c'], []]);
});

test('[SV20] removals come before additions: a node removed and added has only the edges of the update', () => {
  const after = applyUpdate(
    GRAPH,
    update({ removedNodeIds: ['b'], addedNodes: [node('b')], addedEdges: [edge('a', 'b', 'new')] }),
  );
  assert.deepEqual(shape(after), [['a', 'c', 'b'], ['new']]);
});

test('[SV20] an edge is removed by id, and by its ends where the id is missing', () => {
  const byId = { from: 'a', to: 'b', id: 'a>b' };
  assert.deepEqual(shape(applyUpdate(GRAPH, update({ removedEdgeIds: [byId] })))[1], ['b>c']);
  const byEnds = { from: 'b', to: 'c' } as typeof byId;
  assert.deepEqual(shape(applyUpdate(GRAPH, update({ removedEdgeIds: [byEnds] })))[1], ['a>b']);
});

test('[SV20] an edge replaced by id changes its ends; one of the same ends with another id stays', () => {
  const other = { ...GRAPH, edges: [...GRAPH.edges, edge('a', 'b', 'second')] };
  const after = applyUpdate(other, update({ addedEdges: [edge('a', 'c', 'a>b')] }));
  assert.deepEqual(
    after.edges.map(({ id, to }) => [id, to]),
    [
      ['a>b', 'c'],
      ['b>c', 'c'],
      ['second', 'b'],
    ],
  );
});

test('[SV20] unknown ids and edges without their nodes are passed over; the arguments stay as they were', () => {
  const before = structuredClone(GRAPH);
  const after = applyUpdate(
    GRAPH,
    update({
      removedNodeIds: ['x'],
      removedEdgeIds: [{ from: 'x', to: 'y', id: 'z' }],
      addedEdges: [edge('a', 'nowhere')],
    }),
  );
  assert.deepEqual(shape(after), shape(GRAPH));
  assert.deepEqual(GRAPH, before);
});
