import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { id, nodeId, span, type SpanWords } from '../../test/support/records.ts';
import { StoreModel } from '../../test/support/store-model.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';

const MINUTE = 60_000;

async function feed({ engine }: TestEngine, ...records: readonly SafeRecord[]): Promise<void> {
  await engine.correlator.consume(batchOf(records));
}

function ids({ engine }: TestEngine): string[] {
  return engine.reader
    .getGraph({ collapse: 'none' })
    .nodes.map((node) => node.id)
    .sort();
}

const OLD = 'b'.repeat(32);

test('[ST20] a node leaves memory nodeTTLMinutes after its last change here, however old its span is', async () => {
  const target = makeEngine({ nodeTTLMinutes: 10 });
  target.engine.start();
  // A recording of a year ago, and one of now.
  await feed(target, span(1, { at: -365 * 24 * 60 * MINUTE }), span(2));
  target.clock.advance(9 * MINUTE);
  await feed(target, span(2, { ms: 500 }), span(3, { traceId: OLD }));
  assert.equal(ids(target).length, 3);
  target.clock.advance(MINUTE + 10_000);
  assert.deepEqual(ids(target), [nodeId(2), nodeId(3, OLD)].sort());
  target.clock.advance(9 * MINUTE);
  assert.deepEqual(ids(target), []);
  assert.equal(target.engine.correlator.bytes, 0);
  target.engine.stop();
});

test('[ST20] whatever leaves memory is told as pruned, with its edges', async () => {
  const told: [nodes: number, edges: number][] = [];
  const target = makeEngine({
    nodeTTLMinutes: 10,
    onPrune: ({ nodesPrunedCount, edgesPrunedCount, pruneLatencyMs }) => {
      assert.ok(pruneLatencyMs >= 0);
      told.push([nodesPrunedCount, edgesPrunedCount]);
    },
  });
  target.engine.start();
  await feed(target, span(1), span(2, { parent: 1 }), span(3, { parent: 1 }));
  target.clock.advance(10 * MINUTE + 10_000);
  assert.deepEqual(told, [[3, 2]]);
  target.engine.stop();
});

test('[ST20] a redelivery that says nothing new keeps no node alive', async () => {
  const target = makeEngine({ nodeTTLMinutes: 10 });
  target.engine.start();
  await feed(target, span(1));
  target.clock.advance(9 * MINUTE);
  await feed(target, span(1));
  target.clock.advance(MINUTE + 10_000);
  assert.deepEqual(ids(target), []);
  target.engine.stop();
});

test('[ST20] prune takes what has not changed for so long, and subscribers are told', async () => {
  const target = makeEngine();
  await feed(target, span(1));
  target.clock.advance(6 * MINUTE);
  await feed(target, span(2, { parent: 1 }));
  const removed: string[] = [];
  target.engine.reader.subscribe(
    { collapse: 'none' },
    {
      writable: true,
      write: (frame) => frame.type === 'update' && removed.push(...frame.update.removedNodeIds),
      close() {},
    },
  );
  assert.deepEqual(await target.engine.reader.prune(5), { prunedNodes: 1 });
  assert.deepEqual(removed, [nodeId(1)]);
  assert.deepEqual(ids(target), [nodeId(2)]);
  assert.deepEqual(await target.engine.reader.prune(5), { prunedNodes: 0 });
});

test('[ST27] while nothing can be written nothing leaves memory by age or prune, as nobody could read it', async () => {
  let canKeep = false;
  const target = makeEngine({ nodeTTLMinutes: 10, canKeep: () => canKeep });
  target.engine.start();
  await feed(target, span(1));
  target.clock.advance(11 * MINUTE);
  await assert.rejects(target.engine.reader.prune(0), /UNAVAILABLE|cannot be written/);
  assert.deepEqual(ids(target), [nodeId(1)]);
  canKeep = true;
  target.clock.advance(MINUTE);
  assert.deepEqual(ids(target), []);
  target.engine.stop();
});

test('[ST21] a running node whose end never comes is ABANDONED, said in one update, until it says more', async () => {
  const target = makeEngine({ abandonAfterMinutes: 15 });
  target.engine.start();
  await feed(target, span(1, { ms: 'running' }), span(2));
  const stateOf = (digit: number): string => target.engine.reader.getNode(nodeId(digit)).node.state;
  target.clock.advance(14 * MINUTE);
  assert.equal(stateOf(1), 'RUNNING');
  target.clock.advance(MINUTE + 10_000);
  assert.equal(stateOf(1), 'ABANDONED');
  assert.equal(stateOf(2), 'ENDED');
  await feed(target, span(1, { ms: 20 * MINUTE }));
  assert.equal(stateOf(1), 'ENDED');
  target.engine.stop();
});

