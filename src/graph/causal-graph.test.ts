import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVIDENCE, type ExplanationEdge, type ExplanationNode } from '../model/node.ts';
import { edgeId } from '../model/ids.ts';
import { byEvidence } from './acyclic-edges.ts';
import { CausalGraph } from './causal-graph.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function node(id: string, taskId = 't'): ExplanationNode {
  return {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'A',
    type: 'OTHER',
    name: id,
    taskId,
    state: 'ENDED',
    status: 'OK',
  };
}

/** The rule as it is written: one pass over all candidates in order. */
function oracle(candidates: readonly ExplanationEdge[]): Set<string> {
  const next = new Map<string, string[]>();
  const accepted = new Set<string>();
  const reaches = (from: string, to: string): boolean =>
    from === to || (next.get(from) ?? []).some((id) => reaches(id, to));
  for (const edge of [...candidates].sort(byEvidence)) {
    if (reaches(edge.to, edge.from)) continue;
    accepted.add(edge.id);
    next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  return accepted;
}

const edgeOf = fc
  .tuple(fc.constantFrom(...IDS), fc.constantFrom(...IDS), fc.constantFrom(...EVIDENCE))
  .filter(([from, to]) => from !== to)
  .map(([from, to, evidence]): ExplanationEdge => ({
    id: edgeId(from, 'OTHER', to),
    from,
    to,
    relation: 'OTHER',
    evidence,
  }));

/** One step of a random history: say the in-edges of a node anew, or drop and re-add a node. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ put: fc.constantFrom(...IDS), edges: fc.array(edgeOf, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ drop: fc.constantFrom(...IDS) }) },
  { weight: 1, arbitrary: fc.record({ move: fc.constantFrom(...IDS), to: fc.constantFrom('t', 'u', 'v') }) },
);

test('[GR2] the accepted edges are those of one ordered pass, after any history', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const graph = new CausalGraph();
      const wanted = new Map<string, ExplanationEdge[]>();
      const task = new Map<string, string>();
      for (const id of IDS) graph.putNode(node(id));
      for (const s of steps) {
        if ('put' in s) {
          const edges = s.edges.map((e) => ({ ...e, to: s.put, id: edgeId(e.from, 'OTHER', s.put) }));
          const distinct = [...new Map(edges.filter((e) => e.from !== s.put).map((e) => [e.id, e])).values()];
          graph.putInEdges(s.put, distinct);
          wanted.set(s.put, distinct);
        } else if ('drop' in s) {
          graph.dropNode(s.drop);
          graph.putNode(node(s.drop));
          task.delete(s.drop);
          wanted.delete(s.drop);
          for (const [to, edges] of wanted)
            wanted.set(
              to,
              edges.filter((e) => e.from !== s.drop),
            );
        } else {
          graph.putNode(node(s.move, s.to));
          task.set(s.move, s.to);
        }
        const expected = oracle([...wanted.values()].flat());
        const actual = new Set(IDS.flatMap((id) => graph.inEdges(id).map((e) => e.id)));
        assert.deepEqual([...actual].sort(), [...expected].sort());
        assertCrossings(graph, task);
      }
    }),
    propertyRuns(),
  );
});

function assertCrossings(graph: CausalGraph, task: ReadonlyMap<string, string>): void {
  const expected = new Set<string>();
  for (const id of IDS) {
    for (const edge of graph.outEdges(id)) {
      const [from, to] = [task.get(edge.from) ?? 't', task.get(edge.to) ?? 't'];
      if (from !== to) expected.add(`${from}>${to}`);
    }
  }
  const actual = [...graph.taskIds()].flatMap((t) =>
    [...graph.tasksAfter(t)].map((after) => `${t}>${after}`),
  );
  assert.deepEqual(actual.sort(), [...expected].sort(), '[GR5] crossings between tasks');
}

test('[GR3] dropping a node takes its edges with it', () => {
  const graph = new CausalGraph();
  for (const id of ['a', 'b', 'c']) graph.putNode(node(id));
  graph.putInEdges('b', [{ id: 'a>b', from: 'a', to: 'b', relation: 'NEXT_STEP', evidence: 'parentSpanId' }]);
  graph.putInEdges('c', [{ id: 'b>c', from: 'b', to: 'c', relation: 'NEXT_STEP', evidence: 'parentSpanId' }]);
  graph.dropNode('b');
  assert.equal(graph.edgeCount, 0);
  assert.deepEqual(graph.outEdges('a'), []);
  assert.deepEqual(graph.inEdges('c'), []);
});

test('[GR4] a change names its task, and counts what was created', () => {
  const graph = new CausalGraph();
  graph.putNode(node('a', 't1'));
  graph.putNode(node('b', 't2'));
  graph.takeChanges();
  graph.putInEdges('b', [{ id: 'a>b', from: 'a', to: 'b', relation: 'TRIGGERED', evidence: 'link' }]);
  const changes = graph.takeChanges();
  assert.deepEqual([...changes.tasks].sort(), ['t1', 't2']);
  assert.equal(changes.nodesCreated, 0);
  assert.equal(changes.edgesCreated, 1);
  assert.deepEqual([...graph.tasksAfter('t1')], ['t2']);
});
