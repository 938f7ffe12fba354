import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { cot, id, span } from '../../test/support/records.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf } from '../../test/support/world.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import { Pace } from '../base/pace.ts';
import { TaskList, type TaskVersions } from './task-list.ts';

/** Tasks `t0`…, one second apart, of which the later ones cost more. */
async function withTasks(
  count: number,
  store = new StoreModel(),
): Promise<TestEngine & { readonly store: StoreModel }> {
  const target = makeEngine({ journal: store, archive: store });
  target.engine.onLeaving((nodes) => store.archive(nodes));
  for (let i = 0; i < count; i++) await feedTask(target, i);
  return { ...target, store };
}

async function feedTask(
  { engine }: TestEngine,
  i: number,
  attrs: Record<string, string | number> = {},
): Promise<void> {
  await engine.correlator.consume(
    batchOf([
      span(`${i + 1}`, {
        traceId: (i + 1).toString(16).padStart(32, '0'),
        at: i * 1000,
        attrs: {
          taskID: `t${i}`,
          component: i % 2 ? 'critic-agent' : 'coder',
          'model.name': 'm',
          'cost.usd': i,
          ...attrs,
        },
        name: `work ${i}`,
        status: i % 5 === 4 ? 'ERROR' : 'UNSET',
      }),
    ]),
  );
  engine.flush();
}

function rootOf(i: number): string {
  return `${(i + 1).toString(16).padStart(32, '0')}:${id(`${i + 1}`)}`;
}

/** Something happens while it is read. */
class SlowStore extends StoreModel {
  readings = 0;
  duringReading = (): void => undefined;

  override async archivedVersions(): Promise<TaskVersions> {
    this.readings++;
    const versions = await super.archivedVersions();
    this.duringReading();
    return versions;
  }
}

async function list({ engine }: TestEngine, query: TaskQuery = {}): Promise<string> {
  return idsOf(await engine.reader.listTasks(query));
}

function idsOf({ tasks }: TaskPage): string {
  return tasks.map(({ taskId }) => taskId).join(' ');
}

test('[TA3] tasks are filtered and sorted, and a page leads to the next', async () => {
  const target = await withTasks(7);
  assert.equal(await list(target), 't6 t5 t4 t3 t2 t1 t0');
  assert.equal(await list(target, { sort: 'oldest', limit: 2 }), 't0 t1');
  assert.equal(await list(target, { sort: 'cost', limit: 3 }), 't6 t5 t4');
  assert.equal(await list(target, { sort: 'errors', limit: 2 }), 't4 t0');
  assert.equal(await list(target, { status: 'ERROR' }), 't4');
  assert.equal(await list(target, { agent: 'CriticAgent' }), 't5 t3 t1');
  assert.equal(await list(target, { text: 'WORK 3' }), 't3');
  assert.equal(await list(target, { sessionId: 'none' }), '');
  for (const sort of ['newest', 'oldest', 'cost', 'latency', 'tokens', 'errors'] as const) {
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await target.engine.reader.listTasks({ sort, limit: 2, cursor });
      seen.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    assert.deepEqual(seen.toSorted(), ['t0', 't1', 't2', 't3', 't4', 't5', 't6'], sort);
  }
});

test('[TA3] a task that comes between two pages shifts none', async () => {
  const target = await withTasks(4);
  const first = await target.engine.reader.listTasks({ limit: 2 });
  await feedTask(target, 9);
  const second = await target.engine.reader.listTasks({ limit: 2, cursor: first.nextCursor });
  assert.equal(`${idsOf(first)} | ${idsOf(second)}`, 't3 t2 | t1 t0');
  assert.equal(second.nextCursor, undefined);
});

test('[TA3] tasks that began more than a day after now are not the newest', async () => {
  const target = await withTasks(3);
  // Half a day and a year after the others.
  const [ahead, made] = [43_200, 365 * 86_400];
  for (const i of [ahead, made, made + 1]) await feedTask(target, i);
  const seen: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await target.engine.reader.listTasks({ limit: 2, cursor });
    seen.push(idsOf(page));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, [`t${ahead} t2`, 't1 t0', `t${made} t${made + 1}`]);
  assert.equal(await list(target, { sort: 'oldest', limit: 1 }), 't0');
});

test('[TA4] what changes is seen at once, and so is what leaves memory or is erased', async () => {
  const target = await withTasks(3);
  const { engine, store } = target;
  assert.equal((await engine.reader.listTasks({ text: 't1' })).tasks[0]?.status, 'OK');
  await engine.correlator.consume(
    batchOf([
      span('9', {
        parent: '2',
        traceId: '2'.padStart(32, '0'),
        at: 5000,
        status: 'ERROR',
        attrs: { taskID: 't1' },
      }),
    ]),
  );
  const [changed] = (await engine.reader.listTasks({ text: 't1' })).tasks;
  assert.deepEqual([changed?.status, changed?.nodes, changed?.archived], ['ERROR', 2, undefined]);
  engine.takeOut([`${'1'.padStart(32, '0')}:${id('1')}`]);
  engine.flush();
  const after = await engine.reader.listTasks();
  assert.deepEqual(
    after.tasks.map(({ taskId, archived, title }) => [taskId, archived, title]),
    [
      ['t2', undefined, 'work 2'],
      ['t1', undefined, 'work 1'],
      ['t0', true, 'work 0'],
    ],
  );
  store.left.clear();
  engine.forget(['t0']);
  assert.equal(await list(target), 't2 t1');
});