test('[ST21] each node is abandoned, and leaves, in its time, whatever came before it or after it', async () => {
  const target = makeEngine({ abandonAfterMinutes: 15, nodeTTLMinutes: 40 });
  target.engine.start();
  const [running, ended, early] = [4, 8, 12];
  await feed(target, span(early));
  target.clock.advance(7 * MINUTE);
  await feed(target, span(running, { ms: 'running' }));
  target.clock.advance(7 * MINUTE);
  await feed(target, span(ended));
  const states = (): string =>
    [early, running, ended]
      .filter((digit) => ids(target).includes(nodeId(digit)))
      .map((digit) => target.engine.reader.getNode(nodeId(digit)).node.state)
      .join(' ');
  const inMinutes: [number, string][] = [
    [21.9, 'ENDED RUNNING ENDED'],
    [22.2, 'ENDED ABANDONED ENDED'],
    [39.9, 'ENDED ABANDONED ENDED'],
    [40.2, 'ABANDONED ENDED'],
    [47.2, 'ENDED'],
    [54.2, ''],
  ];
  let now = 14;
  for (const [at, expected] of inMinutes) {
    target.clock.advance((at - now) * MINUTE);
    now = at;
    assert.equal(states(), expected, `after ${at} minutes`);
  }
  target.engine.stop();
});

function task(trace: string, count: number, words: SpanWords = {}): SafeRecord[] {
  return Array.from({ length: count }, (_, i) =>
    span(0, { ...words, traceId: trace.repeat(32), name: `step ${i}` }),
  ).map((record, i) => ({ ...record, spanId: (i + 1).toString(16).padStart(16, '0') }));
}

test('[ST22] over the memory limit the tasks that changed longest ago leave first, whole, said in log and metrics', async () => {
  const warnings: object[] = [];
  const evicted: [string, number][] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (fields) => void ('reason' in fields && warnings.push(fields)),
  };
  const sample = makeEngine();
  await feed(sample, ...task('a', 20));
  const maxMemoryBytes = (sample.engine.correlator.bytes / 20) * 45;
  const target = makeEngine({
    maxMemoryBytes,
    logger,
    metrics: { ...noMetrics, nodesEvicted: (reason, count) => void evicted.push([reason, count]) },
  });
  await feed(target, ...task('a', 20));
  target.clock.advance(1000);
  await feed(target, ...task('b', 20));
  target.clock.advance(1000);
  // The first task changes again: now the second is the oldest.
  await feed(target, span(1));
  assert.equal(warnings.length, 0);
  target.clock.advance(1000);
  await feed(target, ...task('c', 14));
  assert.deepEqual(
    (await target.engine.reader.listTasks()).tasks.map(({ taskId, nodes }) => [taskId[0], nodes]).sort(),
    [
      ['a', 21],
      ['c', 14],
    ],
  );
  assert.ok(target.engine.correlator.bytes <= maxMemoryBytes);
  assert.deepEqual(evicted, [['memory', 20]]);
  assert.equal(warnings.length, 1);
});

test('[ST22] the limit holds for one task alone too, whatever comes in one batch', async () => {
  const target = makeEngine({ maxMemoryBytes: 50_000 });
  await feed(target, ...task('a', 400));
  assert.ok(target.engine.correlator.bytes <= 50_000, `${target.engine.correlator.bytes} bytes`);
  assert.ok(ids(target).length > 0);
  target.clock.advance(1000);
  await feed(target, span(id(7).slice(0, 1), { name: 'new' }));
  assert.ok(ids(target).includes(nodeId(7)), 'the newest stays');
});

test('[ST41] calls of requests that leave in many pieces leave as they were, whichever record of them came first', async () => {
  const count = 300;
  const store = new StoreModel();
  const target = makeEngine({ journal: store, archive: store });
  target.engine.onLeaving((nodes) => store.archive(nodes));
  const spanId = (n: number): string => n.toString(16).padStart(16, '0');
  const pairs = Array.from({ length: count }, (_, n) => {
    const attrs = { requestId: `r${n}`, taskID: 'T' };
    const call = { spanId: spanId(2 * n + 2), parentSpanId: spanId(2 * n + 1), name: 'llm.call' };
    return [
      safe(makeSpan({ ...call, attrs: { ...attrs, 'model.name': 'm', 'cost.usd': 0.5 } })),
      safe(makeSpan({ spanId: spanId(2 * n + 1), name: 'step0', attrs })),
    ] as const;
  });
  await feed(target, ...pairs.map(([call]) => call), ...pairs.map(([, step]) => step));
  assert.equal(ids(target).length, 2 * count);
  await target.engine.reader.prune(0);
  for (let turn = 0; turn < 2 * count && target.engine.graph.nodeCount > 0; turn++) {
    target.clock.advance(1);
    await new Promise(setImmediate);
  }
  const left = [...store.left.values()].map(({ node }) => node);
  assert.equal(left.filter(({ name, costUsd }) => name === 'llm.call' && costUsd === 0.5).length, count);
  assert.equal(left.length, 2 * count);
});

test('[ST22] evicted nodes take their texts, ids and edges with them, and may come again', async () => {
  const target = makeEngine();
  const records = [span(1, { attrs: { prompt: 'hello' } }), span(2, { parent: 1, links: [1] })];
  await feed(target, ...records);
  const before = target.engine.reader.getGraph({ collapse: 'none' });
  assert.ok(target.engine.reader.getNode(nodeId(1)).attributes);
  assert.deepEqual(await target.engine.reader.prune(0), { prunedNodes: 2 });
  assert.equal(target.engine.graph.edgeCount, 0);
  assert.deepEqual([...target.engine.correlator.facts()], []);
  await feed(target, ...records);
  const { nodes, edges } = target.engine.reader.getGraph({ collapse: 'none' });
  assert.deepEqual({ nodes, edges }, { nodes: before.nodes, edges: before.edges });
});
