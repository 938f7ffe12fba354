import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../base/clock.ts';
import { ClientError } from '../../client/client-error.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import { TASK_SORTS, type TaskPage, type TaskQuery } from '../../model/task-query.ts';
import type { Engine } from '../../service/engine.ts';
import { keyIn, comparePlaces } from '../../subscriptions/task-order.ts';
import { cellOf } from '../../../test/support/cell-of.ts';
import { makeEngine } from '../../../test/support/make-engine.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { span } from '../../../test/support/records.ts';
import { batchOf } from '../../../test/support/world.ts';
import type { AskedCell } from './asked-cell.ts';
import { mergedTasks } from './merged-tasks.ts';

/** A trace of one step: a part of a task, in a cell. */
interface Trace {
  readonly task: number;
  readonly cell: number;
  readonly at: number;
  readonly cost: number | undefined;
  readonly failed: boolean;
  readonly agent: string;
}

const CELLS = 3;
const clock = new ManualClock();

const traceArbitrary: fc.Arbitrary<Trace> = fc.record({
  task: fc.nat(7),
  cell: fc.nat(CELLS - 1),
  at: fc.nat(9),
  cost: fc.option(fc.constantFrom(0, 1, 2, 5), { nil: undefined }),
  failed: fc.boolean(),
  agent: fc.constantFrom('coder', 'critic'),
});

/** What every cell has, and what one process would have. */
async function world(traces: readonly Trace[]): Promise<{
  readonly engines: readonly Engine[];
  readonly cells: readonly AskedCell[];
  readonly one: Engine;
}> {
  const engines = Array.from({ length: CELLS }, () => makeEngine().engine);
  const one = makeEngine().engine;
  for (const [i, { task, cell, at, cost, failed, agent }] of traces.entries()) {
    const record = span(1, {
      traceId: (i + 1).toString(16).padStart(32, '0'),
      at: at * 1000,
      status: failed ? 'ERROR' : 'OK',
      attrs: {
        taskID: `t${task}`,
        component: agent,
        'model.name': 'm',
        ...(cost !== undefined && { 'cost.usd': cost }),
      },
    });
    for (const engine of [one, engines[cell]]) await engine?.correlator.consume(batchOf([record]));
  }
  return { engines, cells: engines.map((engine, i) => cellOf(`c${i}`, engine)), one };
}

/** All pages of a list. */
async function pagesOf(
  ask: (query: TaskQuery) => Promise<TaskPage>,
  query: TaskQuery,
): Promise<TaskOverview[]> {
  const all: TaskOverview[] = [];
  for (let cursor: string | undefined, pages = 0; ; pages++) {
    assert.ok(pages < 100, 'the list does not end');
    const page = await ask({ ...query, cursor });
    assert.ok(page.tasks.length <= (query.limit ?? 1000));
    all.push(...page.tasks);
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
  }
}

function figures({
  taskId,
  status,
  state,
  nodes,
  errors,
  costUsd,
  firstTimestamp,
  agents,
}: TaskOverview): object {
  return { taskId, status, state, nodes, errors, costUsd, firstTimestamp, agents };
}

test('[GA5] pages of the merged list are those of one process where it goes by time, whatever cells the parts of tasks are in', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(traceArbitrary, { maxLength: 16 }),
      fc.constantFrom('newest' as const, 'oldest' as const),
      fc.integer({ min: 1, max: 5 }),
      async (traces, sort, limit) => {
        const { cells, one } = await world(traces);
        const merged = await pagesOf((query) => mergedTasks(cells, query, clock), { sort, limit });
        const whole = (await one.reader.listTasks({ sort })).tasks;
        assert.deepEqual(merged.map(figures), whole.map(figures));
        const inCells = (taskId: string): string[] =>
          [
            ...new Set(traces.flatMap(({ task, cell }) => (`t${task}` === taskId ? [`c${cell}`] : []))),
          ].sort();
        for (const { taskId, cells: several } of merged)
          assert.deepEqual(several ?? [inCells(taskId)[0]], inCells(taskId));
      },
    ),
    propertyRuns(),
  ));

