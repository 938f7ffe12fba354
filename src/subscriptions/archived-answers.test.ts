import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompareAnswer } from '../model/compare.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import type { Engine } from '../service/engine.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf } from '../../test/support/world.ts';

/** Calls below the first one, the fourth of which took long; the last failed. */
async function told(): Promise<Engine> {
  const store = new StoreModel();
  const { engine } = makeEngine({ journal: store, archive: store });
  engine.onLeaving((nodes) => store.archive(nodes));
  const steps = [1, 2, 3, 4, 5, 6, 7].map((n) =>
    span(n, {
      ...(n > 1 && { parent: 1 }),
      at: 10 * n,
      ms: n === 4 ? 900 : 5,
      status: n === 7 ? 'ERROR' : 'OK',
      attrs: { taskID: 'T', 'model.name': 'm' },
    }),
  );
  const other = [1, 2, 3].map((n) =>
    span(100 + n, {
      ...(n > 1 && { parent: 101 }),
      at: 10 * n,
      attrs: { taskID: 'U', 'model.name': `m${n}` },
    }),
  );
  await engine.correlator.consume(batchOf([...steps, ...other]));
  return engine;
}

async function answersOf({ reader }: Engine): Promise<{
  readonly why: WhyAnswer;
  readonly spikes: SpikesAnswer;
  readonly compare: CompareAnswer;
  readonly summary: TaskSummary;
}> {
  const why = await reader.why({ nodeId: nodeId(7) });
  const nodes = why.graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    why: { ...why, graph: { ...why.graph, nodes, lastUpdated: '' } },
    spikes: await reader.spikes('T'),
    compare: await reader.compare({ a: 'U', b: 'T' }),
    summary: await reader.summary('T'),
  };
}

for (const [what, ids] of [
  ['the step asked about', [7]],
  ['what led to it', [1, 2, 3, 4, 5, 6]],
  ['all of it', [1, 2, 3, 4, 5, 6, 7]],
  ['part of what it is compared with', [102, 103]],
  ['both tasks', [1, 2, 3, 4, 5, 6, 7, 101, 102, 103]],
] as const)
  test(`[SU26] why, spikes, compare and summary answer as if nothing had left memory: ${what}`, async () => {
    const engine = await told();
    const before = await answersOf(engine);
    assert.deepEqual(
      before.spikes.spikes.map(({ nodeId }) => nodeId),
      [nodeId(4)],
    );
    assert.deepEqual(before.compare.counts, { same: 0, differing: 3, onlyA: 0, onlyB: 4, textsCompared: 3 });
    assert.match(before.summary.sentences.at(-1)?.text ?? '', /cost/);
    engine.takeOut(ids.map((n) => nodeId(n)));
    assert.deepEqual(await answersOf(engine), before);
  });
