import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { epochMs } from '../../model/time.ts';
import {
  Bench,
  T0,
  exemplar,
  point,
  sourceOf,
  spanIdOf,
  step,
  type MetricWords,
} from './metrics.test-support.ts';

const CPU = 'process.cpu.utilization';
/** Several times what is kept of each. */
const FLOOD = 30_000;

/** Estimated bytes after a flood, of what belongs to no step. */
function flooded(words: (i: number) => MetricWords & { readonly name?: string }, count = FLOOD): number {
  const bench = new Bench().take(step(1, { to: 'running' }));
  for (let i = 0; i < count; i++) {
    const { name = CPU, ...rest } = words(i);
    bench.metrics.add(point(name, { time: i, ...rest }));
    if (i % 1000 === 0) bench.settle();
  }
  bench.settle();
  assert.ok(bench.metrics.bytes < 10_000, `${bench.metrics.bytes} bytes for one step`);
  return bench.metrics.looseBytes;
}

// A point takes 72 bytes, a series 1,000 (point-store.ts).
test('[ME13] of one resource 4,096 points are kept, in 64 series', () => {
  const onePerSeries = 4096 * 72;
  assert.ok(flooded(() => ({})) <= onePerSeries + 1000);
  const attributes = flooded((i) => ({ attrs: { id: i, text: 'x'.repeat(50) } }));
  assert.ok(attributes <= 64 * 1072, `${attributes} bytes`);
  const names = flooded((i) => ({ name: `m${i}.cpu.usage` }));
  assert.ok(names <= 64 * 1072, `${names} bytes`);
});

test('[ME13] a series that is silent makes room for a new one; one that is heard does not', () => {
  const known = (i: number): string => `m${i}.cpu.usage`;
  const bench = new Bench().take(step(1, { to: 'running' }));
  for (let i = 0; i < 64; i++) bench.take(point(known(i), { time: i }));
  bench.take(step(2, { from: 100, to: 'running' }), point('late.cpu.usage', { time: 100 }));
  assert.equal(bench.of(2), undefined);
  bench.take(point('late.cpu.usage', { time: 301 }));
  assert.deepEqual(Object.keys(bench.of(2) ?? {}), ['late.cpu.usage']);
});

test('[ME13] of resources 256 are kept, those heard last', () => {
  const bytes = flooded((i) => ({ at: `service ${i}` }));
  assert.ok(bytes <= 256 * 1072, `${bytes} bytes`);
});

test('[ME13] of all resources together 250,000 points are kept', () => {
  const bytes = flooded((i) => ({ at: `service ${i % 70}`, time: Math.floor(i / 70) }), 270_000);
  assert.ok(bytes <= 250_000 * 72 + 70_000, `${bytes} bytes`);
});

/** What lives, without garbage. */
function heapNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('[ME13] of steps that measurements name and that have not come, 10,000 are waited for', () => {
  const named = (i: number): MetricWords => ({
    exemplars: [{ ...exemplar(1, i), spanId: spanIdOf(i + 5) }],
  });
  const bytes = flooded((i) => ({ name: `figure${i}`, ...named(i) }));
  assert.ok(bytes <= 10_000 * 400, `${bytes} bytes`);
});

test('[ME13] of the measurements of one step in one metric the latest 16 are kept', () => {
  const bench = new Bench().take(step(1));
  for (let i = 0; i < 1000; i++) {
    bench.metrics.add(point('figure', { exemplars: [{ ...exemplar(1, i), time: epochMs(T0 + i) }] }));
  }
  bench.settle();
  const { points, min, max } = bench.of(1)?.['figure'] ?? {};
  assert.deepEqual({ points, min, max }, { points: 16, min: 984, max: 999 });
});

test('[ME13] of all steps together 200,000 metrics are kept, those of the latest steps', () => {
  const bench = new Bench();
  const steps = 13_000;
  for (let i = 1; i <= steps; i++) {
    bench.steps.set(sourceOf(i), { facts: step(i) });
    for (let j = 0; j < 16; j++) bench.metrics.add(point(`f${j}`, { exemplars: [exemplar(i, 1)] }));
  }
  assert.ok(bench.metrics.bytes <= (200_000 + 12_500) * 200, `${bench.metrics.bytes} bytes`);
  assert.equal(bench.metrics.of([{ key: sourceOf(1) }]), undefined);
  assert.equal(Object.keys(bench.metrics.of([{ key: sourceOf(steps) }]) ?? {}).length, 16);
});

test('[ME13] after a flood of everything at once the heap is as it was, and it works for those who behave', () => {
  const bench = new Bench().take(step(1, { to: 'running' }));
  const before = heapNow();
  for (let i = 0; i < FLOOD; i++) {
    bench.metrics.add(point(`m${i}.cpu.usage`, { time: i / 100 }));
    bench.metrics.add(point(CPU, { time: i / 100, attrs: { id: i } }));
    bench.metrics.add(point(CPU, { time: i / 100, at: `service ${i}` }));
    bench.metrics.add(point(`m${i}`, { exemplars: [{ ...exemplar(1, i), spanId: spanIdOf(i + 5) }] }));
    if (i % 1000 === 0) bench.settle();
  }
  bench.settle();
  const grown = heapNow() - before;
  assert.ok(grown < 20e6, `${grown} bytes of heap`);
  bench.take(step(3, { from: 9000, to: 9010, at: 'new' }), point(CPU, { time: 9005, at: 'new', value: 0.5 }));
  assert.equal(bench.of(3)?.[CPU]?.last, 0.5);
});
