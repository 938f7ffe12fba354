import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { MetricFacts } from '../model/metric-facts.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import type { Taken } from './journal.ts';
import { T0, point } from './metrics/metrics.test-support.ts';

const STEPS = 1000;
const CPU = 'process.cpu.utilization';

/** Steps that run, or have ended, of the program that `point` tells of. */
function steps(count: number, ms: number | 'running' = 'running', from = 0): SafeRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    ...span(1, { ms, attrs: { 'gen_ai.operation.name': 'chat' } }),
    spanId: (from + i + 1).toString(16).padStart(16, '0'),
  }));
}

/** Pauses after every so many looks; in each it is counted how many nodes show a metric. */
function watched(
  looks: number,
  append: (taken: readonly Taken[]) => Promise<void> = () => Promise.resolve(),
) {
  const shown: number[] = [];
  // Settled in the pause itself: who looked from time to time might find all of them joined.
  const some = Promise.withResolvers<void>();
  const count = (): number =>
    [...engine.graph.everything().nodes].filter(({ details }) => details?.['metrics'] !== undefined).length;
  const pace = hurriedPace([looks], () => {
    const nodes = count();
    shown.push(nodes);
    if (nodes > 0) some.resolve();
  });
  const { engine } = makeEngine({ pace, journal: { append } });
  return { engine, correlator: engine.correlator, shown, count, someJoined: some.promise };
}

test('[EL7] one point that tells of a thousand running steps is joined to them in pieces', async () => {
  const { correlator, shown, count } = watched(4);
  await correlator.consume(batchOf(steps(STEPS)));
  shown.length = 0;
  await correlator.consume(batchOf([point(CPU, { time: 5 })]));
  assert.equal(count(), STEPS);
  const partial = new Set(shown.filter((nodes) => nodes > 0 && nodes < STEPS));
  assert.ok(partial.size >= 10, `${partial.size} pauses with a part of them`);
  assert.ok(shown.filter((nodes) => nodes === 0).length >= 3, 'what ran when is put in order in pieces, too');
});

test('[EL7] the points of a large batch are taken in pieces', async () => {
  const { correlator, shown } = watched(40);
  const points = Array.from({ length: STEPS }, (_, i) => point(CPU, { time: i }));
  await correlator.consume(batchOf(points));
  // As often as there are points in forty, while they are read and while they are taken.
  assert.ok(shown.length >= (1.6 * STEPS) / 40, `${shown.length} pauses`);
});

test('[EL7] who brings no points does not wait until others are joined', async () => {
  const { correlator, count } = watched(40);
  await correlator.consume(batchOf(steps(STEPS)));
  const point5 = correlator.consume(batchOf([point(CPU, { time: 5 })]));
  let joined = 0;
  await correlator.consume(batchOf(steps(1, 10, STEPS))).then(() => (joined = count()));
  assert.ok(joined < STEPS / 2, `${joined} of ${STEPS} steps were joined before`);
  await point5;
  assert.ok(count() >= STEPS);
});

test('[EL7] what was joined to ended steps is kept in pieces, each once', async () => {
  const kept: MetricFacts[][] = [];
  const { correlator } = watched(2, (taken) => {
    const metrics = taken.flatMap(({ facts }) => (facts.kind === 'metric' ? [facts] : []));
    if (metrics.length > 0) kept.push(metrics);
    return Promise.resolve();
  });
  await correlator.consume(batchOf(steps(STEPS, 10_000)));
  await correlator.consume(batchOf([point(CPU, { time: 5 })]));
  assert.equal(kept.flat().length, STEPS);
  assert.equal(new Set(kept.flat().map(({ source }) => source)).size, STEPS);
  assert.ok(Math.max(...kept.map(({ length }) => length)) <= STEPS / 2, `${kept.length} pieces`);
});

test('[ME11] a clean stop keeps what running steps have, and what was not joined to them yet', async () => {
  const kept: MetricFacts[] = [];
  const { correlator, count, someJoined } = watched(40, (taken) => {
    for (const { facts } of taken) if (facts.kind === 'metric') kept.push(facts);
    return Promise.resolve();
  });
  await correlator.consume(batchOf(steps(STEPS)));
  const taken = correlator.consume(batchOf([point(CPU, { time: 5 })]));
  await someJoined;
  assert.ok(count() < STEPS);
  await correlator.keepMetrics();
  await taken;
  assert.equal(kept.length, STEPS);
  assert.ok(kept.every(({ gathered }) => gathered?.[CPU]?.through === T0 + 5000));
});

test('[ME10] a step that leaves memory before a point was joined to it leaves with it', async () => {
  const { engine, correlator, count, someJoined } = watched(40);
  const left: unknown[] = [];
  engine.onLeaving((nodes) => left.push(...nodes.map(({ node }) => node.details?.['metrics'] !== undefined)));
  await correlator.consume(batchOf(steps(STEPS)));
  const taken = correlator.consume(batchOf([point(CPU, { time: 5 })]));
  await someJoined;
  assert.ok(count() < STEPS);
  engine.takeOut(engine.graph.everything().nodes.map(({ id }) => id));
  await taken;
  assert.deepEqual(left, Array<boolean>(STEPS).fill(true));
});
