import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../base/clock.ts';
import { atOnce } from '../base/in-turns.ts';
import { Pace } from '../base/pace.ts';
import { applyUpdate } from '../model/apply-update.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { EngineOptions } from '../service/engine.ts';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { nodeId, span } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import { edge, node } from '../../test/client/fake-transport.ts';
import { partsOf } from './cut-update.ts';
import { difference, type TaskViews } from './diff-view.ts';
import { sorted } from '../base/sorted.ts';
import type { SubscriberSink, SubscriptionHandle } from './reader-api.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
const ALL = { collapse: 'none' } as const;

/** Many more than anything here takes. */
const MOST_TURNS = 20_000;

class Connection implements SubscriberSink {
  readonly frames: ServerFrame[] = [];
  writable = true;
  /** Told of every frame. */
  onFrame: (frame: ServerFrame) => void = () => {};

  write(frame: ServerFrame): void {
    assert.ok(this.writable, 'written to while it could not take more');
    this.frames.push(frame);
    this.onFrame(frame);
  }

  close(): void {}

  /** Resolves when all that was begun is there. */
  async whole(): Promise<this> {
    for (let turn = 0; this.frames.length === 0 || this.isPartial; turn++) {
      assert.ok(turn < MOST_TURNS, 'the last part never came');
      await new Promise(setImmediate);
    }
    return this;
  }

  get isPartial(): boolean {
    let isPartial = false;
    for (const frame of this.frames) {
      if ('partial' in frame) isPartial = true;
      if ('complete' in frame) isPartial = false;
    }
    return isPartial;
  }

  get graph(): ExplanationGraph {
    return graphOf(this.frames);
  }
}

/** By the frames in order, each of which must leave no edge without its nodes. */
function graphOf(frames: readonly ServerFrame[]): ExplanationGraph {
  let graph = EMPTY;
  for (const frame of frames) {
    if (frame.type === 'subscribed') ({ graph } = frame);
    if (frame.type !== 'subscribed' && frame.type !== 'update') continue;
    const edges = frame.type === 'update' ? frame.update.addedEdges : frame.graph.edges;
    if (frame.type === 'update') graph = applyUpdate(graph, frame.update);
    const ids = new Set(graph.nodes.map(({ id }) => id));
    assert.ok(
      edges.every(({ from, to }) => ids.has(from) && ids.has(to)),
      'an edge without its nodes',
    );
  }
  return graph;
}

