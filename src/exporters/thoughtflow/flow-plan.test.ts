import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeId } from '../../model/ids.ts';
import type { Evidence, ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { planFlow } from './flow-plan.ts';

function node(id: string, second: number): ExplanationNode {
  const timestamp = new Date(1_750_000_000_000 + 1000 * second).toISOString();
  return { id, timestamp, taskId: 'T', type: 'OTHER', name: id } as ExplanationNode;
}

function edge(from: string, to: string, evidence: Evidence): ExplanationEdge {
  return { id: edgeId(from, 'NEXT_STEP', to), from, to, relation: 'NEXT_STEP', evidence };
}

test('[EL9] of a step that a thousand lead to not all are looked at for each of them', () => {
  const COUNT = 1_000;
  let looks = 0;
  const counted = (one: ExplanationEdge): ExplanationEdge => ({
    ...one,
    get from() {
      looks++;
      return one.from;
    },
  });
  const ids = Array.from({ length: COUNT }, (_, n) => `n${n}`);
  // It began before those that lead to it, so it is met first.
  const nodes = [node('root', 0), node('last', 1), ...ids.map((id, n) => node(id, 2 + n))];
  const edges = [
    edge('root', 'last', 'parentSpanId'),
    ...ids.map((id) => edge('root', id, 'parentSpanId')),
    ...ids.map((id) => counted(edge(id, 'last', 'link'))),
  ];
  const { conversations } = planFlow({ nodes, edges });
  assert.deepEqual(
    conversations.map(({ steps }) => steps.map(({ id }) => id)),
    [['root', ...ids, 'last']],
  );
  assert.ok(looks <= 20 * COUNT, `${looks} looks`);
});
