import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { countingMetrics, TestReceiver } from './ag-ui-for-test.ts';

function started(runId: string): object {
  return { type: 'RUN_STARTED', threadId: 'th', runId };
}

function finished(runId: string): object {
  return { type: 'RUN_FINISHED', threadId: 'th', runId };
}

function begun(id: string): object {
  return { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' };
}

function said(id: string, delta: string): object {
  return { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta };
}

/** What each task has said, in the order in which it came. */
function textsByTask(to: TestReceiver): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { taskId = '', tokens = [] } of to.thoughts)
    texts[taskId] = (texts[taskId] ?? '') + tokens.join('');
  return texts;
}

test('[AG3] runs of one body that are interleaved stay apart by the ids of what they say', async () => {
  const to = new TestReceiver();
  await to.post([
    started('one'),
    begun('a'),
    started('two'),
    begun('b'),
    said('a', '1'),
    said('b', '2'),
    said('a', '1'),
  ]);
  assert.deepEqual(textsByTask(to), { one: '11', two: '2' });
});

test('[AG3] an id that was used in an earlier run is another step in the next one', async () => {
  const to = new TestReceiver();
  const body = (run: string) => [started(run), begun('m'), said('m', run), finished(run)];
  await to.post([...body('one'), ...body('two')]);
  assert.deepEqual(textsByTask(to), { one: 'one', two: 'two' });
  await to.post([...body('one'), { type: 'RAW', event: 1 }]);
  assert.equal(to.of('run').length, 3, 'a run whose id is used again is another run');
});

test('[AG3] runs of a task that name no times begin one after the other, in one body or several', async () => {
  const to = new TestReceiver();
  const runs = Array.from({ length: 6 }, (_, n) => `run-${n}`);
  const body = (run: string) => [started(run), begun(`m-${run}`), finished(run)];
  const [first = '', second = '', ...others] = runs;
  for (const sent of [[first, second], others]) await to.post(sent.flatMap(body), { taskId: 'T' });
  const starts = to.of('run').map(({ attributes, start }) => ({ run: attributes.get('agui.run'), start }));
  starts.sort((a, b) => a.start - b.start);
  assert.deepEqual(
    starts.map(({ run }) => run),
    runs,
  );
  assert.equal(new Set(starts.map(({ start }) => start)).size, runs.length);
});

test("[AG3] another agent's run is never touched, whatever ids are sent", async () => {
  const to = new TestReceiver();
  await to.post([started('run'), begun('m')], { agent: 'one' });
  const before = to.spans;
  const traces = new Set(before.map(({ traceId }) => traceId));
  for (const event of [
    started('run'),
    begun('m'),
    said('m', 'x'),
    finished('run'),
    { type: 'RUN_ERROR', message: 'x' },
  ])
    await to.post(event, { agent: 'two' });
  assert.deepEqual(
    to.spans.filter(({ traceId }) => traces.has(traceId)),
    before,
  );
});

test('[AG3] events of who names neither task nor run go to none of several open runs', async () => {
  const to = new TestReceiver();
  await to.post([started('one')]);
  await to.post([started('two')]);
  await to.post([begun('m'), said('m', 'x')]);
  assert.deepEqual(textsByTask(to), { m: 'x' });
  await to.post([begun('n'), said('n', 'y')], { runId: 'one' });
  assert.equal(textsByTask(to)['one'], 'y');
});

test('[AG7] a stream that is sent again whole adds nothing, and equal pieces are pieces', async () => {
  const to = new TestReceiver();
  const body = [started('r'), begun('m'), said('m', 'ha'), finished('r')];
  await to.post(body);
  const before = to.consumer.records.length;
  await to.post(body);
  assert.equal(to.consumer.records.length, before);
  await to.post([started('q'), begun('n')]);
  for (let i = 0; i < 3; i++) await to.post(said('n', 'ha'));
  assert.equal(textsByTask(to)['q'], 'hahaha');
});

test('[AG13] ten thousand events a second of one run are limited, counted and said, and another run is not', async () => {
  const { metrics, rejected } = countingMetrics();
  const to = new TestReceiver(metrics);
  await to.post(started('r'));
  const body = Array.from({ length: 1000 }, () => said('m', 'x'));
  let taken = 0;
  let refused = 0;
  for (let second = 0; second < 10; second++)
    for (let tenth = 0; tenth < 10; tenth++) {
      try {
        await to.post(body);
        taken += 1000;
      } catch (error) {
        refused += 1000;
        assert.ok(error instanceof BoundaryError);
        assert.equal(error.code, 'RESOURCE_EXHAUSTED');
        const wait = error.retryAfterMs ?? 0;
        assert.ok(wait > 0 && wait <= 1000, String(wait));
      }
      to.clock.advance(100);
    }
  assert.ok(taken >= 50_000 && taken <= 72_000, String(taken));
  assert.equal(taken + refused, 100_000);
  assert.equal(rejected.get('resource_exhausted'), refused);
  assert.equal(
    to.thoughts.flatMap(({ tokens = [] }) => tokens).length,
    taken,
    'nothing of what was refused is taken',
  );
  await to.post([started('other'), begun('n')]);
});

test('[AG13] what is known of runs is bounded, whatever is left open', async () => {
  const to = new TestReceiver();
  for (let i = 0; i < 2_100; i++) await to.post([started(`r${i}`), begun('m')]);
  await to.post(said('m', 'first'), { runId: 'r0' });
  await to.post(said('m', 'last'), { runId: 'r2099' });
  assert.equal(to.receiver.openRuns, 2_000);
  const many = Array.from({ length: 20_000 }, (_, i) => begun(`m${i}`));
  await to.post([started('many'), ...many], { taskId: 'T' });
  assert.equal(to.receiver.openRuns, 2_000);
});