/** One task of 300 steps and three of 20, in an engine whose turns are over after a few steps of long work. */
async function crowded(
  betweenTurns: () => void = () => {},
  options: Partial<EngineOptions> = {},
): Promise<TestEngine> {
  const pace = hurriedPace([4], betweenTurns);
  const target = makeEngine({ partItems: 1_000, pace, ...options });
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

/** What may go on in later turns of the event loop has done so. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
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
  await turns();
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
  await turns();
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

test('[SU18] changes wait until what was asked for before is made, one after the other', async () => {
  const { engine } = await crowded();
  const connection = new Connection();
  const { reader } = engine;
  const { subscriptionId } = reader.subscribe(ALL, connection, 'a');
  const changes = [
    reader.updateFilters(subscriptionId, { taskIds: ['1'.repeat(32)] }, 'b'),
    reader.updateFilters(subscriptionId, { taskIds: ['1'.repeat(32)] }, 'c'),
    reader.expandTask(subscriptionId, nodeId(1).split(':')[0], 'd'),
    reader.updateFilters(subscriptionId, {}, 'e'),
  ];
  const told: boolean[] = [];
  for (const change of changes) told.push(await Promise.resolve(change));
  assert.deepEqual(told, [true, false, false, true]);
  await connection.whole();
  assert.deepEqual(
    connection.frames.map((frame) => frame.requestId),
    ['a', 'b', 'e'],
  );
  assert.deepEqual(content(connection.graph), content(reader.getGraph(ALL)));
});

test('[SU18] a reader whose graph is not made yet cannot be resumed', async () => {
  const { engine } = await crowded();
  const [first, second] = [new Connection(), new Connection()];
  const { subscriptionId, begun } = engine.reader.subscribe(ALL, first, 'mine');
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
  for (let turn = 0; frames.length < 2 && turn < MOST_TURNS; turn++) await new Promise(setImmediate);
  assert.deepEqual(
    frames.map((frame) => [frame.type, 'requestId' in frame && frame.requestId]),
    [
      ['subscribed', 'mine'],
      ['update', false],
    ],
  );
  assert.deepEqual(content(connection.graph), content(engine.reader.getGraph(ALL)));
});

/** How the frames of a transfer are marked. */
function places(frames: readonly ServerFrame[]): string[] {
  return frames.map((frame) =>
    'partial' in frame ? 'partial' : 'complete' in frame ? 'complete' : frame.type,
  );
}

function items(frame: ServerFrame): number {
  if (frame.type === 'subscribed') return frame.graph.nodes.length + frame.graph.edges.length;
  if (frame.type !== 'update') return 0;
  const { addedNodes, addedEdges, removedNodeIds, removedEdgeIds } = frame.update;
  return addedNodes.length + addedEdges.length + removedNodeIds.length + removedEdgeIds.length;
}

function assertParts(frames: readonly ServerFrame[], size: number, requestId: string): void {
  assert.ok(frames.length > 3);
  assert.deepEqual(places(frames), [...frames.slice(1).map(() => 'partial'), 'complete']);
  assert.ok(frames.every((frame) => items(frame) <= size));
  assert.deepEqual([frames[0]?.requestId, frames[1]?.requestId], [requestId, undefined]);
}

test('[SU24] what shows much comes in parts, each of which leaves every edge its nodes', async () => {
  const { engine } = await crowded(() => {}, { partItems: 50 });
  const { reader } = engine;
  const connection = new Connection();
  const { subscriptionId } = reader.subscribe(ALL, connection, 'a');
  let seen = 0;
  const task = nodeId(1).split(':')[0];
  for (const [requestId, change] of [
    ['a', () => {}],
    ['b', () => reader.updateFilters(subscriptionId, { taskIds: [task], status: ['ERROR'] }, 'b')],
    ['c', () => reader.updateFilters(subscriptionId, {}, 'c')],
  ] as const) {
    await change();
    await connection.whole();
    assertParts(connection.frames.slice(seen), 50, requestId);
    seen = connection.frames.length;
    const filters = requestId === 'b' ? { taskIds: [task], status: ['ERROR'] } : {};
    assert.deepEqual(content(connection.graph), content(reader.getGraph({ ...ALL, filters })));
  }
  const folded = new Connection();
  const { subscriptionId: other, begun } = reader.subscribe({}, folded);
  await begun;
  const before = (await folded.whole()).frames.length;
  await reader.expandTask(other, task, 'd');
  assertParts((await folded.whole()).frames.slice(before), 50, 'd');
  // What goes for all, too: each reader is told in as many parts.
  const last = connection.frames.length;
  engine.takeOut(Array.from({ length: 250 }, (_, n) => nodeId(51 + n)));
  engine.flush();
  await connection.whole();
  assert.ok(connection.frames.slice(last).every((frame) => items(frame) <= 50));
  assert.deepEqual(content(connection.graph), content(reader.getGraph(ALL)));
});

test('[SU24] what changes while parts are sent is there before the last one is', async () => {
  const { engine } = await crowded(() => {}, { partItems: 50 });
  const connection = new Connection();
  let n = 300;
  connection.onFrame = () => {
    if (n > 280) engine.takeOut([nodeId(n--)]);
    engine.flush();
  };
  await engine.reader.subscribe(ALL, connection).begun;
  await connection.whole();
  assert.equal(n, 280);
  assert.deepEqual(content(connection.graph), content(engine.reader.getGraph(ALL)));
});

test('[SU24] other readers have their turns between parts', async () => {
  let turns = 0;
  const { engine } = await crowded(() => turns++, { partItems: 20 });
  const connection = new Connection();
  await engine.reader.subscribe(ALL, connection).begun;
  turns = 0;
  await connection.whole();
  assert.ok(turns > 5, `${turns} turns`);
});

test('[SU25] a reader that comes back between parts gets those that it has not got, and all that changed', async () => {
  for (const lost of [0, 2]) {
    const { engine } = await crowded(() => {}, { partItems: 50, maxQueuedUpdates: 4 });
    const { reader } = engine;
    const connection = new Connection();
    connection.onFrame = () => (connection.writable = connection.frames.length < 6);
    const handle = reader.subscribe(ALL, connection);
    await handle.begun;
    while (connection.writable) await new Promise(setImmediate);
    handle.disconnected();
    for (const n of [299, 300]) {
      engine.takeOut([nodeId(n)]);
      engine.flush();
    }
    const again = new Connection();
    const got = connection.frames.slice(0, connection.frames.length - lost);
    const { subscriptionId } = handle;
    reader.subscribe({ subscriptionId, resumeFrom: got.length - 1 }, again);
    for (let turn = 0; !('complete' in (again.frames.at(-1) ?? {})); turn++) {
      assert.ok(turn < MOST_TURNS, 'the last part never came');
      await new Promise(setImmediate);
    }
    assert.equal(again.frames[0]?.type, 'resumed');
    const updates = [...got, ...again.frames].filter((frame) => frame.type === 'update');
    assert.deepEqual(
      updates.map(({ sequence }) => sequence),
      updates.map((_, index) => index + 1),
    );
    assert.deepEqual(content(graphOf([...got, ...again.frames])), content(reader.getGraph(ALL)));
  }
});

test('[SU25] who comes back with other filters keeps what it had asked to open, also when that is not done yet', async () => {
  const { reader } = (await crowded()).engine;
  const [before, after, fresh] = [new Connection(), new Connection(), new Connection()];
  const handle = reader.subscribe({}, before);
  const { subscriptionId } = handle;
  await handle.begun;
  const summary = before.graph.nodes.find(({ type }) => type === 'SUMMARY');
  assert.ok(summary);
  const opening = reader.expand(subscriptionId, summary.id);
  assert.ok(opening instanceof Promise, 'it takes some turns');
  handle.disconnected();
  const filters = { status: ['OK', 'ERROR'] };
  await reader.subscribe({ subscriptionId, resumeFrom: 0, filters }, after).begun;
  await opening;
  await turns();

  const other = reader.subscribe({ filters }, fresh);
  await other.begun;
  await reader.expand(other.subscriptionId, summary.id);
  assert.deepEqual(content(graphOf([...before.frames, ...after.frames])), content(fresh.graph));
  assert.ok(fresh.graph.nodes.length > before.graph.nodes.length);
});

test('[SU25] who comes back with other filters and goes before they are applied takes no view from others', async () => {
  const { reader } = (await crowded()).engine;
  const follow = async (request: object): Promise<Connection> => {
    const connection = new Connection();
    await reader.subscribe(request, connection).begun;
    return connection;
  };
  const ok = { filters: { status: ['OK'] } };
  await follow({});
  await follow(ok);
  const views = reader.viewCount;
  const handle = reader.subscribe({}, new Connection());
  const { subscriptionId } = handle;
  await handle.begun;
  const changed = reader.updateFilters(subscriptionId, { status: ['ERROR'] });
  assert.ok(changed instanceof Promise, 'it takes some turns');
  handle.disconnected();
  const { begun } = reader.subscribe({ subscriptionId, resumeFrom: 0, ...ok }, new Connection());
  reader.unsubscribe(subscriptionId);
  await Promise.allSettled([changed, begun]);
  await turns();
  assert.equal(reader.viewCount, views);
});

test('[SU25] who comes back between parts and has missed more than is kept is told to begin anew', async () => {
  const { engine } = await crowded(() => {}, { partItems: 50, maxQueuedUpdates: 4 });
  const connection = new Connection();
  const { subscriptionId } = engine.reader.subscribe(ALL, connection);
  while (connection.frames.length < 7) await new Promise(setImmediate);
  const again = new Connection();
  engine.reader.subscribe({ subscriptionId, resumeFrom: 0 }, again);
  assert.deepEqual(places(again.frames), ['snapshotNeeded']);
});

test('[SU24] a slow reader costs the parts that it asked for, and no more than so many', async () => {
  const { engine } = await crowded(() => {}, { partItems: 1 });
  const { reader } = engine;
  const connection = new Connection();
  const handle = reader.subscribe(ALL, connection, 'first');
  await handle.begun;
  connection.writable = false;
  const { subscriptionId } = handle;
  const text = { text: 'nothing has this' };
  for (const filters of [text, {}, text, {}, text, {}])
    await reader.updateFilters(subscriptionId, filters, JSON.stringify(filters));
  connection.writable = true;
  handle.drained();
  const told = connection.frames.filter((frame) => frame.type === 'snapshotNeeded');
  assert.match(told[0]?.reason ?? '', /too slow/);
  // Each of those that was not answered yet.
  assert.ok(told.length > 1 && told.every(({ requestId }) => requestId !== undefined));
});

test('[SU24] an update cut into parts is the update, and after each of them every edge has its nodes', () => {
  const ids = fc.uniqueArray(fc.nat({ max: 40 }), { maxLength: 25 });
  const end = fc.nat({ max: 40 });
  const selector = ([from, to]: readonly [number, number]): string => `${from}>${to}`;
  const pairs = fc.uniqueArray(fc.tuple(end, end), { maxLength: 60, selector });
  const size = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(ids, pairs, ids, pairs, size, (heldIds, heldPairs, laterIds, laterPairs, most) => {
      const graph = (
        nodes: readonly number[],
        edges: readonly (readonly [number, number])[],
        name: string,
      ) => ({
        nodes: nodes.map((id) => node(String(id), { name: id % 3 === 0 ? name : 'same' })),
        edges: edges
          .filter(([from, to]) => nodes.includes(from) && nodes.includes(to))
          .map(([from, to]) => edge(String(from), String(to))),
        lastUpdated: '',
      });
      const [before, after] = [graph(heldIds, heldPairs, 'old'), graph(laterIds, laterPairs, 'new')];
      const update = atOnce(difference(viewOf(before), viewOf(after), '', () => true));
      let shown: ExplanationGraph = before;
      for (const part of update ? atOnce(partsOf(update, most, () => true)) : []) {
        const { addedNodes, addedEdges, removedNodeIds, removedEdgeIds } = part;
        const count = addedNodes.length + addedEdges.length + removedNodeIds.length + removedEdgeIds.length;
        assert.ok(count > 0 && count <= most);
        shown = applyUpdate(shown, part);
        const there = new Set(shown.nodes.map(({ id }) => id));
        for (const { from, to } of addedEdges) assert.ok(there.has(from) && there.has(to));
      }
      assert.deepEqual(content(shown), content(after));
    }),
    { numRuns: 500 },
  );
});