test('[DR4] tasks are counted wherever they are, and those that run', async () => {
  const target = await withTasks(3);
  const { engine, store } = target;
  const counted = (): Promise<unknown> => engine.reader.taskCounts();
  assert.deepEqual(await counted(), { tasks: 3, running: 0 });
  const thought = { traceId: '3'.padStart(32, '0'), final: false };
  await engine.correlator.consume(batchOf([cot('open', thought)]));
  engine.takeOut([rootOf(0)]);
  engine.flush();
  assert.deepEqual(await counted(), { tasks: 3, running: 1 });
  await engine.correlator.consume(batchOf([cot('open', { ...thought, final: true, revision: 2 })]));
  engine.flush();
  store.left.clear();
  engine.forget(['t0']);
  assert.deepEqual(await counted(), { tasks: 2, running: 0 });
});

test('[TA4] a page waits for no more than two readings of the archive, however many nodes leave meanwhile', async () => {
  const store = new SlowStore();
  const target = await withTasks(12, store);
  let next = 0;
  const leave = (): void => void target.engine.takeOut([rootOf(next++)]);
  leave();
  store.duringReading = leave;
  assert.equal((await list(target)).split(' ').length, 12);
  assert.equal(store.readings, 1);
  const first = list(target);
  leave();
  const second = list(target);
  assert.equal((await first).split(' ').length, 12);
  assert.equal((await second).split(' ').length, 12);
  assert.equal(store.readings, 3);
});

test('[TA4] who asks while the archive is read waits for what is read', async () => {
  const target = await withTasks(2);
  target.engine.takeOut([rootOf(0)]);
  assert.deepEqual(await Promise.all([list(target), list(target)]), ['t1 t0', 't1 t0']);
});

test('[TA4] what is erased while the archive is read is not listed', async () => {
  const store = new SlowStore();
  const target = await withTasks(2, store);
  target.engine.takeOut([rootOf(0)]);
  store.duringReading = (): void => target.engine.forget(['t0']);
  assert.equal(await list(target), 't1');
});

test('[TA4] a task is summed up once for all pages while only others change', async (t) => {
  const { engine, clock } = await withTasks(1);
  for (let i = 2; i < 300; i++)
    await engine.correlator.consume(
      batchOf([span(`${i}`, { parent: '1', traceId: '1'.padStart(32, '0'), attrs: { taskID: 't0' } })]),
    );
  engine.flush();
  const { graph } = engine;
  let now = 0;
  // Each look at the clock finds that the turn is over.
  const pace = new Pace({ monotonic: () => (now += 10) });
  const tasks = new TaskList({ graph, clock, pace, bringUpToDate: () => undefined });
  const node = graph.node.bind(graph);
  const looks = t.mock.method(graph, 'node', (nodeId: string) => {
    tasks.changed(['another']);
    return node(nodeId);
  });
  assert.equal((await tasks.page({})).tasks[0]?.nodes, 299);
  const before = looks.mock.callCount();
  assert.equal((await tasks.page({})).tasks[0]?.nodes, 299);
  assert.deepEqual([before, looks.mock.callCount()], [299, 299]);
});

test('[TA2] a task that left memory in part is counted, sorted and filtered as a whole', async () => {
  const target = await withTasks(6);
  const { engine } = target;
  // The root of the task went wrong and cost most.
  await engine.correlator.consume(
    batchOf([span('9', { parent: '5', traceId: '5'.padStart(32, '0'), at: 9000, attrs: { taskID: 't4' } })]),
  );
  engine.flush();
  engine.takeOut([rootOf(4)]);
  engine.flush();
  const [task] = (await engine.reader.listTasks({ status: 'ERROR' })).tasks;
  assert.deepEqual(
    [task?.taskId, task?.nodes, task?.errors, task?.costUsd, task?.title, task?.archived],
    ['t4', 2, 1, 4, 'work 4', undefined],
  );
  assert.equal(await list(target, { sort: 'cost', limit: 2 }), 't5 t4');
  assert.equal(await list(target, { sort: 'oldest' }), 't0 t1 t2 t3 t4 t5');
});

test('[TA7] tasks are asked for by their ids, in memory and archived, with all else that is asked', async () => {
  const target = await withTasks(6);
  target.engine.takeOut([rootOf(1), rootOf(2)]);
  target.engine.flush();
  const taskIds = ['t2', 't4', 'none', 't1', 't4'];
  assert.equal(await list(target, { taskIds }), 't4 t2 t1');
  assert.equal(await list(target, { taskIds, sort: 'oldest', agent: 'coder' }), 't2 t4');
  assert.equal(await list(target, { taskIds: ['none'] }), '');
  const { nextCursor: cursor } = await target.engine.reader.listTasks({ taskIds, limit: 2 });
  assert.equal(await list(target, { taskIds, cursor }), 't1');
});

test('[TA5] what cannot be asked for is refused by name', async () => {
  const { engine } = await withTasks(1);
  const { nextCursor: cursor } = await (await withTasks(2)).engine.reader.listTasks({ limit: 1 });
  for (const [query, field] of [
    [{ sort: 'best' }, /^sort must be one of newest, /],
    [{ status: 'BAD' }, /^status must be one of OK, /],
    [{ limit: 0 }, /^limit must be a whole number from 1 to 1000/],
    [{ limit: 1001 }, /^limit/],
    [{ limit: NaN }, /^limit/],
    [{ cursor: 'x' }, /^cursor must be/],
    [{ cursor, sort: 'cost' }, /^cursor must be/],
    [{ text: 'x'.repeat(2000) }, /^text must be/],
    [{ taskIds: [] }, /^taskIds must be a list of 1 to 1000 ids/],
    [{ taskIds: Array.from({ length: 1001 }, (_, i) => `t${i}`) }, /^taskIds must be/],
    [{ taskIds: ['t0', ''] }, /^taskIds\[1\] is required/],
  ] as const)
    await assert.rejects(async () => engine.reader.listTasks(query), {
      code: 'INVALID_ARGUMENT',
      message: field,
    });
});
