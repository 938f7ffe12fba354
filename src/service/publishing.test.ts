import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import { applyUpdate } from '../model/apply-update.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';
import type { Reader } from '../subscriptions/reader.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import { Publisher } from './publisher.ts';
import type { SubscriberSink } from '../subscriptions/reader-api.ts';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { nodeId, span, TRACE } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };

class Follower implements SubscriberSink {
  readonly writable = true;
  updates = 0;
  graph = EMPTY;

  write(frame: ServerFrame): void {
    if (frame.type === 'subscribed') this.graph = frame.graph;
    if (frame.type !== 'update') return;
    this.updates++;
    this.graph = applyUpdate(this.graph, frame.update);
  }

  close(): void {}
}

const ids = ({ nodes }: ExplanationGraph): readonly string[] => nodes.map(({ id }) => id).toSorted();

test('[SU21] who asks sees the graph as it is, and others are not told before their time', async () => {
  const { engine, clock } = makeEngine({ flushIntervalMs: 10 });
  const other = new Follower();
  engine.reader.subscribe({ collapse: 'none' }, other);
  await engine.correlator.consume(batchOf([span(1)]));
  assert.equal(engine.reader.getNode(nodeId(1)).node.id, nodeId(1));
  assert.equal((await engine.reader.listTasks()).tasks.length, 1);
  assert.deepEqual(ids(engine.reader.getGraph({})), [nodeId(1)]);
  const follower = new Follower();
  engine.reader.subscribe({ filters: { taskIds: [TRACE] } }, follower);
  assert.deepEqual(ids(follower.graph), [nodeId(1)]);
  assert.equal(other.updates, 0);
  const same = new Follower();
  engine.reader.subscribe({ collapse: 'none' }, same);
  assert.deepEqual(ids(same.graph), [nodeId(1)], 'the view of others is up to date for who comes to it');
  clock.advance(10);
  assert.deepEqual([other.updates, follower.updates, same.updates], [1, 0, 0]);
});

test('[TE10] the log warns where half of the last rounds are late, and not of the first ones of a cold process', () => {
  const clock = new ManualClock();
  const warnings: object[] = [];
  const publisher = new Publisher({
    clock,
    pace: new Pace(clock),
    metrics: noMetrics,
    logger: { ...silentLogger, warn: (fields) => void warnings.push(fields) },
    updateLatencySlaMs: 50,
    flushIntervalMs: 10,
    folds: { settle: () => true } as unknown as TaskFolds,
    reader: { isStale: false, publish: () => [].values() } as unknown as Reader,
    graph: {} as GraphReader,
    recall: undefined,
    onPublished: () => {},
  });
  const round = (latencyMs: number): void => {
    publisher.taken(clock.monotonic() - latencyMs);
    publisher.flush();
  };
  for (let n = 0; n < 6; n++) round(60);
  assert.equal(warnings.length, 0);
  for (let n = 0; n < 6; n++) round(5);
  for (let n = 0; n < 3; n++) round(60);
  assert.equal(warnings.length, 0);
  for (let n = 0; n < 10; n++) round(60);
  assert.deepEqual(warnings, [{ latencyMs: 60, updateLatencySlaMs: 50 }], 'once in ten seconds');
});