/** Of one task, in parts by the last digit of the nodes. */
function viewOf({ nodes, edges }: ExplanationGraph): TaskViews {
  const parts = Map.groupBy(nodes, ({ id }) => id.at(-1) ?? '');
  const task = new Map(
    [...parts].map(([name, members]) => {
      const into = edges.filter(({ to }) => members.some(({ id }) => id === to));
      const shown = { nodes: members, edges: into, state: undefined, closed: [], inner: [] };
      return [name, shown] as const;
    }),
  );
  return new Map([['t', task]]);
}

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

/** In an engine where each node that is looked at takes 4 ms: a view takes a turn. */
async function withViewsOfATurn(): Promise<TestEngine & { pace: Pace; subscribe: (n: number) => Opened }> {
  const clock = new ManualClock();
  const pace = new Pace(clock);
  const { engine } = makeEngine({ clock, pace, decorate: (node) => (clock.advance(4), node) });
  await engine.correlator.consume(batchOf([1, 2, 3].map((n) => span(n))));
  const subscribe = (n: number): Opened => {
    const connection = new Connection();
    const request = { ...ALL, include: ['ui'], filters: { minLatencyMs: n / 1e6 } };
    return { connection, handle: engine.reader.subscribe(request, connection) };
  };
  return { engine, clock, pace, subscribe };
}

