import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf } from '../../test/support/world.ts';
import { call, idOf, spanOf, type Told } from '../analysis/asked.test-support.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import type { Engine } from '../service/engine.ts';

const TASK = 'a'.repeat(32);
const CALLS = 240;

/** Calls of one agent below a root, alike but for what they say. */
function run(root: Partial<Told>): SafeRecord[] {
  const calls = Array.from({ length: CALLS }, (_, i) => ({
    n: i + 2,
    parent: 1,
    name: 'chat',
    at: 10 * i,
    ms: 100,
    attrs: call(
      'A',
      i % 40 === 7 ? `It must be ${1000 + i} of them, in Lisbon${i}.` : `we go on like before: ${i % 2}`,
    ),
  }));
  return [{ n: 1, at: 0, ms: 100_000, ...root }, ...calls].map(spanOf);
}

async function shown({ reader }: Engine): Promise<ReadonlySet<string>> {
  const { nodes } = await reader.getWholeGraph({ filters: { taskIds: [TASK] } });
  return new Set(nodes.filter(({ type }) => type !== 'SUMMARY').map(({ id }) => id));
}

test('[PR15] what why names of a failed task is in sight with its paths, and most of a long run is folded', async () => {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(run({ failed: 'not accepted' })));
  const seen = await shown(engine);
  const { candidates } = await engine.reader.why({ taskId: TASK });
  assert.equal(candidates.length, 5);
  for (const { reasons } of candidates)
    for (const { evidence } of reasons) for (const id of evidence.path) assert.ok(seen.has(id), id);
  assert.ok(seen.size <= 0.2 * CALLS, `${seen.size} are shown`);
});

test('[PR15] of a failed run that fits on a screen no step is folded unless it is routine; a run that passed is folded as before', async () => {
  const small = run({ failed: 'not accepted' }).slice(0, 60);
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(small));
  assert.equal((await shown(engine)).size, 60);
  const passed = makeEngine().engine;
  await passed.correlator.consume(batchOf(run({})));
  assert.deepEqual([...(await shown(passed))], [idOf(1)]);
});

test('[PR15] a run that goes on is not looked at; when it has failed and is quiet, who follows it is told', async () => {
  const { engine, clock } = makeEngine();
  const frames: ServerFrame[] = [];
  await engine.correlator.consume(batchOf(run({ ms: 'running', failed: 'so far' })));
  const sink = { write: (frame: ServerFrame) => void frames.push(frame), writable: true, close() {} };
  engine.reader.subscribe({ filters: { taskIds: [TASK] } }, sink);
  clock.advance(600);
  assert.deepEqual([...(await shown(engine))], [idOf(1)], 'it runs');
  await engine.correlator.consume(batchOf(run({ failed: 'not accepted' }).slice(0, 1)));
  engine.flush();
  clock.advance(600);
  // What is found out comes in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  engine.flush();
  const added = frames.flatMap((frame) => (frame.type === 'update' ? frame.update.addedNodes : []));
  const { candidates } = await engine.reader.why({ taskId: TASK });
  for (const { nodeId } of candidates)
    assert.ok(
      added.some(({ id }) => id === nodeId),
      nodeId,
    );
});
