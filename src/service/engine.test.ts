import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { event, id, nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';

/** How many updates a reader of everything was sent. */
function countUpdates({ engine }: TestEngine, onUpdate: () => unknown = () => undefined): { count: number } {
  const seen = { count: 0 };
  engine.reader.subscribe(
    { collapse: 'none' },
    {
      writable: true,
      write: (frame) => {
        if (frame.type !== 'update') return;
        seen.count++;
        onUpdate();
      },
      close() {},
    },
  );
  return seen;
}

test('[SU11] what comes within flushIntervalMs is one update, sent when that time is over', async () => {
  const target = makeEngine({ flushIntervalMs: 10 });
  const updates = countUpdates(target);
  for (const digit of [1, 2, 3]) await target.engine.correlator.consume(batchOf([span(digit)]));
  target.clock.advance(9);
  assert.equal(updates.count, 0);
  target.clock.advance(1);
  assert.equal(updates.count, 1);
  target.clock.advance(1000);
  assert.equal(updates.count, 1);
});

test('[SU11] after a flush that took long the next one waits as long, but not over two seconds', async () => {
  for (const [took, waits] of [
    [100, 100],
    [5000, 2000],
  ] as const) {
    const target = makeEngine({ flushIntervalMs: 10 });
    const { clock } = target;
    const updates = countUpdates(target, () => updates.count === 1 && clock.advance(took));
    await target.engine.correlator.consume(batchOf([span(1)]));
    target.engine.flush();
    assert.equal(updates.count, 1);
    await target.engine.correlator.consume(batchOf([span(2)]));
    clock.advance(waits - 1);
    assert.equal(updates.count, 1, `${took} ms`);
    clock.advance(1);
    assert.equal(updates.count, 2, `${took} ms`);
  }
});

test('[SU11] the latency of an update is counted from its batch, readers or not', async () => {
  const latencies: number[] = [];
  const created = { nodes: 0, edges: 0 };
  const { engine, clock } = makeEngine({
    flushIntervalMs: 10,
    metrics: {
      ...noMetrics,
      graphUpdateLatency: (ms) => void latencies.push(ms),
      nodesCreated: (count) => void (created.nodes += count),
      edgesCreated: (count) => void (created.edges += count),
    },
  });
  const receivedAt = clock.monotonic();
  clock.advance(3);
  await engine.correlator.consume(batchOf([span(1), span(2, { parent: 1 })], receivedAt));
  clock.advance(10);
  assert.deepEqual(latencies, [13]);
  assert.deepEqual(created, { nodes: 2, edges: 1 });
});

test('[GR6] edges left out to keep the graph acyclic are counted once', async () => {
  const avoided: number[] = [];
  const { engine } = makeEngine({
    metrics: { ...noMetrics, cyclesAvoided: (count) => void avoided.push(count) },
  });
  await engine.correlator.consume(
    batchOf([span(1, { parent: 2 }), span(2, { parent: 1 }), event('PlanUpdated', { spanId: id(1) })]),
  );
  engine.flush();
  await engine.correlator.consume(batchOf([span(3)]));
  engine.flush();
  assert.deepEqual(avoided, [1]);
  assert.ok(engine.reader.getNode(nodeId(1)));
});
