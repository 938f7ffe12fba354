import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { findPatterns } from './patterns.ts';

/** Two tasks that failed by a tool, two that passed, one that still runs. */
async function told() {
  const store = new StoreModel();
  const { engine } = makeEngine({ journal: store, archive: store });
  engine.onLeaving((nodes) => store.archive(nodes));
  const steps = [1, 2, 3, 4, 5].flatMap((task) => [
    span(10 * task, {
      traceId: `${task}`.repeat(32),
      ms: task === 5 ? 'running' : 5,
      attrs: { taskID: `T${task}` },
    }),
    span(10 * task + 1, {
      traceId: `${task}`.repeat(32),
      parent: 10 * task,
      status: task <= 2 ? 'ERROR' : 'OK',
      attrs: { taskID: `T${task}`, 'gen_ai.tool.name': task <= 2 ? 'fetch' : 'search' },
    }),
  ]);
  await engine.correlator.consume(batchOf(steps));
  return { engine, store };
}

test('[AN24] failed tasks are compared with passed ones; those that still run are neither', async () => {
  const { engine } = await told();
  const { tasks, patterns } = await engine.reader.patterns({});
  assert.deepEqual(tasks, { failed: 2, passed: 2 });
  const fetched = patterns.find(({ what }) => what.tool === 'fetch' && what.type === undefined);
  assert.deepEqual([fetched?.failed, fetched?.passed, fetched?.errors], [2, 0, 2]);
  assert.deepEqual((await engine.reader.patterns({ taskIds: ['T1', 'T3'] })).tasks, { failed: 1, passed: 1 });
  assert.deepEqual((await engine.reader.patterns({ status: ['ERROR'] })).tasks, { failed: 2, passed: 0 });
  await assert.rejects(engine.reader.patterns({ nope: 1 }), { code: 'INVALID_ARGUMENT' });
});

test('[AN24] a replay is no run: it is counted once with what it was played from', async () => {
  const { engine } = await told();
  const nodesOf = async (taskId: string): Promise<readonly ExplanationNode[]> => {
    const nodes = await engine.reader.nodesInMemory(taskId);
    return taskId === 'T2' ? nodes.map((node) => ({ ...node, details: { replayOf: 'T1' } })) : nodes;
  };
  const { tasks } = await engine.reader.patterns({}, undefined, nodesOf);
  assert.deepEqual(tasks, { failed: 1, passed: 2 });
});

test('[AN25] patterns answers as if nothing had left memory', async () => {
  const { engine, store } = await told();
  const { reader } = engine;
  const nodesOf = async (taskId: string): Promise<readonly ExplanationNode[]> => {
    const nodes = [...(await reader.nodesInMemory(taskId))];
    for await (const page of store.archivedTask(taskId)) nodes.push(...page.map(({ node }) => node));
    return nodes;
  };
  const before = await reader.patterns({}, undefined, nodesOf);
  engine.takeOut([nodeId(10, '1'.repeat(32)), nodeId(11, '1'.repeat(32)), nodeId(31, '3'.repeat(32))]);
  assert.deepEqual(await reader.patterns({}, undefined, nodesOf), before);
});

function overview(n: number): TaskOverview {
  return { taskId: `T${n}`, status: n % 2 === 0 ? 'ERROR' : 'OK', state: 'ENDED' } as TaskOverview;
}

test('[AN25] so many tasks and nodes are looked at, for so long; what was left out is said', async () => {
  const clock = new ManualClock();
  const all = Array.from({ length: 1_500 }, (_, n) => overview(n));
  const find = (nodes: number, msATask: number, count = all.length) => {
    let turns = 0;
    const found = findPatterns(
      {},
      {
        clock,
        pace: hurriedPace([20], () => turns++),
        tasks: ({ cursor = '0', limit = 0 }) => {
          const next = Number(cursor) + limit;
          const tasks = all.slice(0, count).slice(Number(cursor), next);
          return next < count ? { tasks, nextCursor: String(next) } : { tasks };
        },
        nodesOf: async () => {
          clock.advance(msATask);
          return Array.from(
            { length: nodes },
            () => ({ id: 'n', type: 'OTHER', agent: 'A', name: 'x' }) as ExplanationNode,
          );
        },
      },
    );
    return found.then(({ tasks, truncated }) => ({ looked: tasks.failed + tasks.passed, truncated, turns }));
  };
  const { turns, ...whole } = await find(1, 0, 900);
  assert.deepEqual(whole, { looked: 900, truncated: undefined });
  assert.ok(turns > 10, 'in turns of the event loop');
  for (const [nodes, msATask, looked] of [
    [1, 0, 1_000],
    [50_000, 0, 4],
    [1, 1_000, 5],
  ] as const) {
    const found = await find(nodes, msATask);
    assert.deepEqual([found.looked, found.truncated], [looked, true]);
  }
});
