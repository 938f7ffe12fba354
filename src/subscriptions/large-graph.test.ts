import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atOnce } from '../base/in-turns.ts';
import { applyUpdate } from '../model/apply-update.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import { sorted } from './sorted-graph.ts';
import type { SubscriberSink } from './reader-api.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
const ALL = { collapse: 'none' } as const;

class Connection implements SubscriberSink {
  readonly frames: ServerFrame[] = [];
  writable = true;

  write(frame: ServerFrame): void {
    assert.ok(this.writable, 'written to while it could not take more');
    this.frames.push(frame);
  }

  close(): void {}

  get graph(): ExplanationGraph {
    let graph = EMPTY;
    for (const frame of this.frames) {
      if (frame.type === 'subscribed') ({ graph } = frame);
      if (frame.type === 'update') graph = applyUpdate(graph, frame.update);
    }
    return graph;
  }
}

/** One task of 300 steps and three of 20, in an engine whose turns are over after a few steps of long work. */
async function crowded(betweenTurns: () => void = () => {}): Promise<TestEngine> {
  const target = makeEngine({ largeGraph: 10, pace: hurriedPace([4], betweenTurns) });
  const ids = Array.from({ length: 360 }, (_, n) => n + 1);
  await target.engine.correlator.consume(
    batchOf(
      ids.map((n) =>
        n <= 300
          ? span(n, { at: -n, ...(n > 1 && { parent: Math.ceil(n / 3) }) })
          : span(n, { traceId: String(n % 3).repeat(32), at: n % 7 }),
      ),
    ),
  );
  target.engine.flush();
  return target;
}

function content({ nodes, edges }: ExplanationGraph): unknown {
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: nodes.toSorted(byId), edges: edges.toSorted(byId) };
}

const REQUESTS: readonly (readonly [string, object])[] = [
  ['everything', ALL],
  ['everything that matches', { ...ALL, filters: { status: ['OK'] } }],
  ['some tasks', { ...ALL, filters: { taskIds: [nodeId(1).split(':')[0]] } }],
  ['everything, folded', {}],
];
for (const [what, request] of REQUESTS) {
  test(`[SU17] the graph of ${what} made in turns is the one made at once`, async () => {
    const { engine } = await crowded();
    const connection = new Connection();
    const { begun } = engine.reader.subscribe(request, connection);
    assert.equal(connection.frames.length, 0);
    await begun;
    const wanted = engine.reader.getGraph(request);
    assert.ok(wanted.nodes.length > 0);
    assert.deepEqual(connection.frames.length, 1);
    assert.deepEqual(connection.graph, wanted);
    assert.deepEqual(await engine.reader.getWholeGraph(request), wanted);
  });
}

test('[SU17] it takes many turns, in which others have theirs', async () => {
  let turns = 0;
  const { engine } = await crowded(() => turns++);
  turns = 0;
  const connection = new Connection();
  const { begun } = engine.reader.subscribe({ ...ALL, include: ['ui'] }, connection);
  assert.ok(begun, 'not at once');
  assert.equal(connection.frames.length, 0);
  await begun;
  assert.ok(turns >= 10, `${turns} turns`);
});

test('[SU17] what changes while it is made is in it, or comes after it', async () => {
  let change = (): void => {};
  const target = await crowded(() => change());
  const { engine } = target;
  let taken = 0;
  change = () => {
    // Nodes go from all over the task that is being looked at; some of it is published at once, some later.
    if (taken < 250) engine.takeOut([nodeId(1 + ((taken++ * 37) % 300))]);
    if (taken % 5 === 0) engine.flush();
  };
  const connections = [new Connection(), new Connection()];
  for (const connection of connections) await engine.reader.subscribe(ALL, connection).begun;
  assert.ok(taken > 0);
  change = () => {};
  engine.flush();
  const fresh = engine.reader.getGraph(ALL);
  for (const connection of connections) {
    assert.equal(connection.frames[0]?.type, 'subscribed');
    const ids = new Set(
      (connection.frames[0] as { graph: ExplanationGraph }).graph.nodes.map(({ id }) => id),
    );
    const { edges } = (connection.frames[0] as { graph: ExplanationGraph }).graph;
    assert.ok(
      edges.every(({ from, to }) => ids.has(from) && ids.has(to)),
      'an edge without its node',
    );
    assert.deepEqual(content(connection.graph), content(fresh));
  }
});

