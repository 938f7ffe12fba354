import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { edge, node } from '../../../test/client/fake-transport.ts';
import { assertDag } from '../../../test/support/assert-dag.ts';
import { TestCell, TestGateway } from '../../../test/support/gateway-cells.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { TestClient } from '../../../test/support/test-client.ts';
import { BOUNDED } from '../../../test/support/until.ts';
import { makeSpan, safe } from '../../../test/support/world.ts';
import { ManualClock } from '../../base/clock.ts';
import { ClientError } from '../../client/client-error.ts';
import type { Feed, FeedListener, FeedRequest, Transport } from '../../client/transport.ts';
import type { ExplanationGraph, GraphUpdate } from '../../model/node.ts';
import { ITEM_BYTES } from '../../model/item-size.ts';
import { ToldNode } from '../../model/told-node.ts';
import type { SubscriberSink } from '../../subscriptions/reader-api.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import { CellPart } from './cell-part.ts';
import { DEFAULT_TIMING } from '../../client/timing.ts';
import { parseRequest } from '../../subscriptions/parse-request.ts';
import { ReadCell } from '../cells/read-cell.ts';
import { MergedGraph } from './merged-graph.ts';
import { MergedView } from './merged-view.ts';

const NO_CHANGE = { addedNodes: [], removedNodeIds: [], addedEdges: [], removedEdgeIds: [], timestamp: '' };
const adding = (change: Partial<GraphUpdate>): GraphUpdate => ({ ...NO_CHANGE, ...change });

function step(traceId: string, spanId: string, parentSpanId?: string): SafeRecord {
  return safe(makeSpan({ traceId, spanId, parentSpanId, attrs: { taskID: 't' } }));
}

