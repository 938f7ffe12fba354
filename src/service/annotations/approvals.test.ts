import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { annotationsOf } from '../../model/annotation.ts';
import { span } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import { AGENT, ANALYST, AnnotationsBench, OPERATOR, TRACE } from './annotations.test-support.ts';

const YES = { kind: 'approval', decision: 'approved' };
const NO = { kind: 'approval', decision: 'denied', text: 'not on a Friday' };
const OTHER = { ...AGENT, id: 'k-other' };
const BEN = { ...OPERATOR, id: 'k-ben', name: 'ben' };

test('[AT13] what is told as a node of another service approves of nothing', async () => {
  const bench = new AnnotationsBench();
  const { id, nodeId } = await bench.asks({ id: 'deploy' });
  const other = new AnnotationsBench();
  const attrs = {
    'explain.node.id': nodeId,
    'explain.node.type': 'REFLEXION_ACTION',
    'explain.node.task_id': 'T1',
    'explain.node.details': { eventId: `approval:${id}`, outcome: 'approved', decidedBy: 'ops' },
  };
  await other.engine.correlator.consume(batchOf([span(1, { attrs })]));
  assert.equal(other.node(nodeId).details?.['outcome'], 'approved', 'it is shown as it is told');
  assert.equal((await other.asks({ id: 'deploy' })).state, 'pending');
});

test('[AT12] what an agent asks stands on the graph as a step that runs, after the step that asks, until it is answered', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(2);
  const stream = bench.waits();
  const asked = await bench.asks({ traceId: TRACE, spanId: '2'.padStart(16, '0') });
  assert.equal(asked.state, 'pending');
  const before = bench.node(asked.nodeId);
  assert.partialDeepStrictEqual(before, {
    name: 'ApprovalRequested',
    title: 'ApprovalRequested: May I deploy?',
    agent: 'CoderAgent',
    taskId: 'T1',
    state: 'RUNNING',
    status: 'OK',
  });
  const [edge] = bench.engine.graph.inEdges(asked.nodeId);
  assert.partialDeepStrictEqual(edge, { from: `${TRACE}:${'2'.padStart(16, '0')}`, relation: 'ESCALATED' });
  assert.deepEqual(stream.told, []);

  bench.clock.advance(5_000);
  await assert.rejects(bench.says(YES, ANALYST, asked.nodeId), { code: 'PERMISSION_DENIED' });
  await bench.says({ ...NO, decision: 'approved' }, OPERATOR, asked.nodeId);
  assert.partialDeepStrictEqual(stream.told, [
    { approvalId: asked.id, approvalNodeId: asked.nodeId, state: 'approved', text: NO.text, by: 'ops' },
  ]);
  const after = bench.node(asked.nodeId);
  assert.partialDeepStrictEqual(after, { state: 'ENDED', status: 'OK' });
  assert.partialDeepStrictEqual(after.details, { outcome: 'approved', decidedBy: 'ops', waitedMs: 5_000 });
  assert.equal(annotationsOf(after)[0]?.decision, 'approved');
});

test('[AT13] the first answer counts, and who comes later is told who was first', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const stream = bench.waits();
  const { nodeId } = await bench.asks();
  const outcomes = await Promise.allSettled([bench.says(NO, BEN, nodeId), bench.says(YES, OPERATOR, nodeId)]);
  const [first, second] = outcomes;
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'rejected']);
  const { code, message } = (second as PromiseRejectedResult).reason as BoundaryError;
  assert.deepEqual(
    [code, message],
    ['FAILED_PRECONDITION', 'it is denied already, by ben, and the agent was told'],
  );
  assert.deepEqual(
    stream.told.map(({ state }) => state),
    ['denied'],
  );
  const [answer] = annotationsOf(bench.node(nodeId));
  await assert.rejects(bench.says({ kind: 'withdrawal', replaces: answer?.id }, BEN, nodeId), {
    message: /an approval stands/,
  });
});