interface Opened {
  readonly connection: Connection;
  readonly handle: SubscriptionHandle;
}

test('[SU17] small views that are asked for in one turn take a turn each, and so do connections that drain in one', async () => {
  const { engine, clock, subscribe } = await withViewsOfATurn();
  let began = clock.monotonic();
  const opened = Array.from({ length: 20 }, (_, n) => subscribe(n));
  assert.ok(clock.monotonic() - began <= 12, 'one, and nothing of the others');
  for (const { handle } of opened) await handle.begun;
  for (const { connection } of opened) {
    connection.writable = false;
    connection.onFrame = () => clock.advance(12);
  }
  await engine.correlator.consume(batchOf([span(4)]));
  engine.flush();
  await turns();
  began = clock.monotonic();
  for (const { connection, handle } of opened) {
    connection.writable = true;
    handle.drained();
  }
  assert.ok(clock.monotonic() - began <= 12, 'one is sent its update');
  while (opened.some(({ connection }) => connection.graph.nodes.length < 4)) await new Promise(setImmediate);
});

for (const [what, rested] of [
  ['little', 0],
  ['much', undefined],
] as const) {
  test(`[EL1] who sends ${what} does not wait for all the views that readers wait for`, async () => {
    const { pace, subscribe } = await withViewsOfATurn();
    for (let n = 0; n < 100; n++) subscribe(n);
    const done: number[] = [];
    let passed = 0;
    void pace.rest(rested).then(() => done.push(passed));
    for (; done.length === 0 && passed < 100; passed++) await new Promise(setImmediate);
    assert.ok(passed < 5, `${passed} turns`);
  });
}

