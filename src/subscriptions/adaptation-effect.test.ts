import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf } from '../../test/support/world.ts';
import { ManualClock } from '../base/clock.ts';
import type { AdaptationTimeline } from '../model/adaptation-effect.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { findEffect } from './adaptation-effect.ts';

const timeline: AdaptationTimeline = {
  id: 'tone',
  versions: [{ version: 1, from: 0, enabled: true, scope: {} }],
};

test('[AD11] the effect is as if nothing had left memory; what still runs is not looked at', async () => {
  const store = new StoreModel();
  const { engine } = makeEngine({ journal: store, archive: store });
  engine.onLeaving((nodes) => store.archive(nodes));
  const steps = [1, 2, 3, 4, 5].flatMap((task) => {
    const traceId = `${task}`.repeat(32);
    const refs = { 'explain.adaptations': task % 2 === 0 ? ['tone@1'] : ['other@1'] };
    return [
      span(10 * task, { traceId, ms: task === 5 ? 'running' : 5, attrs: { taskID: `T${task}` } }),
      span(10 * task + 1, {
        traceId,
        parent: 10 * task,
        status: task === 1 ? 'ERROR' : 'OK',
        attrs: { taskID: `T${task}`, 'model.name': 'm', ...refs },
      }),
    ];
  });
  await engine.correlator.consume(batchOf(steps));
  const { reader } = engine;
  const nodesOf = async (taskId: string): Promise<readonly ExplanationNode[]> => {
    const nodes = [...(await reader.nodesInMemory(taskId))];
    for await (const page of store.archivedTask(taskId)) nodes.push(...page.map(({ node }) => node));
    return nodes;
  };
  const before = await reader.adaptationEffect(timeline, nodesOf);
  const [comparison] = before.comparisons;
  assert.deepEqual(
    [comparison?.with.tasks, comparison?.than.tasks, comparison?.than.failed, before.tasks.compared],
    [2, 2, 1, 4],
  );
  engine.takeOut([nodeId(10, '1'.repeat(32)), nodeId(11, '1'.repeat(32)), nodeId(21, '2'.repeat(32))]);
  assert.deepEqual(await reader.adaptationEffect(timeline, nodesOf), before);
});

test('[AD11] a thousand tasks are compared in turns of the event loop; that there are more is said', async () => {
  const all = Array.from(
    { length: 1_500 },
    (_, n) =>
      ({
        taskId: `T${n}`,
        status: 'OK',
        state: 'ENDED',
        agents: [],
        nodes: 3,
        types: {},
        durationMs: n,
        firstTimestamp: new Date(n).toISOString(),
        lastChanged: new Date(n).toISOString(),
      }) as unknown as TaskOverview,
  );
  let turns = 0;
  const { tasks, truncated, comparisons } = await findEffect(timeline, {
    clock: new ManualClock(),
    pace: hurriedPace([20], () => turns++),
    tasks: ({ cursor = '0', limit = 0 }) => {
      const next = Number(cursor) + limit;
      return { tasks: all.slice(Number(cursor), next), ...(next < all.length && { nextCursor: `${next}` }) };
    },
    nodesOf: async (taskId) =>
      [{ id: taskId, details: { adaptations: [`tone@${Number(taskId.slice(1)) % 2}`] } }] as never,
  });
  assert.deepEqual([tasks.compared, truncated], [1_000, true]);
  assert.equal(comparisons[0]?.latencyMs?.meanInterval?.length, 2);
  // A thousand samples of each measure that is known, of both groups, are drawn between looks at the clock.
  assert.ok(turns > 150, `${turns}`);
});
