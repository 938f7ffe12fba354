import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { edge, node } from '../../../test/client/fake-transport.ts';
import { TestCell, TestGateway } from '../../../test/support/gateway-cells.ts';
import { TestClient } from '../../../test/support/test-client.ts';
import { BOUNDED } from '../../../test/support/until.ts';
import { makeSpan, safe } from '../../../test/support/world.ts';
import { ManualClock } from '../../base/clock.ts';
import type { GraphUpdate } from '../../model/node.ts';
import type { SafeRecord } from '../../model/pipeline.ts';
import { CellPart } from './cell-part.ts';
import { MergedGraph } from './merged-graph.ts';

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
  assert.equal(graph.copy().nodes.size, 2);
  a.update(adding({ removedNodeIds: ['y'] }));
  graph.settle();
  assert.deepEqual(
    [...graph.copy().edges.values()].map(({ from, to }) => [from, to]),
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
  const part = new CellPart(touched);
  const whole = { nodes: [node('a'), node('b')], edges: [edge('a', 'b')], lastUpdated: '' };
  assert.equal(part.replace(whole), undefined);
  assert.match(part.replace({ ...whole, nodes: [node('a')] }) ?? '', /an edge without both its nodes/);
  assert.deepEqual([part.nodes.size, part.edges.size], [2, 1]);
  assert.match(part.update(adding({ addedEdges: [edge('a', 'c')] })) ?? '', /an edge without both its nodes/);
  // A node takes its edges along.
  assert.equal(part.update(adding({ removedNodeIds: ['b'] })), undefined);
  assert.equal(part.edges.size, 0);
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

test('[GV5] what is opened from the start is open when it comes', BOUNDED, async (t) => {
  const { cells, gateway, pass } = open(t, ['a']);
  const [cell] = cells as [TestCell];
  const trace = 'a'.repeat(32);
  const root = '9'.repeat(16);
  const routine = Array.from({ length: 6 }, (_, n) => step(trace, `${n + 1}`.repeat(16), root));
  await cell.take([step(trace, root), ...routine]);
  await pass(50);
  const folded = cell.engine.reader.getGraph({});
  const summary = folded.nodes.find(({ type }) => type === 'SUMMARY');
  assert.ok(summary);
  const { cells: others, gateway: another, pass: passThere } = open(t, ['b']);
  const seen: string[][] = [];
  const sink = { writable: true, close() {}, write: () => {} };
  const opened = [{ type: 'expand', nodeId: summary.id }];
  const [other] = others as [TestCell];
  const { subscriptionId } = other.engine.reader.subscribe(
    { opened },
    {
      ...sink,
      write: (frame) => {
        if (frame.type === 'update') seen.push(frame.update.addedNodes.map(({ type }) => type));
      },
    },
  );
  await other.take([step(trace, root), ...routine]);
  await passThere(50);
  assert.ok(seen.flat().length >= 7);
  assert.ok(!seen.flat().includes('SUMMARY'));
  other.engine.reader.unsubscribe(subscriptionId);
  assert.throws(
    () => other.engine.reader.subscribe({ opened: [{ type: 'expand' }] }, sink),
    /opened\[0\] must be \{"type": "expand" or "collapse"/,
  );
  another.stop();
  gateway.stop();
});