test('[AT13] an answer that cannot be recorded is none, and somebody may answer again', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const stream = bench.waits();
  const { nodeId } = await bench.asks({ expiresInSeconds: 60 });
  bench.before = () => Promise.reject(new BoundaryError('RESOURCE_EXHAUSTED', 'full'));
  await assert.rejects(bench.says(YES, OPERATOR, nodeId), { message: 'full' });
  assert.deepEqual(stream.told, []);
  bench.before = async () => {};
  bench.clock.advance(60_000);
  await bench.settled();
  assert.deepEqual(
    stream.told.map(({ state }) => state),
    ['expired'],
  );
});

test('[AT14] without an answer it expires: its node is a warning, the agent is told, and who comes later refused', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const stream = bench.waits();
  const { nodeId } = await bench.asks({ expiresInSeconds: 60 });
  bench.clock.advance(59_999);
  assert.deepEqual(stream.told, []);
  bench.clock.advance(1);
  await bench.settled();
  assert.deepEqual(
    stream.told.map(({ state }) => state),
    ['expired'],
  );
  assert.partialDeepStrictEqual(bench.node(nodeId), { state: 'ENDED', status: 'WARNING' });
  assert.ok([...bench.engine.graph.outEdges(nodeId)].some(({ relation }) => relation === 'TRIGGERED'));
  await assert.rejects(bench.says(YES, OPERATOR, nodeId), {
    code: 'FAILED_PRECONDITION',
    message: /nobody answered in time/,
  });
});

test('[AT15] only who asked is told, by each that waits for it, and again after a lost stream until it says that it has it', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const [own, elsewhere, stranger] = [
    bench.waits(),
    bench.waits(AGENT, { agent: 'CriticAgent' }),
    bench.waits(OTHER),
  ];
  const { nodeId, id } = await bench.asks();
  own.end();
  await bench.says(YES, OPERATOR, nodeId);
  const [again, once] = [bench.waits(), bench.waits()];
  assert.deepEqual(
    [own, elsewhere, stranger].flatMap(({ told }) => told),
    [],
  );
  assert.equal(again.told[0]?.id, once.told[0]?.id);
  const said = { id: again.told[0]?.id };
  assert.throws(() => bench.control.answer(OTHER, { ...said, received: true }), { code: 'NOT_FOUND' });
  assert.throws(() => bench.control.answer(AGENT, { ...said, status: 'stopping' }), {
    code: 'FAILED_PRECONDITION',
  });
  bench.control.answer(AGENT, { ...said, received: true });
  assert.deepEqual(bench.waits().told, []);
  assert.equal(bench.waits(AGENT, { taskId: 'T1' }).told.length, 1, 'another that waits');
  bench.clock.advance(3_600_000);
  assert.deepEqual(bench.waits(AGENT, { taskId: 'T1', instance: 'late' }).told, []);
  assert.equal((await bench.approvals.state(id, AGENT)).state, 'approved');
  await assert.rejects(bench.approvals.state(id, OTHER), { code: 'NOT_FOUND' });
});

test('[AT16] the same id again is the same approval, of the same asker', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const stream = bench.waits();
  const [first, second] = await Promise.all([bench.asks({ id: 'deploy-7' }), bench.asks({ id: 'deploy-7' })]);
  assert.deepEqual(first, second);
  assert.notEqual((await bench.asks({ id: 'deploy-7' }, OTHER)).id, first.id);
  await bench.says(YES, OPERATOR, first.nodeId);
  assert.equal((await bench.asks({ id: 'deploy-7' })).state, 'approved');
  bench.clock.advance(3_600_000);
  await bench.settled();
  const states = stream.told.filter(({ approvalId }) => approvalId === first.id).map(({ state }) => state);
  assert.deepEqual(states, ['approved'], 'nothing of it is left that expires');
});