test('[SU17] a view of tasks that change all the time is finished all the same', async () => {
  let n = 0;
  let change = (): void => {};
  const { engine } = await crowded(() => change());
  change = () => {
    engine.takeOut([nodeId(300 - (n++ % 290))]);
    engine.flush();
  };
  const connection = new Connection();
  await engine.reader.subscribe({ ...ALL, filters: { status: ['OK'] } }, connection).begun;
  change = () => {};
  engine.flush();
  const fresh = engine.reader.getGraph({ ...ALL, filters: { status: ['OK'] } });
  assert.deepEqual(content(connection.graph), content(fresh));
});

test('[SU18] two readers of a view that is being made share it', async () => {
  const { engine } = await crowded();
  const [first, second] = [new Connection(), new Connection()];
  const handles = [first, second].map((connection) => engine.reader.subscribe(ALL, connection));
  assert.equal(engine.reader.viewCount, 1);
  for (const { begun } of handles) await begun;
  assert.deepEqual(first.graph, engine.reader.getGraph(ALL));
  assert.deepEqual(second.graph, first.graph);
});

test('[SU18] a reader that leaves while its graph is made is forgotten', async () => {
  const { engine } = await crowded();
  const connection = new Connection();
  const handle = engine.reader.subscribe(ALL, connection);
  handle.disconnected();
  await handle.begun;
  assert.deepEqual([engine.reader.subscriptionCount, engine.reader.viewCount], [0, 0]);
  assert.deepEqual(connection.frames, []);
});

test('[SU18] until its graph is made a subscription cannot be changed, and not be resumed', async () => {
  const { engine } = await crowded();
  const [first, second] = [new Connection(), new Connection()];
  const { subscriptionId, begun } = engine.reader.subscribe(ALL, first, 'mine');
  for (const change of [
    () => engine.reader.updateFilters(subscriptionId, {}),
    () => engine.reader.expandTask(subscriptionId, nodeId(1).split(':')[0]),
  ]) {
    assert.throws(change, { code: 'UNAVAILABLE', message: /subscriptionId/ });
  }
  engine.reader.subscribe({ subscriptionId, resumeFrom: 0 }, second);
  await begun;
  assert.deepEqual(
    [first, second].map(({ frames }) => frames.map(({ type }) => type)),
    [[], ['snapshotNeeded']],
  );
});

test('[SU18] the graph waits for a slow reader, and what changed meanwhile comes after it as one update', async () => {
  const { engine } = await crowded();
  const connection = new Connection();
  const handle = engine.reader.subscribe(ALL, connection, 'mine');
  connection.writable = false;
  await handle.begun;
  for (const n of [299, 300]) {
    engine.takeOut([nodeId(n)]);
    engine.flush();
  }
  const { frames } = connection;
  assert.equal(frames.length, 0);
  connection.writable = true;
  handle.drained();
  assert.deepEqual(
    frames.map((frame) => [frame.type, 'requestId' in frame && frame.requestId]),
    [
      ['subscribed', 'mine'],
      ['update', false],
    ],
  );
  assert.deepEqual(content(connection.graph), content(engine.reader.getGraph(ALL)));
});

test('[SU17] sorting step by step is sorting', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { maxLength: 4000, size: 'max' }), (numbers) => {
      const items = numbers.map((key, place) => ({ key, place }));
      const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      assert.deepEqual(atOnce(sorted(items, byKey, () => true)), items.toSorted(byKey));
    }),
    { numRuns: 30 },
  );
});
