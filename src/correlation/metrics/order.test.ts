import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { SpanFacts } from '../../model/facts.ts';
import type { Redacted } from '../../model/pipeline.ts';
import type { MetricRecord } from '../../model/records.ts';
import { Bench, T0, exemplar, point, sourceOf, step } from './metrics.test-support.ts';

const CPU = 'process.cpu.utilization';
type Item = SpanFacts | Redacted<MetricRecord>;

const NAMES = [
  CPU,
  'process.cpu.time',
  'agent.queue.wait',
  'gen_ai.client.operation.duration',
  'my.own.figure',
];
const seconds = fc.integer({ min: 0, max: 80 });
const anyPoint = fc
  .record({
    name: fc.constantFrom(...NAMES),
    time: seconds,
    value: fc.integer({ min: 0, max: 50 }),
    at: fc.constantFrom('a', 'b'),
    cpu: fc.constantFrom('0', '1'),
    names: fc.option(fc.tuple(fc.integer({ min: 1, max: 4 }), seconds)),
    temporality: fc.constantFrom('delta', 'cumulative'),
    start: fc.constantFrom(-1, 20),
  })
  .map(({ name, time, value, at, cpu, names, temporality, start }) =>
    point(name, {
      time,
      at,
      attrs: { cpu },
      exemplars: names === null ? [] : [exemplar(names[0], value, names[1])],
      ...(name === 'process.cpu.time' && {
        instrument: 'sum' as const,
        monotonic: true,
        temporality: temporality as 'delta',
        start,
        value: temporality === 'delta' ? value : time * 2 + Math.floor(value / 40),
      }),
      ...(/wait|duration/.test(name) && {
        instrument: 'histogram' as const,
        temporality: temporality as 'delta',
        start,
        value: { count: time + 1, sum: time * 3, min: undefined, max: value },
      }),
      ...(!/time|wait|duration/.test(name) && { value }),
    }),
  );
const anyStep = fc
  .record({
    digit: fc.integer({ min: 1, max: 4 }),
    from: fc.integer({ min: 0, max: 60 }),
    ms: fc.integer({ min: 0, max: 70 }),
    at: fc.constantFrom('a', 'b'),
    kind: fc.constantFrom('call', 'agent', 'other'),
    isSeenRunning: fc.boolean(),
  })
  .map(({ digit, from, ms, at, kind, isSeenRunning }): SpanFacts[] => {
    const words =
      kind === 'call'
        ? {}
        : { type: 'OTHER' as const, ...(kind === 'agent' && { container: true as const }) };
    const ended = step(digit, { from, to: from + ms, at, ...words });
    return isSeenRunning ? [step(digit, { from, to: 'running', at, ...words }), ended] : [ended];
  });
const world = fc
  .record({
    points: fc.array(anyPoint, { maxLength: 25 }),
    steps: fc.uniqueArray(anyStep, { maxLength: 4, selector: ([first]) => first?.spanId }),
  })
  .chain(({ points, steps }) => {
    const items: Item[] = [...points, ...steps.flat()];
    const shuffled = fc.shuffledSubarray(items, { minLength: items.length });
    return fc.record({ items: fc.constant(items), other: shuffled, cut: fc.nat(items.length) });
  });

test('[ME4] any order of steps and points, one by one or in batches, shows the same metrics', () => {
  fc.assert(
    fc.property(world, ({ items, other, cut }) => {
      const expected = new Bench().take(...items);
      const shuffled = new Bench().take(...other);
      assert.deepEqual(shuffled.shown, expected.shown);
      // All at once, built when everything has come; and again, which says nothing new.
      const whole = new Bench();
      for (const item of [...other, ...other.slice(0, cut)]) {
        if (item.kind === 'metric') whole.metrics.add(item);
        else whole.take(item);
      }
      whole.settle();
      assert.deepEqual(whole.shown, expected.shown);
    }),
    propertyRuns(),
  );
});

test('[ME4] levels by resource and time equal what counting by hand gives', () => {
  const levels = fc.array(fc.record({ time: seconds, value: fc.nat(9), at: fc.constantFrom('a', 'b') }));
  fc.assert(
    fc.property(levels, anyStep, (sent, records) => {
      const facts = records.at(-1)!;
      const bench = new Bench().take(
        ...sent.map(({ time, value, at }) => point(CPU, { time, value, at })),
        facts,
      );
      const end = facts.end ?? Infinity;
      const isJoinable = facts.step.type === 'LLM_CALL' || facts.step.container === true;
      const mine = new Map<number, number>();
      for (const { time, value, at } of sent) {
        const ms = T0 + time * 1000;
        const isHere = step(1, { at }).step.resourceKey === facts.step.resourceKey;
        if (!isJoinable || !isHere || ms < facts.start || ms > end) continue;
        mine.set(ms, Math.max(mine.get(ms) ?? 0, value));
      }
      const values = [...mine.values()];
      const shown = bench.shown.get(sourceOf(Number(facts.spanId)))?.[CPU];
      assert.equal(shown?.points ?? 0, values.length);
      if (shown === undefined) return;
      assert.equal(shown.max, Math.max(...values));
      assert.equal(shown.min, Math.min(...values));
      assert.equal(shown.last, mine.get(Math.max(...mine.keys())));
    }),
    propertyRuns(),
  );
});