function open(t: TestContext, names: readonly string[]) {
  const clock = new ManualClock();
  const cells = names.map((name) => new TestCell(name));
  const gateway = new TestGateway(clock, cells);
  t.after(() => {
    gateway.stop();
    for (const cell of cells) cell.engine.stop();
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (const cell of cells) cell.advance(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  return { clock, cells, gateway, pass };
}

test('[GV11] a large node counts for as many as it takes the place of, so that views are bounded by bytes', () => {
  const graph = new MergedGraph();
  const part = graph.add('a');
  const large = ToldNode.of(node('x'), Buffer.alloc(10 * ITEM_BYTES), 0, true);
  const added = adding({ addedNodes: [large, node('y')], addedEdges: [edge('x', 'y')] });
  for (let round = 0; round < 3; round++) {
    assert.equal(part.update(added), undefined);
    assert.equal(graph.items, 12);
  }
  assert.equal(part.update(adding({ addedNodes: [node('x')] })), undefined);
  assert.equal(graph.items, 3);
  assert.equal(part.update(added) ?? part.update(adding({ removedNodeIds: ['x'] })), undefined);
  assert.equal(graph.items, 1);
});

test('[GV7] edges of a dense graph are decided together when looking for ways back from each would take long', () => {
  const part = new MergedGraph().add('a');
  const steps = Array.from({ length: 400 }, (_, n) => `n${n}`);
  const update = (addedEdges: GraphUpdate['addedEdges']): string | undefined =>
    part.update(adding({ addedEdges }));
  part.update(adding({ addedNodes: steps.map((id) => node(id)) }));
  const ahead = (by: number): GraphUpdate['addedEdges'] =>
    steps.slice(0, -by).map((id, n) => edge(id, `n${n + by}`));
  for (let by = 1; by < 20; by++) assert.equal(update(ahead(by)), undefined);
  let looks = 0;
  const get = part.edges.get.bind(part.edges);
  part.edges.get = (id) => {
    looks++;
    return get(id);
  };
  assert.equal(update(ahead(20)), undefined);
  assert.ok(looks < 60_000, `${looks} looks`);
  assert.equal(update([edge('n399', 'n0')]), 'edges in a circle');
  assert.equal(
    part.edges.size,
    [...Array(20).keys()].reduce((sum, n) => sum + 399 - n, 0),
  );
});

test('[GV11] who was shown too much, and is shown nothing from then on, has nothing asked of any cell', () => {
  const clock = new ManualClock();
  const noted = (): void => undefined;
  const shared = { project: 'default', clock, timing: DEFAULT_TIMING, maxViewItems: 1 };
  const options = { ...shared, onChange: noted, onEvent: noted };
  const { spec } = parseRequest({ filters: { taskIds: ['t'] } });
  const view = new MergedView({ ...options, spec, cells: [] });
  const asked: string[] = [];
  const cell = (name: string): ReadCell => {
    const connect = (): Transport => {
      asked.push(name);
      const openFeed = (): Feed => ({ perform: () => Promise.resolve(), close: () => undefined });
      return { openFeed } as unknown as Transport;
    };
    return new ReadCell({ name, clock, connect, onChange: noted });
  };
  view.add(cell('a'));
  assert.deepEqual(asked, ['a']);
  const none = { ...spec, filters: { taskIds: new Set<string>() } };
  const nothing = new MergedView({ ...options, spec: none, cells: [cell('b')] });
  nothing.add(cell('c'));
  assert.deepEqual(asked, ['a']);
  nothing.remove('b');
  view.end();
  nothing.end();
});

test('[GV1] a node that two cells have is there once, with the edges of the first; when that one has it no more, with those of the other', () => {
  const graph = new MergedGraph();
  const [b, a] = [graph.add('b'), graph.add('a')];
  assert.equal(
    b.update(adding({ addedNodes: [node('x'), node('y')], addedEdges: [edge('y', 'x')] })),
    undefined,
  );
  assert.deepEqual(
    graph.settle().addedEdges.map(({ from, to }) => [from, to]),
    [['y', 'x']],
  );
  // The other way round: both together would be a cycle.
  assert.equal(
    a.update(adding({ addedNodes: [node('x'), node('y')], addedEdges: [edge('x', 'y')] })),
    undefined,
  );
  const taken = graph.settle();
  assert.deepEqual(
    taken.addedEdges.map(({ from, to }) => [from, to]),
    [['x', 'y']],
  );
  assert.deepEqual(
    taken.removedEdgeIds.map(({ from, to }) => [from, to]),
    [['y', 'x']],
  );
  assert.equal(graph.copy().nodes.length, 2);
  a.update(adding({ removedNodeIds: ['y'] }));
  graph.settle();
  assert.deepEqual(
    graph.copy().edges.map(({ from, to }) => [from, to]),
    [],
  );
  a.update(adding({ removedNodeIds: ['x'] }));
  const back = graph.settle();
  assert.deepEqual(
    back.addedEdges.map(({ from, to }) => [from, to]),
    [['y', 'x']],
  );
  assert.deepEqual(back.removedNodeIds, []);
});

test('[GV4] an edge without both its nodes is refused, in a snapshot and in an update', () => {
  const touched = { node() {}, edge() {}, task() {} };
  const part = new CellPart('a', touched);
  const whole = { nodes: [node('a'), node('b')], edges: [edge('a', 'b')], lastUpdated: '' };
  assert.equal(part.replace(whole), undefined);
  assert.match(part.replace({ ...whole, nodes: [node('a')] }) ?? '', /an edge without both its nodes/);
  assert.deepEqual([part.nodes.size, part.edges.size], [2, 1]);
  assert.match(part.update(adding({ addedEdges: [edge('a', 'c')] })) ?? '', /an edge without both its nodes/);
  // A node takes its edges along.
  assert.equal(part.update(adding({ removedNodeIds: ['b'] })), undefined);
  assert.equal(part.edges.size, 0);
});

test('[GV7] an edge that closes a circle is refused, in a snapshot and in an update', () => {
  const touched = { node() {}, edge() {}, task() {} };
  const part = new CellPart('a', touched);
  const chain = { nodes: ['a', 'b', 'c'].map((id) => node(id)), edges: [edge('a', 'b'), edge('b', 'c')] };
  assert.equal(part.replace({ ...chain, lastUpdated: '' }), undefined);
  const circle = { ...chain, edges: [...chain.edges, edge('c', 'a')], lastUpdated: '' };
  assert.match(part.replace(circle) ?? '', /edges in a circle/);
  assert.match(part.update(adding({ addedEdges: [edge('c', 'a')] })) ?? '', /edges in a circle/);
  assert.match(part.update(adding({ addedEdges: [edge('a', 'a')] })) ?? '', /edges in a circle/);
  assert.deepEqual([part.nodes.size, part.edges.size], [3, 2]);
  // What goes goes first: turned round it is none.
  const turned = adding({ removedEdgeIds: chain.edges, addedEdges: [edge('c', 'b'), edge('b', 'a')] });
  assert.equal(part.update(turned), undefined);
});

test('[GV7] whatever a cell sends, its part is a graph', () => {
  const ids = Array.from({ length: 12 }, (_, n) => `${n}`);
  const id = fc.constantFrom(...ids);
  const link = fc.tuple(id, id).map(([from, to]) => edge(from, to));
  const change = fc.record({
    addedNodes: fc.array(id.map((name) => node(name))),
    removedNodeIds: fc.array(id, { maxLength: 2 }),
    addedEdges: fc.array(link, { maxLength: 3 }),
    removedEdgeIds: fc.array(link, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.boolean(), (changes, isWide) => {
      const part = new CellPart('a', { node() {}, edge() {}, task() {} });
      // So much leads to and from one of them that no short search tells.
      const wide = Array.from({ length: isWide ? 1100 : 0 }, (_, n) => `wide-${n}`);
      const around = wide.flatMap((name) => ids.flatMap((to) => [edge(name, to)])).slice(0, 3000);
      const nodes = [...ids, ...wide].map((name) => node(name));
      assert.equal(part.replace({ nodes, edges: around, lastUpdated: '' }), undefined);
      for (const one of isWide ? changes.slice(0, 3) : changes) {
        part.update(adding(one));
        assertDag({ nodes: [...part.nodes.values()], edges: [...part.edges.values()] });
      }
    }),
    propertyRuns(),
  );
});

test('[GV7] a cell that sends edges in a circle is named, the others are shown', BOUNDED, async (t) => {
  const { clock, cells, gateway, pass } = open(t, ['a']);
  const [honest] = cells as [TestCell];
  await honest.take([step('a'.repeat(32), '1'.repeat(16))]);
  const own = { taskId: 'u' };
  const graph = { nodes: [node('x', own), node('y', own)], edges: [edge('x', 'y')], lastUpdated: '' };
  const circle = { ...graph, edges: [...graph.edges, edge('y', 'x')] };
  const sent: FeedListener[] = [];
  const openFeed = (_request: FeedRequest, listener: FeedListener): Feed => {
    sent.push(listener);
    return { perform: () => Promise.resolve(), close() {} };
  };
  gateway.addFrom('liar', () => ({ openFeed, close: () => Promise.resolve() }) as unknown as Transport);
  await pass(50);
  const client = new TestClient(gateway.reader, {}, 'none');
  await pass(5);
  const tell = (sequence: number, of: ExplanationGraph): void =>
    sent.at(-1)?.frame({ type: 'subscribed', subscriptionId: 's', sequence, graph: of });
  tell(0, circle);
  await pass(50);
  await client.settled();
  assert.equal(client.graph.nodes.length, 1);
  assert.deepEqual(client.graph.notices, ['the cell liar does not show this: it sends edges in a circle']);
  await pass(5000);
  assert.equal(sent.length, 2);
  tell(0, graph);
  await pass(50);
  await client.settled();
  assert.deepEqual([client.graph.nodes.length, client.graph.notices ?? []], [3, []]);
  // Later on, too; what it told before stays.
  const update = adding({ addedNodes: [node('z', own)], addedEdges: [edge('y', 'x')] });
  sent.at(-1)?.frame({ type: 'update', subscriptionId: 's', sequence: 1, update });
  await pass(50);
  await client.settled();
  assertDag(client.graph);
  assert.match(client.graph.notices?.join() ?? '', /liar does not show this: it sends edges in a circle/);
  await client.assertAsFresh();
  sent.at(-1)?.ended(new ClientError('PERMISSION_DENIED', 'no. '.repeat(10_000)));
  await pass(5000);
  sent.at(-1)?.ended(new ClientError('PERMISSION_DENIED', 'no. '.repeat(10_000)));
  await pass(50);
  await client.settled();
  assert.ok(client.graph.notices?.every(({ length }) => length < 400));
  clock.advance(1);
});

test(
  '[GV3] of a cell that does not answer what it told stays, with a notice after a second, until it is back',
  BOUNDED,
  async (t) => {
    const { cells, gateway, pass } = open(t, ['a', 'b']);
    const [a, b] = cells as [TestCell, TestCell];
    await a.take([step('a'.repeat(32), '1'.repeat(16))]);
    await b.take([step('b'.repeat(32), '2'.repeat(16))]);
    await pass(50);
    const client = new TestClient(gateway.reader, {}, 'none');
    await client.settled();
    assert.equal(client.graph.nodes.length, 2);
    b.isAway = true;
    b.cut();
    await pass(1);
    await pass(500);
    assert.deepEqual(
      client.graph.notices?.filter((notice) => /answer/.test(notice)),
      [],
    );
    await pass(600);
    const [notice = ''] = client.graph.notices ?? [];
    assert.match(
      notice,
      /^the cell b does not answer since 2025-\S+: what is shown of it is as it was then \(/,
    );
    assert.equal(client.graph.nodes.length, 2);
    // Who comes now sees the same, and is told so.
    await client.assertAsFresh();
    b.isAway = false;
    await pass(3000);
    await client.settled();
    assert.doesNotMatch((client.graph.notices ?? []).join(), /answer/);
  },
);

test('[GV3] that a task is in several cells is said, and all of it is shown', BOUNDED, async (t) => {
  const { cells, gateway, pass } = open(t, ['a', 'b']);
  for (const [n, cell] of cells.entries())
    await cell.take([step(`${n + 1}`.repeat(32), `${n + 1}`.repeat(16))]);
  await pass(50);
  const client = new TestClient(gateway.reader, { taskIds: ['t'] }, 'none');
  await client.settled();
  assert.equal(client.graph.nodes.length, 2);
  assert.match(client.graph.notices?.join() ?? '', /^In several cells, .*: task t \(a, b\)\.$/);
  gateway.remove('b');
  await client.settled();
  assert.equal(client.graph.nodes.length, 1);
  assert.deepEqual(client.graph.notices ?? [], []);
});

test('[GV1] who leaves while its view is made leaves nobody waiting', BOUNDED, async (t) => {
  const { gateway, clock } = open(t, ['a']);
  const frames: unknown[] = [];
  const sink = { writable: true, write: (frame: unknown) => void frames.push(frame), close() {} };
  const { subscriptionId, begun } = gateway.reader.subscribe({}, sink);
  gateway.reader.unsubscribe(subscriptionId);
  await begun;
  assert.deepEqual(frames, []);
  clock.advance(1);
});

test('[GV5] what is opened from the start is open when it comes', async (t) => {
  const trace = 'a'.repeat(32);
  const root = '9'.repeat(16);
  const records = [
    step(trace, root),
    ...Array.from({ length: 6 }, (_, n) => step(trace, `${n + 1}`.repeat(16), root)),
  ];
  const [folded, cell] = [new TestCell('folded'), new TestCell('cell')];
  t.after(() => [folded, cell].forEach(({ engine }) => engine.stop()));
  await folded.take(records);
  const summary = folded.engine.reader.getGraph({}).nodes.find(({ type }) => type === 'SUMMARY');
  assert.ok(summary);
  const seen: string[] = [];
  const write: SubscriberSink['write'] = (frame) => {
    if (frame.type === 'update') seen.push(...frame.update.addedNodes.map(({ type }) => type));
  };
  const sink = { writable: true, close() {}, write };
  cell.engine.reader.subscribe({ opened: [{ type: 'expand', nodeId: summary.id }] }, sink);
  await cell.take(records);
  cell.advance(50);
  await new Promise(setImmediate);
  assert.ok(seen.length >= 7);
  assert.ok(!seen.includes('SUMMARY'));
  assert.throws(
    () => cell.engine.reader.subscribe({ opened: [{ type: 'expand' }] }, sink),
    /opened\[0\] must be \{"type": "expand" or "collapse"/,
  );
});