test('[GA5] in every order, with a filter, each task is listed once, where the first of its parts that match is', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(traceArbitrary, { maxLength: 16 }),
      fc.constantFrom(...TASK_SORTS),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<TaskQuery>(
        {},
        { status: 'ERROR' },
        { status: 'OK' },
        { agent: 'coder' },
        { taskIds: ['t1', 't2'] },
      ),
      async (traces, sort, limit, filter) => {
        const { engines, cells, one } = await world(traces);
        const merged = await pagesOf((query) => mergedTasks(cells, query, clock), { ...filter, sort, limit });
        const wanted = (await one.reader.listTasks({ ...filter, sort })).tasks;
        assert.deepEqual(
          new Set(merged.map(({ taskId }) => taskId)),
          new Set(wanted.map(({ taskId }) => taskId)),
        );
        assert.equal(new Set(merged.map(({ taskId }) => taskId)).size, merged.length);
        // The oracle: every part by itself, then the home of each task.
        const keyOf = keyIn(sort, clock.now());
        const places = await Promise.all(
          engines.map(async ({ reader }) =>
            (await reader.listTasks({ ...filter, sort })).tasks.map((task) => ({
              key: keyOf(task),
              taskId: task.taskId,
            })),
          ),
        );
        const inOrder = places.flat().sort((a, b) => comparePlaces(a, b, sort));
        const isTheLast = sort === 'newest';
        const ids = (isTheLast ? inOrder.toReversed() : inOrder).map(({ taskId }) => taskId);
        const homes = [...new Set(ids)].filter((id) => wanted.some(({ taskId }) => taskId === id));
        assert.deepEqual(
          merged.map(({ taskId }) => taskId),
          isTheLast ? homes.toReversed() : homes,
        );
      },
    ),
    propertyRuns(),
  ));

test('[GA5] an order by figures says where a task in several cells stands', async () => {
  const { cells } = await world([
    { task: 1, cell: 0, at: 0, cost: 2, failed: false, agent: 'a' },
    { task: 1, cell: 1, at: 1, cost: 2, failed: false, agent: 'a' },
    { task: 2, cell: 0, at: 2, cost: 3, failed: false, agent: 'a' },
  ]);
  const dearest = await mergedTasks(cells, { sort: 'cost' }, clock);
  assert.deepEqual(
    dearest.tasks.map(({ taskId, costUsd }) => [taskId, costUsd]),
    [
      ['t2', 3],
      ['t1', 4],
    ],
  );
  assert.match(dearest.notices?.[0] ?? '', /in several cells stands where the part/);
  assert.equal((await mergedTasks(cells, {}, clock)).notices, undefined);
});

test('[GA6] the list ends though a cell has another clock, keeps to no order, or sends pages that are empty', async () => {
  const { engines } = await world(
    [1, 2, 3, 4].map((n) => ({ task: n, cell: n % 2, at: n, cost: n, failed: false, agent: 'a' })),
  );
  const [first, second] = engines;
  assert.ok(first && second);
  const turned = cellOf('c1', second, {
    findTasks: async (query) => {
      const page = await second.reader.listTasks({ ...query, cursor: undefined });
      return { ...page, tasks: page.tasks.toReversed(), nextCursor: 'on and on' };
    },
  });
  const late = new ManualClock(0);
  for (const sort of TASK_SORTS)
    for (const limit of [1, 2, 10]) {
      const seen = await pagesOf((query) => mergedTasks([cellOf('c0', first), turned], query, late), {
        sort,
        limit,
      });
      assert.equal(new Set(seen.map(({ taskId }) => taskId)).size, seen.length, `${sort} ${limit}`);
    }
});

test('[GA13] a cell that refuses to go on from its own cursor is left out; who asked is not blamed', async () => {
  const { engines } = await world(
    Array.from({ length: 12 }, (_, n) => ({
      task: n % 6,
      cell: n % 2,
      at: n % 9,
      cost: 1,
      failed: false,
      agent: 'coder',
    })),
  );
  const [first, second] = engines as [Engine, Engine];
  const refuses = cellOf('c9', second, {
    findTasks: async (query) => {
      if (query.cursor !== undefined) throw new ClientError('INVALID_ARGUMENT', 'cursor: no');
      return structuredClone(await second.reader.listTasks({ ...query, limit: 1 }));
    },
  });
  const page = await mergedTasks([cellOf('c0', first), refuses], { limit: 5 }, clock);
  assert.match(page.notices?.[0] ?? '', /c9 \(cursor: no\)/);
});
