import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { TestReceiver } from './ag-ui-for-test.ts';

const began = (runId: string) => ({ type: 'RUN_STARTED', threadId: 't', runId });
const ended = (runId: string) => ({ type: 'RUN_FINISHED', threadId: 't', runId });
const said = (messageId: string, delta: string) => ({ type: 'TEXT_MESSAGE_CHUNK', messageId, delta });

/** A store that answers at once, or when it is told to. */
class SlowStore {
  readonly to = new TestReceiver(noMetrics, undefined, () => this.asked());
  isSlow = false;
  private waiting: (() => void)[] = [];

  /** Those that came until now have come as far as they can. */
  async settled(): Promise<void> {
    for (let i = 0; i < 20; i++) await turn();
  }

  answer(): void {
    this.isSlow = false;
    for (const answer of this.waiting.splice(0)) answer();
  }

  private asked(): Promise<undefined> {
    return new Promise((resolve) => {
      if (this.isSlow) this.waiting.push(() => resolve(undefined));
      else resolve(undefined);
    });
  }
}

/** What was said in each task. */
function texts(to: TestReceiver): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const { taskId = '', tokens = [] } of to.thoughts) all[taskId] = (all[taskId] ?? '') + tokens.join('');
  return all;
}

test('[AG13] who begins or names a run waits for no other one', async () => {
  const store = new SlowStore();
  const { to } = store;
  await to.post([began('mine')]);
  store.isSlow = true;
  const long = Array.from({ length: 3_000 }, () => said('m', 'x'));
  const others = [
    to.post([began('a'), said('m', 'x'), ended('a')]),
    to.post([began('long'), ...long, ended('long')]),
    to.post([began('b'), ended('b')], { runId: 'c' }),
  ];
  await store.settled();
  store.isSlow = false;
  let taken = 0;
  void to.post([said('n', 'y'), ended('mine')]).then(() => taken++);
  void to.post([began('new'), ended('new')]).then(() => taken++);
  await store.settled();
  assert.equal(taken, 2, 'they were taken before the others');
  store.answer();
  await Promise.all(others);
  assert.equal(to.of('run').length, 5);
});

test('[AG13] bodies of one run go into it in the order in which they came, and so do those that name none', async () => {
  const store = new SlowStore();
  const { to } = store;
  store.isSlow = true;
  const sent = [
    to.post([began('a'), said('m', '1')]),
    to.post([said('m', '2')], { runId: 'a' }),
    to.post([said('m', '3')]),
    to.post([said('m', '4')], { runId: 'a' }),
    to.post([said('m', '5')]),
    to.post([said('m', '6'), ended('a')]),
  ];
  await store.settled();
  store.answer();
  await Promise.all(sent);
  assert.deepEqual(texts(to), { a: '123456' });
});

test('[AG13] bodies that need the runs of one another are all taken, whole', async () => {
  const store = new SlowStore();
  const { to } = store;
  store.isSlow = true;
  const runs = ['a', 'b', 'c'];
  const sent = runs.flatMap((first, i) =>
    runs
      .filter((other) => other !== first)
      .map((second, j) =>
        to.post([began(first), began(second), said(`m${i}${j}`, 'x'), ended(second), ended(first)]),
      ),
  );
  for (let i = 0; i < 20; i++) {
    await store.settled();
    store.isSlow = true;
    store.answer();
  }
  const answers = await Promise.all(sent);
  assert.deepEqual(
    answers.map(({ body }) => body.accepted),
    sent.map(() => 5),
  );
  assert.equal(Object.values(texts(to)).join('').length, 6);
});