test('[SU21] views are brought up to date in turns, each to the graph as it is then', async () => {
  // A view takes 4 ms for each node.
  const clock = new ManualClock();
  const pace = new Pace(clock);
  const { engine } = makeEngine({
    clock,
    pace,
    flushIntervalMs: 10,
    decorate: (node) => (clock.advance(4), node),
  });
  const request = (n: number): object => ({
    include: ['ui'],
    collapse: 'none',
    filters: { taskIds: [TRACE, `of reader ${n}`] },
  });
  const followers = Array.from({ length: 20 }, () => new Follower());
  for (const [n, follower] of followers.entries()) engine.reader.subscribe(request(n), follower);
  const told = (): number => followers.filter(({ updates }) => updates > 0).length;

  await engine.correlator.consume(batchOf([span(1)]));
  await new Promise(setImmediate);
  clock.advance(10);
  assert.equal(told(), 3);
  await engine.correlator.consume(batchOf([span(2, { parent: 1 })]));
  let turns = 1;
  for (; told() < followers.length && turns < 100; turns++) await new Promise(setImmediate);
  assert.ok(turns > 5, `${turns} turns`);
  const last = followers.at(-1);
  assert.deepEqual(last && [last.updates, ids(last.graph)], [1, [nodeId(1), nodeId(2)]]);

  for (let turn = 0; turn < 100; turn++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  const fresh = engine.reader.getGraph({ collapse: 'none' });
  for (const { graph } of followers) {
    assert.deepEqual(ids(graph), ids(fresh));
    assert.deepEqual(graph.edges, fresh.edges);
  }
});

test('[EL4] who prunes has the answer when all readers were told, which takes turns of its own', async () => {
  // A view takes 4 ms for each node.
  const clock = new ManualClock();
  const pace = new Pace(clock);
  const { engine } = makeEngine({
    clock,
    pace,
    flushIntervalMs: 10,
    decorate: (node) => (clock.advance(4), node),
  });
  await engine.correlator.consume(batchOf([span(1)]));
  const followers = Array.from({ length: 20 }, () => new Follower());
  for (const [n, follower] of followers.entries()) {
    const request = { include: ['ui'], collapse: 'none', filters: { taskIds: [TRACE, `of reader ${n}`] } };
    await engine.reader.subscribe(request, follower).begun;
  }
  await new Promise(setImmediate);
  clock.advance(10 * 60_000);
  await engine.correlator.consume(batchOf([span(2)]));
  const told = (): number => followers.filter(({ graph }) => ids(graph).join() === nodeId(2)).length;

  const answers: number[] = [];
  const pruned = engine.reader.prune(5).finally(() => answers.push(told()));
  let turns = 0;
  for (; answers.length === 0 && turns < 100; turns++) {
    if (turns === 1) assert.ok(told() < followers.length, 'in more than one turn');
    await new Promise(setImmediate);
  }
  assert.deepEqual(await pruned, { prunedNodes: 1 });
  assert.deepEqual(answers, [followers.length]);
  assert.ok(turns > 5, `${turns} turns`);
});

test('[EL4] a prune whose readers are being told when the service stops is answered', async () => {
  const clock = new ManualClock();
  const { engine } = makeEngine({ clock, decorate: (node) => (clock.advance(40), node) });
  await engine.correlator.consume(batchOf([span(1)]));
  for (let n = 0; n < 5; n++)
    engine.reader.subscribe(
      { include: ['ui'], collapse: 'none', filters: { taskIds: [TRACE, `of reader ${n}`] } },
      new Follower(),
    );
  clock.advance(10 * 60_000);
  await engine.correlator.consume(batchOf([span(2)]));
  const pruned = engine.reader.prune(5);
  await new Promise(setImmediate);
  engine.stop();
  assert.deepEqual(await pruned, { prunedNodes: 1 });
});

test('[ST22] readers are told of all that leaves for want of memory, however long after the batch it goes', async () => {
  const sample = makeEngine();
  await sample.engine.correlator.consume(batchOf(steps(600)));
  // Turns are over so soon that room is made in many of them.
  const { engine, clock } = makeEngine({
    flushIntervalMs: 10,
    maxMemoryBytes: sample.engine.correlator.bytes * 0.3,
    pace: hurriedPace([2], () => {}),
  });
  const follower = new Follower();
  engine.reader.subscribe({ collapse: 'none' }, follower);
  await engine.correlator.consume(batchOf(steps(600)));
  // The update that the batch has asked for goes out meanwhile.
  const counts = new Set<number>();
  for (let turn = 0; turn < 1000; turn++) {
    if (counts.size < 3) clock.advance(10);
    counts.add(engine.graph.nodeCount);
    await new Promise(setImmediate);
  }
  clock.advance(10_000);
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
  assert.ok(counts.size > 3, `${counts.size} sizes of the graph`);
  assert.equal(follower.graph.nodes.length, engine.graph.nodeCount);
});

function steps(count: number): SafeRecord[] {
  return Array.from({ length: count }, (_, n) => ({
    ...span(1),
    spanId: (n + 1).toString(16).padStart(16, '0'),
  }));
}
