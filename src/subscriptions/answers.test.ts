import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { idOf, PlannedTasks } from '../analysis/compared.test-support.ts';
import type { WhyQuestion } from '../model/why.ts';
import { whyAnswer } from './answers.ts';

/** Of the two failures of a task the later leaves memory when its texts are read. */
function askedOfWhatLeaves(question: WhyQuestion) {
  const { graph } = new PlannedTasks().add('T', [
    { n: 1, type: 'LLM_CALL' },
    { n: 2, status: 'ERROR' },
    { n: 3, status: 'ERROR' },
  ]);
  const load = async () => {
    if (graph.node(idOf('T', 3))) graph.dropNode(idOf('T', 3));
    return () => ({});
  };
  return whyAnswer(
    graph,
    question,
    load,
    '',
    hurriedPace([1], () => {}),
  );
}

test('[AN1] why of what leaves memory meanwhile is refused, and of its task answered by the rest', async () => {
  assert.equal((await askedOfWhatLeaves({ taskId: 'T' })).nodeId, idOf('T', 2));
  await assert.rejects(askedOfWhatLeaves({ nodeId: idOf('T', 3) }), { code: 'NOT_FOUND' });
});
