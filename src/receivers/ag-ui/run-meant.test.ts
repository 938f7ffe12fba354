import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { countingMetrics, TestReceiver } from './ag-ui-for-test.ts';

type Event = Readonly<Record<string, unknown>>;

function started(runId: string, threadId = `thread of ${runId}`): Event {
  return { type: 'RUN_STARTED', threadId, runId };
}

function finished(runId: string): Event {
  return { type: 'RUN_FINISHED', threadId: `thread of ${runId}`, runId };
}

const BEGUN: Event = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
const ENDED: Event = { type: 'TEXT_MESSAGE_END', messageId: 'm' };
const THOUGHT: Event = { type: 'REASONING_MESSAGE_START', messageId: 'r' };
const CALLED: Event = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look' };
const REFUSED: Event = { type: 'RUN_STARTED', threadId: 'whose' };
/** What goes on without having begun. */
const CONTINUED: readonly Event[] = [
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'of another' },
  { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r', delta: 'of another' },
  { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: 'of another' },
];

/** All that is known of a run. */
function told(to: TestReceiver, runId: string): string {
  const root = to.of('run').find(({ attributes }) => attributes.get('agui.run') === runId);
  const spans = to.spans.filter(({ traceId }) => traceId === root?.traceId);
  const thoughts = to.thoughts.filter(({ traceId }) => traceId === root?.traceId);
  return JSON.stringify([spans.map((span) => [span, [...span.attributes]]), thoughts]);
}

async function withOpenRun(events: readonly Event[] = [BEGUN, THOUGHT, CALLED]) {
  const { metrics, rejected } = countingMetrics();
  const to = new TestReceiver(metrics);
  await to.post([started('one'), ...events]);
  return { to, rejected, before: told(to, 'one') };
}

test('[AG34] what goes on in a body that has begun a run enters no other run that goes on, whatever ids are equal', async () => {
  const { to, rejected, before } = await withOpenRun();
  const answer = await to.post([started('two'), ...CONTINUED, finished('two'), ...CONTINUED]);
  assert.equal(told(to, 'one'), before);
  assert.deepEqual([answer.body.accepted, answer.body.rejected], [2, 6]);
  assert.match(answer.body.errors[0]?.message ?? '', /^it may be of several runs that go on: name the one/);
  assert.deepEqual(
    answer.body.errors.map(({ index }) => index),
    [1, 2, 3, 5, 6, 7],
  );
  assert.equal(rejected.get('no-run'), 6);
});

test('[AG34] an id that was used in a run that is over means that one in the same conversation alone', async () => {
  const { to } = await withOpenRun();
  await to.post([finished('one')]);
  const before = told(to, 'one');
  await to.post([started('two'), ...CONTINUED, finished('two')]);
  assert.equal(told(to, 'one'), before);
  assert.match(told(to, 'two'), /of another/);
  await to.post([started('three', 'thread of one'), ...CONTINUED.slice(2)]);
  assert.match(told(to, 'one'), /of another/);
});

test('[AG34] of several runs that go on an event without a name is of the one that waits for it, else of none', async () => {
  const { to } = await withOpenRun();
  await to.post([started('two')]);
  await to.post([CONTINUED[0], ENDED]);
  assert.match(told(to, 'one'), /of another/);
  const before = told(to, 'one');
  assert.equal((await to.post([CONTINUED[0]])).body.rejected, 1, 'it has ended');
  await to.post([BEGUN, THOUGHT], { runId: 'two' });
  assert.equal((await to.post([CONTINUED[1]])).body.rejected, 1, 'both wait for it');
  assert.equal(told(to, 'one'), before);
});

test('[AG34] after a RUN_STARTED that was refused what names no run is dropped, counted and named, until one is taken', async () => {
  const { to, rejected, before } = await withOpenRun([]);
  const rest = [
    BEGUN,
    THOUGHT,
    { type: 'STEP_STARTED', stepName: 's' },
    ...CONTINUED,
    { type: 'RUN_ERROR', message: 'x' },
  ];
  const answer = await to.post([REFUSED, ...rest]);
  assert.deepEqual([answer.body.accepted, answer.body.rejected], [0, 8]);
  assert.match(answer.body.errors[1]?.message ?? '', /^the RUN_STARTED before it was refused/);
  for (const event of rest) assert.equal((await to.post([event])).body.rejected, 1);
  assert.equal(rejected.get('no-run'), 14);
  assert.equal(told(to, 'one'), before);
  assert.equal(to.of('run').length, 1);
  await to.post([BEGUN], { runId: 'one' });
  assert.notEqual(told(to, 'one'), before, 'who names a run means that');
  await to.post([started('two')]);
  assert.equal((await to.post([CONTINUED[0]])).body.rejected, 0);
});

test('[AG34] a body that was refused as a whole has begun no run either', async () => {
  const { to, before } = await withOpenRun([]);
  to.consumer.refusal = new BoundaryError('UNAVAILABLE', 'draining');
  await assert.rejects(to.post([started('two')]), { code: 'UNAVAILABLE' });
  to.consumer.refusal = undefined;
  assert.equal((await to.post([BEGUN])).body.rejected, 1);
  assert.equal(told(to, 'one'), before);
});

test('[AG34] where a request names its run, what follows a refused RUN_STARTED is of that', async () => {
  const { to, before } = await withOpenRun([]);
  await to.post([REFUSED, BEGUN, CONTINUED[0]], { runId: 'two' });
  assert.equal(told(to, 'one'), before);
  assert.match(told(to, 'two'), /of another/);
});
