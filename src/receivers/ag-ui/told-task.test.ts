import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuTime } from '../../../test/support/cpu-time.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { toldTask } from './told-task.ts';

function node(id: string): object {
  const texts = { id, timestamp: '2026-11-25T10:00:00.000Z', agent: 'A', name: id, title: id, taskId: 'T' };
  return { ...texts, type: 'OTHER', status: 'OK', state: 'ENDED' };
}

function edge(from: string, to: string): object {
  return { id: `${from}>${to}`, from, to, relation: 'NEXT_STEP', evidence: 'parentSpanId' };
}

function told(updates: readonly object[]): ReturnType<typeof toldTask> {
  const start = { type: 'RUN_STARTED', threadId: 'T', runId: 'r', metadata: { explain: { taskId: 'T' } } };
  const events = updates.map((value) => ({ type: 'CUSTOM', name: 'explain.graph_update', value }));
  const body = Buffer.from(JSON.stringify([start, ...events]));
  return toldTask(body, 'application/json', new Bounds(DEFAULT_RECEIVER_LIMITS), undefined);
}

test('[AG32] a node that went took its edges with it, also when it comes again; an edge without both ends is none', () => {
  const read = told([
    { addedNodes: [node('a'), node('b')], addedEdges: [edge('a', 'b'), edge('b', 'c')] },
    { removedNodeIds: ['b'] },
    { addedNodes: [node('b'), node('d')], addedEdges: [edge('a', 'd')] },
    { removedNodeIds: ['d'], addedNodes: [node('d')], addedEdges: [edge('b', 'd')] },
    { removedEdgeIds: [{ id: 'x>y' }] },
  ]);
  assert.deepEqual(read?.graph.nodes.map(({ id }) => id).toSorted(), ['a', 'b', 'd']);
  assert.deepEqual(
    read?.graph.edges.map(({ id }) => id),
    ['b>d'],
  );
});

test('[AG32] a graph that is told in very many updates is read at a cost in proportion', () => {
  const updates = Array.from({ length: 20_000 }, (_, n) => ({
    addedNodes: [node(`n${n}`)],
    addedEdges: n === 0 ? [] : [edge(`n${n - 1}`, `n${n}`)],
  }));
  assertCpuTime(3000, () => assert.equal(told(updates)?.graph.edges.length, 19_999));
});