test('[AG2] an event named like a member of every object is a step like any of a type that is not known', async () => {
  for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const to = new TestReceiver();
    const { status, body } = await to.post([started('r'), { type }, finished('r')]);
    assert.deepEqual([status, body.accepted, body.rejected], [202, 3, 0], type);
  }
});

test('[AG2] an event of a type that is not known begins no run, and its refusal names the type and those that are', async () => {
  for (const more of [{}, { runId: 'r' }]) {
    const to = new TestReceiver();
    const { status, body } = await to.post([{ type: 'RUN_STRATED', ...more }, started('s')]);
    assert.deepEqual([status, body.accepted, body.rejected], [202, 1, 1]);
    assert.equal(body.errors[0]?.index, 0);
    assert.match(body.errors[0]?.message ?? '', /^type: "RUN_STRATED" is not known.*RUN_STARTED, .*CUSTOM$/);
    assert.deepEqual(
      to.of('run').map(({ attributes }) => attributes.get('agui.run')),
      ['s'],
    );
  }
});

test('[AG6] events beyond what is kept of a run are counted, and large ones keep their short fields', async () => {
  const to = new TestReceiver();
  const big = { type: 'STATE_SNAPSHOT', snapshot: 'x'.repeat(200_000) };
  await to.post([started('r'), ...Array.from({ length: 40 }, () => big), finished('r')]);
  const all = to.spans.flatMap(
    ({ attributes }) =>
      (attributes.get('agui.events') ?? []) as unknown as {
        cut?: true;
        beside?: true;
        event: { type: string };
      }[],
  );
  const kept = all.filter(({ beside }) => beside === undefined);
  assert.equal(kept.length, 42);
  assert.equal(kept.filter(({ cut }) => cut === true).length, 20);
  assert.ok(JSON.stringify(kept).length < 5_000_000);
  assert.equal(kept.at(-1)?.event.type, 'RUN_FINISHED');
});

test('[AG3] an event that names its run is of that one, known or not, and so is what a body ends by name', async () => {
  const to = new TestReceiver();
  await to.post([begun('m'), said('m', 'x'), finished('k')]);
  assert.deepEqual(textsByTask(to), { k: 'x' });
  await to.post([started('open'), begun('o')]);
  await to.post([finished('gone')]);
  const ends = to.of('run').map(({ attributes, end }) => [attributes.get('agui.run'), end !== undefined]);
  assert.deepEqual(ends, [
    ['k', true],
    ['open', false],
    ['gone', true],
  ]);
});

test('[AG3] who names a run means that one, though the ids are those of another', async () => {
  const to = new TestReceiver();
  await to.post([started('one'), begun('m')]);
  await to.post([started('two')]);
  await to.post([said('m', 'x'), said('m', 'y')], { runId: 'two' });
  await to.post([said('m', 'z'), said('m', 'z')], { runId: 'unknown' });
  assert.deepEqual(textsByTask(to), { two: 'xy', unknown: 'zz' });
});

test('[AG3] where an agent begins a run under another id than it was given, what follows is of that', async () => {
  const to = new TestReceiver();
  await to.post([started('own'), begun('m')], { runId: 'given' });
  await to.post([said('m', 'x')], { runId: 'given' });
  await to.post([begun('n'), said('n', 'y'), { type: 'RUN_ERROR', message: 'x' }], { runId: 'given' });
  assert.deepEqual(textsByTask(to), { own: 'xy' });
  assert.deepEqual(
    to.of('run').map(({ end }) => end !== undefined),
    [true],
  );
  await to.post([started('given'), finished('given')], { runId: 'given' });
  await to.post([started('next')], { runId: 'given' });
  await to.post([begun('m'), said('m', 'z')], { runId: 'given' });
  assert.deepEqual(textsByTask(to), { own: 'xy', next: 'z' });
});

test('[AG3] what goes on in a task without the name of a run ends with the run of that task', async () => {
  const to = new TestReceiver();
  await to.post([begun('m')], { taskId: 'T' });
  await to.post([said('m', 'x')], { taskId: 'T' });
  await to.post([finished('k')], { taskId: 'T' });
  assert.ok(to.spans.every(({ end, name }) => end !== undefined || name === 'count'));
});

test('[AG3] runs of one id that begin alike are told apart by their number', async () => {
  const [to, again] = [new TestReceiver(), new TestReceiver()];
  for (const receiver of [to, again]) for (let i = 0; i < 3; i++) await receiver.post([started('one')]);
  assert.equal(to.of('run').length, 3);
  assert.deepEqual(
    to.spans.map(({ spanId }) => spanId),
    again.spans.map(({ spanId }) => spanId),
  );
});

test('[AG7] a stream that is sent again after its task was erased is taken again, and that of another task is not', async () => {
  const to = new TestReceiver();
  const body = (run: string) => [started(run), begun(run), said(run, run), finished(run)];
  await to.post(body('one'));
  await to.post(body('two'));
  to.receiver.forget(new Set(['one']));
  await to.post(body('one'));
  await to.post(body('two'));
  assert.deepEqual(textsByTask(to), { one: 'oneone', two: 'two' });
  assert.equal(to.of('run').length, 2);
});
