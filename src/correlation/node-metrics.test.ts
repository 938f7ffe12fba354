import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpanFacts } from '../model/facts.ts';
import type { MetricFacts } from '../model/metric-facts.ts';
import type { Redacted } from '../model/pipeline.ts';
import type { MetricRecord } from '../model/records.ts';
import { Bench, exemplar, point, sourceOf, step } from './metrics/metrics.test-support.ts';

const CPU = 'process.cpu.utilization';
type Item = SpanFacts | Redacted<MetricRecord>;

/** What is shown of step 1, whichever order these come in. */
function inAnyOrder(...items: readonly Item[]): ReturnType<Bench['of']> {
  const expected = new Bench().take(...items).of(1);
  for (const order of ordersOf(items)) assert.deepEqual(new Bench().take(...order).of(1), expected);
  return expected;
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => ordersOf(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

test('[ME6] points of the same program within a step are shown in it: last, least, greatest, mean', () => {
  const shown = inAnyOrder(
    step(1, { from: 0, to: 10 }),
    point(CPU, { time: 0, value: 0.5 }),
    point(CPU, { time: 10, value: 0.2 }),
    point(CPU, { time: 10.001, value: 9 }),
    point(CPU, { time: 5, value: 0.9, at: 'another service' }),
  );
  assert.deepEqual(shown, {
    [CPU]: { last: 0.2, min: 0.2, max: 0.5, avg: 0.35, points: 2, unit: '1', by: 'resource and time' },
  });
});

test('[ME6] a step that runs takes points until its end is known, and loses those after it', () => {
  const bench = new Bench().take(
    step(1, { to: 'running' }),
    point(CPU, { time: 5 }),
    point(CPU, { time: 50 }),
  );
  assert.equal(bench.of(1)?.[CPU]?.points, 2);
  bench.take(step(1, { to: 20 }));
  assert.equal(bench.of(1)?.[CPU]?.points, 1);
  bench.take(step(1, { to: 2 }));
  assert.equal(bench.of(1), undefined);
});

test('[ME6] the same point again, from the same or another export, counts once', () => {
  const shown = inAnyOrder(
    step(1),
    point(CPU, { time: 5, value: 0.5 }),
    point(CPU, { time: 5, value: 0.5 }),
    point(CPU, { time: 5, value: 0.75 }),
  );
  assert.deepEqual([shown?.[CPU]?.points, shown?.[CPU]?.last], [1, 0.75]);
});

test('[ME6] a program is told by service.instance.id, else by its name, host, process and pod', () => {
  const id = { 'service.name': 'svc', 'service.instance.id': 'i1' };
  const is = (a: object, b: object): boolean =>
    new Bench().take(step(1, { at: a as never }), point(CPU, { at: b as never })).of(1) !== undefined;
  assert.ok(is(id, { ...id, 'host.name': 'only the metrics know it' }));
  assert.ok(!is(id, { ...id, 'service.instance.id': 'i2' }));
  assert.ok(!is(id, { ...id, 'service.name': 'other' }));
  const place = { 'service.name': 'svc', 'host.name': 'h', 'process.pid': 7 };
  assert.ok(is(place, { ...place, 'telemetry.sdk.name': 'x' }));
  assert.ok(!is(place, { ...place, 'process.pid': 8 }));
  assert.ok(!is({}, {}), 'a resource that says nothing joins nothing');
});

test('[ME6] figures of a machine are joined to all that ran on it, those of another program are not', () => {
  const onHost = { 'service.name': 'svc', 'host.name': 'h' };
  const receiver = { 'service.name': 'collector', 'host.name': 'h' };
  const bench = new Bench().take(
    step(1, { at: onHost }),
    point('system.cpu.utilization', { at: receiver, value: 0.7 }),
    point('hw.gpu.utilization', { at: receiver, value: 0.9, attrs: { 'hw.id': 'gpu0' } }),
    point('hw.gpu.utilization', { at: receiver, value: 0.1, attrs: { 'hw.id': 'gpu1' } }),
    point('process.memory.usage', { at: receiver, value: 3 }),
    point('system.cpu.utilization', { at: { ...receiver, 'host.name': 'other' }, value: 0.1 }),
  );
  assert.deepEqual(
    Object.entries(bench.of(1) ?? {}).map(([label, { last }]) => [label, last]),
    [
      ['hw.gpu.utilization{hw.id=gpu0}', 0.9],
      ['hw.gpu.utilization{hw.id=gpu1}', 0.1],
      ['system.cpu.utilization', 0.7],
    ],
  );
});

test('[ME7] a counter that only grows is shown by what it grew, from the point before on and over resets', () => {
  const time = 'process.cpu.time';
  const at = (seconds: number, value: number, start = -1000): Redacted<MetricRecord> =>
    point(time, {
      time: seconds,
      start,
      value,
      instrument: 'sum',
      temporality: 'cumulative',
      monotonic: true,
    });
  const shown = inAnyOrder(
    step(1, { from: 0, to: 30 }),
    at(-5, 1000),
    at(5, 1002),
    at(15, 1005),
    // The program was started anew in between.
    at(25, 4, 20),
  );
  const { last, min, max, avg, points, sum } = shown?.[time] ?? {};
  assert.deepEqual(
    { last, min, max, avg, points, sum },
    { last: 4, min: 2, max: 4, avg: 3, points: 3, sum: 9 },
  );
  const alone = new Bench().take(step(1), at(5, 1000)).of(1);
  assert.equal(alone, undefined, 'nobody knows how much of the first point belongs to the step');
  const fresh = inAnyOrder(step(1), at(5, 7, 2), at(8, 9, 2));
  assert.equal(fresh?.[time]?.sum, 9, 'all of it, where it began within the step');
});

test('[ME7] of a cumulative distribution the difference is shown, of a delta what it says', () => {
  const waits = (time: number, count: number, sum: number, temporality: 'cumulative' | 'delta') =>
    point('agent.queue.wait', {
      time,
      instrument: 'histogram',
      temporality,
      unit: 'ms',
      value: { count, sum, min: 1, max: 99 },
    });
  const cumulative = inAnyOrder(step(1), waits(-5, 10, 100, 'cumulative'), waits(5, 14, 180, 'cumulative'));
  assert.deepEqual(cumulative?.['agent.queue.wait'], {
    last: 20,
    min: 20,
    max: 20,
    avg: 20,
    points: 4,
    sum: 80,
    unit: 'ms',
    by: 'resource and time',
  });
  const delta = inAnyOrder(step(1), waits(4, 1, 30, 'delta'), waits(5, 3, 10, 'delta'));
  const { last, min, max, avg, points, sum } = delta?.['agent.queue.wait'] ?? {};
  assert.deepEqual([last, min, max, avg, points, sum], [3.33333333333, 1, 99, 10, 4, 40]);
});

test('[ME7] a sum that can fall is a level, and levels have no sum', () => {
  const bench = new Bench().take(
    step(1),
    point('worker.queue.depth', { instrument: 'sum', temporality: 'cumulative', value: 12 }),
  );
  assert.deepEqual(bench.of(1)?.['worker.queue.depth'], {
    last: 12,
    min: 12,
    max: 12,
    avg: 12,
    points: 1,
    unit: '1',
    by: 'resource and time',
  });
});

test('[ME5] a measurement that names a span belongs to it, whatever its name, its resource and its time', () => {
  const tokens = 'gen_ai.client.token.usage';
  const attrs = { 'gen_ai.token.type': 'input', 'server.address': 'one of many' };
  const histogram = {
    instrument: 'histogram',
    temporality: 'cumulative',
    unit: '{token}',
    value: { count: 9, sum: 900, min: 1, max: 500 },
    attrs,
  } as const;
  const shown = inAnyOrder(
    step(1, { tokensIn: 7 }),
    point(tokens, { ...histogram, time: 60, at: 'elsewhere', exemplars: [exemplar(1, 120), exemplar(2, 5)] }),
    point(tokens, { ...histogram, time: 120, at: 'elsewhere', exemplars: [exemplar(1, 120)] }),
    point('my.own.figure', { time: 60, exemplars: [exemplar(1, 3, 6), exemplar(1, 4, 2)] }),
  );
  assert.deepEqual(shown, {
    [`${tokens}{gen_ai.token.type=input}`]: {
      last: 120,
      min: 120,
      max: 120,
      avg: 120,
      points: 1,
      sum: 120,
      unit: '{token}',
      by: 'exemplar',
    },
    'my.own.figure': { last: 3, min: 3, max: 4, avg: 3.5, points: 2, unit: '1', by: 'exemplar' },
  });
});

test('[ME5] what names the span goes before what was found by resource and time', () => {
  const shown = inAnyOrder(
    step(1),
    point(CPU, { time: 5, value: 0.1 }),
    point(CPU, { time: 6, value: 0.2, exemplars: [exemplar(1, 0.9)] }),
  );
  assert.deepEqual([shown?.[CPU]?.by, shown?.[CPU]?.last], ['exemplar', 0.9]);
});

test('[ME8] measurements of calls tell of agents and roots, since a call is measured when it has ended', () => {
  const duration = 'gen_ai.client.operation.duration';
  const measured = point(duration, {
    instrument: 'histogram',
    temporality: 'delta',
    value: { count: 2, sum: 3, min: 1, max: 2 },
    attrs: { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.agent.name': 'coder-agent' },
  });
  const shows = (words: Parameters<typeof step>[1]): boolean =>
    new Bench().take(step(1, words), measured).of(1) !== undefined;
  assert.ok(!shows({}), 'a call');
  assert.ok(!shows({ root: true }), 'a call without anything around it');
  assert.ok(shows({ type: 'OTHER', container: true }));
  assert.ok(shows({ type: 'OTHER', root: true }));
  assert.ok(
    shows({ type: 'OTHER', container: true, agent: 'CoderAgent', model: 'openai/gpt-4o-2024-08-06' }),
  );
  assert.ok(!shows({ type: 'OTHER', container: true, agent: 'CriticAgent' }));
  assert.ok(!shows({ type: 'OTHER', container: true, model: 'claude-sonnet-4' }));
});

test('[ME8] the state of a program explains calls, tools, tests, checks, agents and roots, and nothing else', () => {
  const shows = (words: Parameters<typeof step>[1]): boolean =>
    new Bench().take(step(1, words), point(CPU)).of(1) !== undefined;
  for (const type of ['LLM_CALL', 'TOOL_CALL', 'TEST_RUN', 'STATIC_ANALYSIS'] as const)
    assert.ok(shows({ type }));
  assert.ok(shows({ type: 'OTHER', container: true }));
  assert.ok(shows({ type: 'OTHER', root: true }));
  assert.ok(!shows({ type: 'OTHER' }));
  assert.ok(!shows({ type: 'OTHER', wrapper: true, root: true }));
});

test('[ME8] metrics that explain no step, and names that are none, are not joined', () => {
  for (const name of [
    'http.server.active_requests',
    'process.uptime',
    'system.memory.limit',
    'the memory of jane',
    '__proto__',
  ]) {
    assert.equal(new Bench().take(step(1), point(name)).of(1), undefined, name);
  }
});

test('[ME9] a node shows at most 16 metrics: GPU, CPU, memory, queue, tokens, event loop, latency; then by name', () => {
  const points = Array.from({ length: 30 }, (_, i) => point(`app${String(i).padStart(2, '0')}.memory.usage`));
  const names = (order: readonly Item[]): string[] => Object.keys(new Bench().take(...order).of(1) ?? {});
  const all = [...points, point('hw.gpu.utilization'), step(1)];
  assert.deepEqual(names(all), [
    ...Array.from({ length: 15 }, (_, i) => `app${String(i).padStart(2, '0')}.memory.usage`),
    'hw.gpu.utilization',
  ]);
  assert.deepEqual(names(all.toReversed()), names(all));
  const measured = Array.from({ length: 30 }, (_, i) =>
    point(`figure${i + 10}`, { exemplars: [exemplar(1, i)] }),
  );
  assert.equal(names([step(1), ...measured]).length, 16);
  assert.deepEqual(names([...measured.toReversed(), step(1)]), names([step(1), ...measured]));
});

test('[ME10] the node of several spans shows the metrics of all of them, a measurement first, then the one with more points', () => {
  const bench = new Bench().take(
    step(1, { to: 10 }),
    step(2, { from: 3, to: 7 }),
    point(CPU, { time: 5, value: 0.4 }),
    point(CPU, { time: 9, value: 0.8 }),
    point('my.own.figure', { exemplars: [exemplar(2, 3)] }),
  );
  const node = bench.metrics.of([{ key: sourceOf(2) }, { key: sourceOf(1) }]);
  assert.deepEqual([node?.[CPU]?.points, node?.['my.own.figure']?.last], [2, 3]);
});

test('[ME10] of equal spans of one node the same one counts, whatever their order', () => {
  const bench = new Bench().take(
    point(CPU, { time: 1, value: 0.1 }),
    point(CPU, { time: 3, value: 0.3 }),
    step(1, { from: 0, to: 2 }),
    step(2, { from: 2, to: 4 }),
  );
  const keys = [{ key: sourceOf(1) }, { key: sourceOf(2) }];
  assert.deepEqual(bench.metrics.of(keys), bench.metrics.of(keys.toReversed()));
});

test('[ME6] a step whose end is no longer waited for keeps what it has and takes no further points', () => {
  const bench = new Bench().take(step(1, { to: 'running' }), point(CPU, { time: 5 }));
  bench.metrics.add(point(CPU, { time: 6 }));
  bench.metrics.freeze(sourceOf(1), step(1, { to: 'running' }));
  bench.take(point(CPU, { time: 7 }));
  assert.equal(bench.of(1)?.[CPU]?.points, 2);
  bench.take(step(1, { to: 10 }));
  assert.equal(bench.of(1)?.[CPU]?.points, 3, 'it ended after all');
});

test('[ME10] a step that is gone takes its metrics with it', () => {
  const bench = new Bench().take(step(1), point(CPU), point('f', { exemplars: [exemplar(1, 1)] }));
  bench.forget(1);
  assert.equal(bench.metrics.of([{ key: sourceOf(1) }]), undefined);
  bench.take(point(CPU, { time: 6 }));
  assert.deepEqual([...bench.shown], []);
  assert.deepEqual([...bench.metrics.facts()], []);
});

test('[ME11] a restart keeps what was joined; later points of a running step are added to it', () => {
  const before = new Bench().take(
    step(1, { to: 'running' }),
    point(CPU, { time: 4, value: 0.2 }),
    point(CPU, { time: 5, value: 0.4 }),
    point('f', { exemplars: [exemplar(1, 7)] }),
  );
  const facts = JSON.parse(JSON.stringify([...before.metrics.facts()])) as MetricFacts[];
  for (const isStepFirst of [true, false]) {
    const after = new Bench();
    if (isStepFirst) after.take(step(1, { to: 'running' }));
    for (const kept of facts) after.metrics.restore(kept);
    after.settle();
    if (!isStepFirst) after.take(step(1, { to: 'running' }));
    assert.deepEqual(after.of(1), before.of(1));
    // The sender repeats the last point, and goes on.
    after.take(point(CPU, { time: 5, value: 0.4 }), point(CPU, { time: 6, value: 0.9 }));
    after.take(point('f', { exemplars: [exemplar(1, 7)] }), step(1, { to: 8 }));
    const { last, min, max, avg, points } = after.of(1)?.[CPU] ?? {};
    assert.deepEqual({ last, min, max, avg, points }, { last: 0.9, min: 0.2, max: 0.9, avg: 0.5, points: 3 });
    assert.equal(after.of(1)?.['f']?.points, 1);
  }
});

test('[ME11] a step longer than what is kept of its resource goes on from what it had', () => {
  const bench = new Bench().take(step(1, { to: 'running' }));
  for (let i = 1; i <= 10_000; i++) bench.take(point(CPU, { time: i, value: i }));
  const { min, max, points, avg } = bench.of(1)?.[CPU] ?? {};
  assert.deepEqual({ min, max, points, avg }, { min: 1, max: 10_000, points: 10_000, avg: 5000.5 });
});

test('[ME11] what changed is given to be kept once: of a step that runs when it has ended, of a clean stop at once', () => {
  const bench = new Bench().take(step(1, { to: 'running' }), step(2), point(CPU, { time: 5, value: 0.5 }));
  const sources = (facts: readonly MetricFacts[]): string[] => facts.map(({ source }) => source);
  const ended = bench.metrics.takeUnkept();
  assert.deepEqual(sources(ended), [sourceOf(2)]);
  assert.equal(ended[0]?.gathered?.[CPU]?.last, 0.5);
  assert.deepEqual(bench.metrics.takeUnkept(), []);
  bench.metrics.notKept(ended);
  assert.deepEqual(bench.metrics.takeUnkept(), ended, 'what could not be kept is given again');
  assert.deepEqual(sources(bench.metrics.takeUnkept(true)), [sourceOf(1)]);
  bench.take(point(CPU, { time: 6, value: 0.7 }));
  bench.metrics.takeUnkept();
  bench.take(step(1, { to: 2 }));
  assert.deepEqual(
    bench.metrics.takeUnkept(),
    [{ kind: 'metric', source: sourceOf(1) }],
    'nothing is left of it',
  );

  bench.take(point('f', { exemplars: [exemplar(3, 1)] }));
  assert.deepEqual(bench.metrics.takeUnkept(true), [], 'nothing that could leave with a step');
  bench.take(step(3, { from: 50, to: 51 }));
  assert.deepEqual(sources(bench.metrics.takeUnkept()), [sourceOf(3)]);
});

test('[ME12] nothing is indexed before the first metric that can be joined by resource and time', () => {
  const bench = new Bench();
  let reads = 0;
  const { metrics } = bench;
  bench.steps[Symbol.iterator] = () => {
    reads++;
    return bench.steps.entries();
  };
  bench.take(
    step(1),
    step(2),
    point('http.server.active_requests'),
    point('f', { exemplars: [exemplar(1, 1)] }),
  );
  assert.equal(reads, 0);
  bench.take(point(CPU), point(CPU, { time: 6 }));
  assert.equal(reads, 1);
  assert.equal(metrics.of([{ key: sourceOf(2) }])?.[CPU]?.points, 2);
});