test('[SU27] of large views few are made at the same time, and small ones do not wait for them', async () => {
  let looks = 0;
  const target = await crowded(() => {}, { largeViewItems: 40, decorate: (node) => (looks++, node) });
  const { reader } = target.engine;
  const open = (filters: object): Opened => {
    const connection = new Connection();
    return { connection, handle: reader.subscribe({ ...ALL, include: ['ui'], filters }, connection) };
  };
  const large = Array.from({ length: 20 }, (_, n) => open({ minLatencyMs: n / 1e6 }));
  await turns();
  const small = open({ taskIds: ['1'.repeat(32)] });
  await small.handle.begun;
  assert.equal(small.connection.graph.nodes.length, 20);
  assert.ok(large.every(({ connection }) => connection.frames.length === 0));
  await Promise.race(large.map(({ handle }) => handle.begun ?? assert.fail()));
  assert.ok(looks < 4 * 360 + 17 * 100, `${looks} nodes looked at until the first is made, of ${20 * 360}`);
  // Who leaves while it waits does not hold up others.
  for (const { handle } of large.slice(5, 15)) handle.disconnected();
  for (const { connection } of large.slice(15))
    assert.equal((await connection.whole()).graph.nodes.length, 360);
});

test('[SU27] a single answer that nobody waits for any more is made no further', async () => {
  let looks = 0;
  const { engine } = await crowded(() => {}, { largeViewItems: 40, decorate: (node) => (looks++, node) });
  let isWanted = true;
  const asked = Array.from({ length: 20 }, (_, n) =>
    engine.reader.getWholeGraph(
      { ...ALL, include: ['ui'], filters: { minLatencyMs: n / 1e6 } },
      () => isWanted || n === 19,
    ),
  );
  const ends = Promise.allSettled(asked);
  await turns();
  isWanted = false;
  const last = await asked[19];
  assert.equal(last?.nodes.length, 360);
  assert.ok(looks < 5 * 360 + 16 * 100, `${looks} nodes looked at, of ${20 * 360}`);
  const outcomes = (await ends).map((end) =>
    end.status === 'fulfilled' ? 'made' : (end.reason as Error).message,
  );
  assert.ok(
    outcomes.slice(4, 19).every((outcome) => /nobody waits/.test(outcome)),
    outcomes.join(),
  );
});
