import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeId } from '../../model/ids.ts';
import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { KeptSteps } from './kept-steps.ts';

function node(id: string): ExplanationNode {
  return { id, taskId: `task of ${id}` } as ExplanationNode;
}

function edge(from: string, to: string): ExplanationEdge {
  return { id: edgeId(from, 'NEXT_STEP', to), from, to, relation: 'NEXT_STEP', evidence: 'parentSpanId' };
}

test('[SU14] an edge is told of by those of its ends that are kept and had it', () => {
  const kept = new KeptSteps();
  const [ab, bc] = [edge('a', 'b'), edge('b', 'c')];
  kept.add({ node: node('a'), edges: [ab] });
  kept.add({ node: node('b'), edges: [bc] });
  assert.deepEqual(kept.tasksWith(ab), ['task of a']);
  kept.add({ node: node('b'), edges: [ab, bc] });
  assert.deepEqual(kept.tasksWith(ab), ['task of a', 'task of b']);
  assert.deepEqual(kept.remove('a'), ['a', 'b']);
  assert.deepEqual(kept.tasksWith(ab), ['task of b']);
  assert.deepEqual([...kept.edgesInto('b')], [ab]);
  assert.deepEqual([...kept.nextTo('a')], ['b']);
  kept.remove('b');
  assert.deepEqual([...kept.edgesInto('b'), ...kept.nextTo('a'), ...kept.nextTo('b')], []);
  assert.equal(kept.hasEdgesInto('c'), false);
});

test('[EL9] of a step with very many edges not all are looked at for each of them', () => {
  const COUNT = 1_000;
  let looks = 0;
  const edges = Array.from({ length: COUNT }, (_, n) => {
    const plain = edge('hub', `n${n}`);
    return {
      ...plain,
      get id() {
        looks++;
        return plain.id;
      },
    };
  });
  const into = Array.from({ length: COUNT }, (_, n) => edge(`n${n}`, 'sink'));
  const kept = new KeptSteps();
  kept.add({ node: node('hub'), edges });
  kept.add({ node: node('sink'), edges: into });
  for (const [n, one] of edges.entries()) kept.add({ node: node(`n${n}`), edges: [one, into[n] ?? one] });
  for (const one of edges) assert.equal(kept.tasksWith(one).length, 2);
  for (const one of edges) kept.remove(one.to);
  assert.equal(kept.remove('hub').length, COUNT + 1);
  assert.ok(looks <= 20 * COUNT, `${looks} looks`);
});