test('[AT17] after a restart it is pending as before, is answered, and expires; the agent that comes back is told', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const answered = await bench.asks({ id: 'one' });
  const late = await bench.asks({ id: 'two', expiresInSeconds: 60 });
  const decided = await bench.asks({ id: 'three' });
  const inTrace = await bench.asks({ agent: undefined, taskId: undefined, traceId: TRACE });
  await bench.says(NO, OPERATOR, decided.nodeId);
  await bench.restart();
  const traced = bench.waits(AGENT, { traceId: TRACE });
  await bench.says(YES, OPERATOR, inTrace.nodeId);
  assert.deepEqual(
    traced.told.map(({ approvalId }) => approvalId),
    [inTrace.id],
  );
  const stream = bench.waits();
  assert.deepEqual(
    stream.told.map(({ approvalId, state }) => [approvalId, state]),
    [[decided.id, 'denied']],
    'who had not said that it has it',
  );
  assert.deepEqual(await bench.asks({ id: 'one' }), answered);
  await bench.says(YES, OPERATOR, answered.nodeId);
  await assert.rejects(bench.says(YES, OPERATOR, decided.nodeId), /denied already, by ops/);
  bench.clock.advance(60_000);
  await bench.settled();
  assert.deepEqual(
    stream.told.slice(1).map(({ approvalId, state }) => [approvalId, state]),
    [
      [answered.id, 'approved'],
      [late.id, 'expired'],
    ],
  );
});

test('[AT18] of options one is chosen by who approves, and none by who denies', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const stream = bench.waits();
  const { nodeId } = await bench.asks({ options: ['staging', 'ask ada@example.com'] });
  const shown = bench.node(nodeId).details?.['options'] as readonly string[];
  assert.match(shown[1] ?? '', /^ask \[EMAIL:/);
  for (const wrong of [YES, { ...YES, option: 'production' }, { ...NO, option: 'staging' }])
    await assert.rejects(bench.says(wrong, OPERATOR, nodeId), {
      code: 'INVALID_ARGUMENT',
      message: /^option/,
    });
  await bench.says({ ...YES, option: shown[1] }, OPERATOR, nodeId);
  assert.equal(stream.told[0]?.option, 'ask ada@example.com', 'as the agent gave it');
});

test('[AT19] a key waits for a hundred approvals at once and asks sixty times a minute; what is wrong is named', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  for (let at = 0; at < 60; at++) await bench.asks();
  await assert.rejects(bench.asks(), { code: 'RESOURCE_EXHAUSTED', message: /60 times a minute/ });
  for (let at = 0; at < 40; at++) {
    bench.clock.advance(1_000);
    await bench.asks();
  }
  bench.clock.advance(1_000);
  await assert.rejects(bench.asks(), { code: 'RESOURCE_EXHAUSTED', message: /100 approvals of this key/ });
  await bench.asks({}, OTHER);
  for (const [wrong, message] of [
    [{ question: '' }, /^question/],
    [{ agent: undefined, taskId: undefined }, /^agent is required/],
    [{ options: ['a', 'a'] }, /^options/],
    [{ options: 'a' }, /^options/],
    [{ options: Array.from({ length: 11 }, (_, at) => String(at).padStart(100, 'x')) }, /^options/],
    [{ expiresInSeconds: 1 }, /^expiresInSeconds must be a number from 5/],
  ] as const)
    await assert.rejects(bench.asks(wrong), { code: 'INVALID_ARGUMENT', message });
});

test('[AT20] of a task that is erased nothing is told or recorded any more', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const { nodeId } = await bench.asks({ expiresInSeconds: 60 });
  const decided = await bench.asks({ agent: 'X' });
  await bench.says(YES, OPERATOR, decided.nodeId);
  const unnamed = await bench.asks({
    taskId: undefined,
    traceId: TRACE,
    nodeId: `${TRACE}:${'1'.padStart(16, '0')}`,
  });
  assert.equal(bench.node(unnamed.nodeId).taskId, 'T1');
  bench.approvals.forget(['T1']);
  bench.engine.correlator.erase(bench.engine.graph.nodesOfTask('T1'));
  bench.clock.advance(60_000);
  await bench.settled();
  assert.deepEqual(bench.waits(AGENT, { taskId: 'T1' }).told, []);
  assert.equal(bench.engine.graph.node(nodeId), undefined);
  assert.equal(bench.engine.graph.nodeCount, 0);
  bench.clock.advance(3_600_000);
  await bench.settled();
  assert.equal(bench.engine.graph.nodeCount, 0);
});
