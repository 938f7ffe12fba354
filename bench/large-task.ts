import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import type { SafeRecord } from '../src/model/pipeline.ts';
import { epochMs } from '../src/model/time.ts';
import type { ServerFrame } from '../src/model/reader-messages.ts';
import type { Engine } from '../src/service/engine.ts';
import { makeEngine } from '../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../test/support/world.ts';

const TRACE = 'e'.repeat(32);
const START = 1_750_000_000_000;
const LOOPS_AN_AGENT = 10;
const STEPS_A_LOOP = 100;
/** Spans of one request. */
const BATCH = 512;
const OPENED = 200;

export interface LargeTaskResult {
  readonly spans: number;
  /** From the request to the frame, milliseconds. */
  readonly firstSnapshotMs: number;
  readonly nodesShown: number;
  readonly expandP50: number;
  readonly expandP99: number;
  readonly largestFrame: number;
  /** Of a batch of 25 spans, correlation excluded. */
  readonly flushMs: number;
  /** Microseconds of correlation, graph, folding and one reader's updates, over the last tenth of the growth. */
  readonly usPerSpan: number;
  /** The longest flush of a batch of 512 while the task grew. */
  readonly longestStepMs: number;
  /** Nodes sent to the reader while the task grew. */
  readonly updates: number;
}

/**
 * One task: a root, agents below it, ten loops each, a hundred calls and tools each; one in a hundred fails, a
 * third is slow. Built by records, batch by batch, with one reader of everything.
 */
export async function benchLargeTask(spans: number): Promise<LargeTaskResult> {
  const { engine } = makeEngine({ clock: systemClock, maxMemoryBytes: 1e12 });
  let changes = 0;
  const { subscriptionId } = engine.reader.subscribe(
    {},
    sink((frame) => {
      if (frame.type === 'update') changes += frame.update.addedNodes.length;
    }),
  );
  let steps = 0;
  let spent = 0;
  let longest = 0;
  const records = taskRecords(spans);
  for (let batch = take(records, BATCH); batch.length > 0; batch = take(records, BATCH)) {
    const start = performance.now();
    await engine.correlator.consume(batchOf(batch));
    const flushed = performance.now();
    engine.flush();
    longest = Math.max(longest, performance.now() - flushed);
    const took = performance.now() - start;
    steps += batch.length;
    if (steps > spans * 0.9) spent += took;
    await turn();
  }
  const growing = longest;
  engine.reader.unsubscribe(subscriptionId);
  // Nobody looks any more: the next reader's view is made from nothing.
  const result = await look(engine);
  engine.reader.subscribe(
    {},
    sink(() => {}),
  );
  const flushes = Array.from({ length: 40 }, (_, i) => flushOf(engine, spans + i * 25));
  return {
    spans,
    ...result,
    flushMs: quantile(flushes, 0.5),
    usPerSpan: (spent * 1000) / (spans * 0.1),
    longestStepMs: growing,
    updates: changes,
  };
}

async function look(
  engine: Engine,
): Promise<
  Pick<LargeTaskResult, 'firstSnapshotMs' | 'nodesShown' | 'expandP50' | 'expandP99' | 'largestFrame'>
> {
  const shown = new Map<string, string>();
  let largestFrame = 0;
  const take = (frame: ServerFrame): void => {
    if (frame.type === 'subscribed') for (const { id, type } of frame.graph.nodes) shown.set(id, type);
    if (frame.type !== 'update') return;
    const { removedNodeIds, addedNodes } = frame.update;
    largestFrame = Math.max(largestFrame, addedNodes.length);
    for (const id of removedNodeIds) shown.delete(id);
    for (const { id, type } of addedNodes) shown.set(id, type);
  };
  const start = performance.now();
  const { subscriptionId, begun } = engine.reader.subscribe({}, sink(take));
  await begun;
  const firstSnapshotMs = performance.now() - start;
  const nodesShown = shown.size;
  const times: number[] = [];
  // Always one that was not opened yet: what an opened one shows can be opened in turn.
  for (let i = 0; i < OPENED; i++) {
    const summaries = [...shown].filter(([, type]) => type === 'SUMMARY').map(([id]) => id);
    const id = summaries[(i * 7919) % summaries.length];
    if (id === undefined) break;
    const before = performance.now();
    await engine.reader.expand(subscriptionId, id);
    times.push(performance.now() - before);
    if (i % 10 === 9) await engine.reader.collapse(subscriptionId, id);
  }
  engine.reader.unsubscribe(subscriptionId);
  const quantiles = { expandP50: quantile(times, 0.5), expandP99: quantile(times, 0.99) };
  return { firstSnapshotMs, nodesShown, largestFrame, ...quantiles };
}

function flushOf(engine: Engine, from: number): number {
  const records = Array.from({ length: 25 }, (_, i) => stepRecord(from + i, loopId(0)));
  void engine.correlator.consume(batchOf(records));
  const start = performance.now();
  engine.flush();
  return performance.now() - start;
}

function* taskRecords(spans: number): Generator<SafeRecord> {
  yield record(id(0), undefined, 'invoke_agent', { name: 'run', ms: 100_000 });
  const loops = Math.ceil(spans / STEPS_A_LOOP);
  for (let loop = 0; loop < loops; loop++) {
    const agent = Math.floor(loop / LOOPS_AN_AGENT);
    if (loop % LOOPS_AN_AGENT === 0)
      yield record(agentId(agent), id(0), 'invoke_agent', { name: `agent ${agent}`, ms: 50_000 });
    yield record(loopId(loop), agentId(agent), 'invoke_agent', { name: `loop ${loop % 10}`, ms: 5000 });
    for (let step = 0; step < STEPS_A_LOOP; step++)
      yield stepRecord(loop * STEPS_A_LOOP + step, loopId(loop));
  }
}

function stepRecord(n: number, parent: string): SafeRecord {
  const isTool = n % 2 === 1;
  return record(id(1_000_000_000 + n), parent, isTool ? 'execute_tool' : 'chat', {
    name: isTool ? `tool ${n % 7}` : 'chat',
    ms: n % 3 === 0 ? 100 + (n % 1000) : 20,
    failed: n % 100 === 57,
    at: n,
  });
}

const id = (n: number): string => (n + 1).toString(16).padStart(16, '0');
const agentId = (n: number): string => id(100_000_000 + n);
const loopId = (n: number): string => id(200_000_000 + n);

function record(
  spanId: string,
  parentSpanId: string | undefined,
  operation: string,
  { name, ms, failed = false, at = 0 }: { name: string; ms: number; failed?: boolean; at?: number },
): SafeRecord {
  const start = START + at;
  const span = makeSpan({
    traceId: TRACE,
    spanId,
    parentSpanId,
    name,
    start: epochMs(start),
    end: epochMs(start + ms),
    status: failed ? 'ERROR' : 'UNSET',
    attrs: {
      'gen_ai.operation.name': operation,
      'gen_ai.agent.name': 'bench-agent',
      ...(operation === 'chat' && { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 100 }),
    },
  });
  return safe(span);
}

function take<T>(from: Generator<T>, count: number): T[] {
  const items: T[] = [];
  while (items.length < count) {
    const next = from.next();
    if (next.done === true) break;
    items.push(next.value);
  }
  return items;
}

function sink(write: (frame: ServerFrame) => void) {
  return { write, writable: true, close() {} };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

if (import.meta.main) {
  const sizes = process.argv.slice(2).map(Number);
  for (const spans of sizes.length > 0 ? sizes : [10_000, 100_000]) {
    const result = await benchLargeTask(spans);
    const figures = Object.entries(result).map(([key, value]) => `${key} ${Number(value).toFixed(1)}`);
    console.log(figures.join('  '));
    globalThis.gc?.();
  }
}
