import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyUpdate } from '../model/apply-update.ts';
import type { ExplanationGraph } from '../model/node.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { cot, event, id, nodeId, span, TRACE } from '../../test/support/records.ts';
import { batchOf } from '../../test/support/world.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { SubscriberSink, SubscriptionHandle } from './reader-api.ts';

/** A connection that keeps every frame. */
class Connection implements SubscriberSink {
  readonly frames: ServerFrame[] = [];
  readonly closed: string[] = [];
  writable = true;
  readonly connection: unknown;

  constructor(connection?: unknown) {
    this.connection = connection;
  }

  write(frame: ServerFrame): void {
    assert.ok(this.writable, 'written to while it could not take more');
    this.frames.push(frame);
  }

  close(reason: string): void {
    this.closed.push(reason);
  }

  get updates(): Extract<ServerFrame, { type: 'update' }>[] {
    return this.frames.filter((frame) => frame.type === 'update');
  }

  /** What the reader sees after all frames. */
  get graph(): ExplanationGraph {
    let graph: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };
    for (const frame of this.frames) {
      if (frame.type === 'subscribed') ({ graph } = frame);
      if (frame.type === 'update') graph = applyUpdate(graph, frame.update);
    }
    return graph;
  }
}

async function feed({ engine }: TestEngine, ...records: readonly SafeRecord[]): Promise<void> {
  await engine.correlator.consume(batchOf(records));
  engine.flush();
}

function subscribe(
  { engine }: TestEngine,
  request: object = { collapse: 'none' },
): { connection: Connection; handle: SubscriptionHandle; id: string } {
  const connection = new Connection();
  const handle = engine.reader.subscribe(request, connection);
  return { connection, handle, id: handle.subscriptionId };
}

function ids(graph: ExplanationGraph): string[] {
  return graph.nodes.map((node) => node.id).sort();
}

async function sample(): Promise<TestEngine> {
  const target = makeEngine();
  await feed(
    target,
    span(1, { attrs: { component: 'coder-agent', taskID: 'T1', 'model.name': 'm', 'cost.usd': 0.02 } }),
    span(2, {
      parent: 1,
      at: 1000,
      attrs: { component: 'critic-agent', 'issues.count': 2 },
      status: 'ERROR',
    }),
    span(3, { traceId: 'b'.repeat(32), at: 5000, attrs: { component: 'coder-agent', 'cost.usd': 0 } }),
  );
  return target;
}

test('[MW18] filters by kind of reasoning, and by context with what is nested in it, path by path', async () => {
  const target = makeEngine();
  const message = (n: number, kind: string, context: string): SafeRecord =>
    span(n, { attrs: { 'mew.kind': `reasoning/${kind}`, 'mew.tells': 'message', 'mew.context': context } });
  await feed(
    target,
    message(1, 'start', 'r1'),
    message(2, 'thought', 'r1/r2'),
    message(3, 'thought', 'r12'),
    message(4, 'conclusion', 'r2/r1'),
    span(5, {}),
  );
  const shown = (filters: object): string[] => ids(target.engine.reader.getGraph({ filters }));
  assert.deepEqual(
    shown({ reasoningKinds: ['thought', 'reasoning/start'] }),
    [1, 2, 3].map((n) => nodeId(n)),
  );
  assert.deepEqual(shown({ contextPaths: ['r1'] }), [nodeId(1), nodeId(2)]);
  assert.deepEqual(shown({ contextPaths: ['/r1/r2/', 'r2'] }), [nodeId(2), nodeId(4)]);
  assert.deepEqual(shown({ contextPaths: [''] }), [], 'no path is no context');
  assert.deepEqual(shown({ contextPaths: ['r1'], reasoningKinds: ['thought'] }), [nodeId(2)]);
});

const THREE = nodeId(3, 'b'.repeat(32));
const START = 1_750_000_000_000;
const FILTERS: readonly (readonly [string, object, readonly string[]])[] = [
  ['agent by its name', { agentNames: ['CriticAgent'] }, [nodeId(2)]],
  ['agent by its component', { agentNames: ['critic-agent'] }, [nodeId(2)]],
  ['any of several agents', { agentNames: ['critic_agent', 'coderagent'] }, [nodeId(1), nodeId(2), THREE]],
  ['type', { nodeTypes: ['STATIC_ANALYSIS'] }, [nodeId(2)]],
  ['status', { status: ['ERROR'] }, [nodeId(2)]],
  ['cost, its limit included', { minCostUsd: 0.02 }, [nodeId(1)]],
  ['cost 0: an absent one never matches', { minCostUsd: 0 }, [nodeId(1), THREE]],
  ['latency, its limit included', { minLatencyMs: 10 }, [nodeId(1), nodeId(2), THREE]],
  ['time, both ends included', { timeRange: { start: START + 1000, end: START + 5000 } }, [nodeId(2), THREE]],
  ['task', { taskIds: ['T1'] }, [nodeId(1), nodeId(2)]],
  ['trace in capitals', { traceIds: ['B'.repeat(32)] }, [THREE]],
  ['text in any case', { text: 'CRITIC' }, [nodeId(2)]],
  ['all fields at once', { status: ['ERROR'], agentNames: ['CoderAgent'] }, []],
  ['an empty list, which nothing matches', { status: [] }, []],
];

for (const [what, filters, expected] of FILTERS) {
  test(`[SU3] filter by ${what}`, async () => {
    const target = await sample();
    const graph = target.engine.reader.getGraph({ filters, collapse: 'none' });
    assert.deepEqual(ids(graph), expected.toSorted());
    const { connection } = subscribe(target, { filters, collapse: 'none' });
    assert.deepEqual(connection.graph.nodes, graph.nodes);
  });
}

const WRONG: readonly (readonly [unknown, string])[] = [
  ['x', 'request'],
  [{ colour: 1 }, 'request'],
  [{ collapse: 'some' }, 'collapse'],
  [{ include: 'ui' }, 'include'],
  [{ include: ['all'] }, 'include[0]'],
  [{ resumeFrom: -1 }, 'resumeFrom'],
  [{ subscriptionId: 7 }, 'subscriptionId'],
  [{ filters: [] }, 'filters'],
  [{ filters: { agent: [] } }, 'filters'],
  [{ filters: { agentNames: 'A' } }, 'filters.agentNames'],
  [{ filters: { agentNames: [1] } }, 'filters.agentNames[0]'],
  [{ filters: { nodeTypes: ['LLM'] } }, 'filters.nodeTypes[0]'],
  [{ filters: { status: ['OK', 'BAD'] } }, 'filters.status[1]'],
  [{ filters: { minCostUsd: 'x' } }, 'filters.minCostUsd'],
  [{ filters: { minCostUsd: NaN } }, 'filters.minCostUsd'],
  [{ filters: { timeRange: { start: 'x', end: '2026-01-01' } } }, 'filters.timeRange.start'],
  [{ filters: { timeRange: { start: '2026-01-01' } } }, 'filters.timeRange.end'],
  [{ filters: { timeRange: { start: '2026-01-02', end: '2026-01-01' } } }, 'filters.timeRange.end'],
  [{ filters: { timeRange: ['2026-01-02'] } }, 'filters.timeRange'],
  [JSON.parse('{"filters":{"__proto__":[]}}'), 'filters'],
  [{ filters: { minCostUsd: -0.01 } }, 'filters.minCostUsd'],
  [{ filters: { text: 'x'.repeat(1025) } }, 'filters.text'],
  [{ filters: { taskIds: Array.from({ length: 1001 }, () => 'x') } }, 'filters.taskIds'],
];

test('[SU4] a wrong request is refused by the name of its field, and never repeated in the answer', () => {
  const { engine } = makeEngine();
  for (const [request, field] of WRONG) {
    assert.throws(
      () => engine.reader.subscribe(request, new Connection()),
      (error: Error) => {
        assert.equal((error as { code?: string }).code, 'INVALID_ARGUMENT');
        assert.ok(error.message.startsWith(`${field} `), error.message);
        return true;
      },
    );
  }
  assert.equal(engine.reader.subscriptionCount, 0);
});

test('[SU4] verbs say what they do not know', async () => {
  const target = await sample();
  const { reader } = target.engine;
  const subscription = subscribe(target);
  const unknown = { name: 'BoundaryError', code: 'NOT_FOUND' };
  for (const act of [
    () => reader.updateFilters('nobody', {}),
    () => reader.unsubscribe('nobody'),
    () => reader.expand(subscription.id, 'summary:none'),
    () => reader.collapse(subscription.id, nodeId(1)),
    () => reader.expandTask(subscription.id, 'no task'),
    () => reader.getNode('no node'),
  ]) {
    assert.throws(act, unknown);
  }
  assert.throws(() => reader.expand(subscription.id, 7), { code: 'INVALID_ARGUMENT' });
  await assert.rejects(reader.prune(-1), { code: 'INVALID_ARGUMENT' });
  assert.equal(subscription.connection.updates.length, 0);
});

test('[AN22] two tasks are compared; a missing or equal one is refused by the name of its side', async () => {
  const { engine } = makeEngine();
  const { reader } = engine;
  const steps = [span(1, { attrs: { taskID: TRACE } }), span(2, { attrs: { taskID: 'another' } })];
  await engine.correlator.consume(batchOf(steps));
  const { a, b, totals } = await reader.compare({ a: TRACE, b: 'another' });
  assert.deepEqual([a, b, totals.a.taskId, totals.b.taskId], [TRACE, 'another', TRACE, 'another']);
  const refused = (code: string, message: RegExp) => ({ name: 'BoundaryError', code, message });
  await assert.rejects(
    reader.compare({ a: TRACE, b: TRACE }),
    refused('INVALID_ARGUMENT', /^b: .*another task/),
  );
  await assert.rejects(reader.compare({ a: TRACE }), refused('INVALID_ARGUMENT', /^b /));
  await assert.rejects(reader.compare(undefined), refused('INVALID_ARGUMENT', /^a /));
  await assert.rejects(reader.compare({ a: 'nobody', b: TRACE }), refused('NOT_FOUND', /^a: no task/));
  await assert.rejects(reader.compare({ a: TRACE, b: 'nobody' }), refused('NOT_FOUND', /^b: no task/));
});

test('[SU9] a step appears when it ends late enough, and leaves when a record says that it took less', async () => {
  const target = makeEngine();
  const { connection } = subscribe(target, { filters: { minLatencyMs: 100 }, collapse: 'none' });
  const call = { attrs: { requestId: 'r1', 'model.name': 'm' } };
  await feed(target, span(1, { ms: 'running', ...call }));
  assert.deepEqual(ids(connection.graph), []);
  await feed(target, span(1, { ms: 100, ...call }));
  assert.deepEqual(ids(connection.graph), ['req:r1']);
  await feed(target, span(2, { at: -1, ms: 50, ...call }));
  assert.deepEqual(ids(connection.graph), []);
});

test('[SU5] changed filters bring one update with the difference', async () => {
  const target = await sample();
  const { connection, id: subscription } = subscribe(target);
  target.engine.reader.updateFilters(subscription, { status: ['ERROR'] });
  assert.equal(connection.updates.length, 1);
  assert.deepEqual(ids(connection.graph), [nodeId(2)]);
  target.engine.reader.updateFilters(subscription, { status: ['ERROR'] });
  assert.equal(connection.updates.length, 1);
  target.engine.reader.updateFilters(subscription, null);
  const byId = (graph: ExplanationGraph): unknown => graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(byId(connection.graph), byId(target.engine.reader.getGraph({ collapse: 'none' })));
});

test('[SU2] what only hidden nodes lie between is joined by a bridged edge', async () => {
  const target = makeEngine();
  await feed(
    target,
    span(1, { status: 'ERROR' }),
    span(2, { parent: 1 }),
    span(3, { parent: 2 }),
    span(4, { parent: 3, status: 'ERROR' }),
    span(5, { parent: 4, status: 'ERROR' }),
  );
  const { edges } = target.engine.reader.getGraph({ filters: { status: ['ERROR'] }, collapse: 'none' });
  assert.deepEqual(
    edges.map((edge) => [edge.from, edge.to, edge.bridged]),
    [
      [nodeId(1), nodeId(4), true],
      [nodeId(4), nodeId(5), undefined],
    ].toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
  );
});

/** A root with six fast calls below it, of which a reader sees one summary. */
async function folded(): Promise<TestEngine> {
  const target = makeEngine();
  const calls = [2, 3, 4, 5, 6, 7].map((digit) =>
    span(digit, { parent: 1, ms: 30, attrs: { 'model.name': 'm' } }),
  );
  await feed(target, span(1, { ms: 900 }), ...calls);
  return target;
}

test('[SU6] drill-down gives back the same nodes and edges, and collapsing hides them again', async () => {
  const target = await folded();
  const { reader } = target.engine;
  const { connection, id: subscription } = subscribe(target, {});
  const summary = `summary:${nodeId(1)}`;
  assert.deepEqual(ids(connection.graph), [nodeId(1), summary].sort());
  const before = connection.graph;
  reader.expand(subscription, summary);
  assert.equal(connection.updates.length, 1);
  const whole = reader.getGraph({ collapse: 'none' });
  assert.deepEqual(ids(connection.graph), ids(whole));
  assert.deepEqual(
    connection.graph.edges.map((edge) => edge.id).sort(),
    whole.edges.map((edge) => edge.id).sort(),
  );
  for (const node of connection.graph.nodes) assert.deepEqual(node, reader.getNode(node.id).node);
  reader.collapse(subscription, nodeId(3));
  assert.equal(connection.updates.length, 2);
  assert.deepEqual({ ...connection.graph, lastUpdated: '' }, { ...before, lastUpdated: '' });
  assert.deepEqual(reader.getNode(summary).members?.length, 6);
});

test('[SU12] the members of a summary come page by page, with how many there are', async () => {
  const { reader } = (await folded()).engine;
  const summary = `summary:${nodeId(1)}`;
  const whole = reader.getNode(summary);
  assert.equal(whole.memberCount, 6);
  const page = reader.getNode(summary, { offset: 2, limit: 3 });
  assert.deepEqual(page.members, whole.members?.slice(2, 5));
  assert.equal(page.memberCount, 6);
  assert.deepEqual(reader.getNode(summary, { offset: 6 }).members, []);
  for (const wrong of [{ offset: -1 }, { offset: 1.5 }, { limit: 0 }, { limit: 1001 }, { limit: '5' }]) {
    const [field = ''] = Object.keys(wrong);
    assert.throws(() => reader.getNode(summary, wrong), {
      code: 'INVALID_ARGUMENT',
      message: new RegExp(`^${field} must be a whole number from`),
    });
  }
});

test('[SU12] [AN26] the members of a summary come in the order of their starts, within a millisecond too', async () => {
  const target = makeEngine();
  const starts = [0.7, 0, 0.25, 1.5, 1, 0.5];
  const calls = starts.map((at, i) => span(i + 2, { parent: 1, at, ms: 0.1, attrs: { 'model.name': 'm' } }));
  await feed(target, span(1, { ms: 900 }), ...calls);
  const { members = [] } = target.engine.reader.getNode(`summary:${nodeId(1)}`);
  assert.deepEqual(
    members.map(({ id }) => id),
    [3, 4, 7, 2, 6, 5].map((digit) => nodeId(digit)),
  );
});

test('[SU6] opening a summary or a task is seen by one subscriber only', async () => {
  const target = await folded();
  const [one, other] = [subscribe(target, {}), subscribe(target, {})];
  target.engine.reader.expandTask(one.id, TRACE);
  assert.equal(one.connection.graph.nodes.length, 7);
  assert.equal(other.connection.updates.length, 0);
  target.engine.reader.collapse(one.id, nodeId(2));
  assert.equal(one.connection.graph.nodes.length, 2);
  target.engine.reader.expand(one.id, `summary:${nodeId(1)}`);
  assert.equal(one.connection.graph.nodes.length, 7);
  assert.equal(other.connection.updates.length, 0);
});

test('[SU7] resuming replays what was missed, and nothing twice', async () => {
  const target = makeEngine();
  const { connection, handle, id: subscription } = subscribe(target);
  await feed(target, span(1));
  handle.disconnected();
  await feed(target, span(2));
  await feed(target, span(3));
  const again = new Connection();
  target.engine.reader.subscribe({ subscriptionId: subscription, resumeFrom: 1 }, again);
  assert.deepEqual(
    again.updates.map((frame) => frame.sequence),
    [2, 3],
  );
  await feed(target, span(4));
  assert.deepEqual(
    again.updates.map((frame) => frame.sequence),
    [2, 3, 4],
  );
  assert.equal(connection.updates.length, 1);
});

test('[SU23] who resumes is told so before what was missed, also when nothing was', async () => {
  const target = makeEngine();
  const { connection, handle, id: subscriptionId } = subscribe(target);
  await feed(target, span(1));
  assert.equal(connection.updates[0]?.requestId, undefined);
  for (const [filters, expected] of [
    [undefined, ['resumed mine 1', 'update undefined 2']],
    [undefined, ['resumed mine 2']],
    [{ status: ['ERROR'] }, ['resumed mine 2', 'update mine 3']],
  ] as const) {
    const again = new Connection();
    const resumeFrom = Number(expected[0].at(-1));
    handle.disconnected();
    if (resumeFrom === 1) await feed(target, span(2));
    const view = filters && { filters, collapse: 'none' };
    target.engine.reader.subscribe({ subscriptionId, resumeFrom, ...view }, again, 'mine');
    assert.deepEqual(
      again.frames.map((frame) => {
        assert.ok('sequence' in frame);
        return `${frame.type} ${frame.requestId} ${frame.sequence}`;
      }),
      expected,
    );
  }
});

test('[SU22] the first update that a verb causes names its request, and who has none is told by the verb', async () => {
  const target = await folded();
  const { reader } = target.engine;
  const { connection, id: subscription } = subscribe(target, {});
  const summary = `summary:${nodeId(1)}`;
  assert.equal(reader.expand(subscription, summary, 'a'), true);
  assert.equal(reader.expand(subscription, summary, 'b'), false, 'it is open already');
  assert.equal(reader.collapse(subscription, summary, 'c'), true);
  assert.equal(reader.expandTask(subscription, TRACE, 'd'), true);
  assert.equal(reader.updateFilters(subscription, { status: ['ERROR'] }, 'e'), true);
  assert.equal(reader.updateFilters(subscription, { status: ['ERROR', 'ERROR'] }, 'f'), false);
  await feed(target, span(8, { status: 'ERROR' }));
  assert.deepEqual(
    connection.updates.map((frame) => frame.requestId),
    ['a', 'c', 'd', 'e', undefined],
  );
});

test('[SU22] each of several verbs of a slow reader is answered, also where it has to begin anew', async () => {
  for (const maxPendingIds of [20_000, 7]) {
    const target = makeEngine({ maxPendingIds });
    await feed(target, span(1));
    const { connection, handle, id: subscription } = subscribe(target);
    const { reader } = target.engine;
    connection.writable = false;
    assert.equal(reader.updateFilters(subscription, { status: ['ERROR'] }, 'a'), true);
    assert.equal(reader.updateFilters(subscription, {}, 'b'), true);
    await feed(target, ...[2, 3, 4, 5, 6, 7, 8, 9].map((digit) => span(digit)));
    connection.writable = true;
    handle.drained();
    const type = maxPendingIds === 7 ? 'snapshotNeeded' : 'update';
    assert.deepEqual(
      connection.frames.slice(1).map((frame) => `${frame.type} ${frame.requestId}`),
      [`${type} a`, `${type} b`, ...(type === 'update' ? ['update undefined'] : [])],
    );
  }
});

test('[SU7] what is no longer kept, or was never sent, needs a fresh graph', async () => {
  for (const resumeFrom of [0, 9]) {
    const target = makeEngine({ maxQueuedUpdates: 2 });
    const { handle, id: subscription } = subscribe(target);
    handle.disconnected();
    for (const digit of [1, 2, 3]) await feed(target, span(digit));
    const again = new Connection();
    target.engine.reader.subscribe({ subscriptionId: subscription, resumeFrom }, again, 'q');
    const [frame, ...rest] = again.frames;
    assert.equal(frame?.type, 'snapshotNeeded');
    assert.equal(frame.requestId, 'q');
    assert.deepEqual(rest, []);
    assert.equal(target.engine.reader.subscriptionCount, 0);
  }
});

test('[SU7] a reader that stays away longer than resumeWindowSeconds is forgotten', async () => {
  const target = makeEngine({ resumeWindowSeconds: 300 });
  const { handle, id: subscription } = subscribe(target);
  handle.disconnected();
  target.clock.advance(299_999);
  assert.equal(target.engine.reader.subscriptionCount, 1);
  target.clock.advance(1);
  assert.equal(target.engine.reader.subscriptionCount, 0);
  assert.equal(target.engine.reader.viewCount, 0);
  const again = new Connection();
  target.engine.reader.subscribe({ subscriptionId: subscription, resumeFrom: 0 }, again);
  assert.deepEqual(
    again.frames.map((frame) => frame.type),
    ['snapshotNeeded'],
  );
});

test('[SU7] a service that stops keeps nothing for readers that are away', () => {
  const target = makeEngine({ resumeWindowSeconds: 300 });
  subscribe(target);
  subscribe(target, { collapse: 'none' }).handle.disconnected();
  target.engine.reader.forgetAway();
  assert.deepEqual([target.engine.reader.subscriptionCount, target.engine.reader.viewCount], [1, 1]);
});

test('[SU8] updates for a slow reader merge into one, with the last word on each node', async () => {
  const target = makeEngine();
  const { connection, handle } = subscribe(target);
  connection.writable = false;
  await feed(target, span(1, { ms: 'running' }));
  await feed(target, span(2, { parent: 1 }));
  await feed(target, span(1, { ms: 50 }));
  connection.writable = true;
  handle.drained();
  assert.deepEqual(
    connection.updates.map((frame) => frame.sequence),
    [1],
  );
  assert.equal(connection.graph.nodes.find((node) => node.id === nodeId(1))?.state, 'ENDED');
  assert.deepEqual(connection.graph.edges, target.engine.reader.getGraph({ collapse: 'none' }).edges);
});

test('[SU8] a reader that is too slow is told once to ask for a fresh graph', async () => {
  const target = makeEngine();
  const { connection, handle } = subscribe(target);
  connection.writable = false;
  for (let part = 0; part < 3; part++) {
    await feed(target, ...Array.from({ length: 7000 }, (_, i) => cot(`r${part}-${i}`)));
  }
  connection.writable = true;
  handle.drained();
  assert.deepEqual(
    connection.frames.slice(1).map((frame) => frame.type),
    ['snapshotNeeded'],
  );
  await feed(target, cot('last'));
  assert.equal(connection.updates.length, 0);
});

test('[SU9] an event reaches those whose filters it matches, and nobody else', async () => {
  const target = await sample();
  const matching = subscribe(target, { filters: { nodeTypes: ['MODEL_SWITCH'] }, collapse: 'none' });
  const others = subscribe(target, { filters: { nodeTypes: ['TEST_RUN'] }, collapse: 'none' });
  await feed(target, event('ModelSwitched', { spanId: id(2) }));
  assert.deepEqual(ids(matching.connection.graph), ['event:e1']);
  assert.equal(others.connection.updates.length, 0);
});

test('[SU10] readers of the same view are sent the same object', async () => {
  const target = await sample();
  const [one, other] = [subscribe(target), subscribe(target)];
  await feed(target, span(4));
  assert.equal(target.engine.reader.viewCount, 1);
  assert.ok(one.connection.updates[0]?.update);
  assert.equal(one.connection.updates[0].update, other.connection.updates[0]?.update);
});

test('[SU10] no more subscriptions than maxSubscriptions', () => {
  const target = makeEngine({ maxSubscriptions: 1 });
  const { id: first } = subscribe(target);
  assert.throws(() => subscribe(target), { code: 'RESOURCE_EXHAUSTED' });
  target.engine.reader.unsubscribe(first);
  subscribe(target);
});

test('[SU19] who lost the connection gives way to a new reader, the one lost longest ago first', () => {
  const target = makeEngine({ maxSubscriptions: 3 });
  const [stays, second, first] = [subscribe(target), subscribe(target), subscribe(target)];
  first.handle.disconnected();
  second.handle.disconnected();
  const resume = ({ id: subscriptionId }: { readonly id: string }): Connection => {
    const connection = new Connection();
    target.engine.reader.subscribe({ subscriptionId, resumeFrom: 0 }, connection);
    return connection;
  };
  subscribe(target);
  assert.equal(target.engine.reader.subscriptionCount, 3);
  assert.deepEqual(
    resume(first).frames.map((frame) => frame.type),
    ['snapshotNeeded'],
  );
  assert.deepEqual(
    resume(second).frames.map((frame) => frame.type),
    ['resumed'],
    'it was lost later, so it goes on where it was',
  );
  assert.throws(() => subscribe(target), { code: 'RESOURCE_EXHAUSTED' });
  assert.deepEqual(stays.connection.closed, []);
  // The time that the resumed one had been given while it was away has no effect any more.
  target.clock.advance(10_000_000);
  assert.equal(target.engine.reader.subscriptionCount, 3);
});

test('[SU20] a lost reader is forgotten when it missed more than is kept: it could not be resumed', async () => {
  const target = makeEngine({ maxQueuedUpdates: 2 });
  const [kept, late] = [subscribe(target), subscribe(target)];
  await feed(target, span(1));
  late.handle.disconnected();
  await feed(target, span(2));
  await feed(target, span(3));
  assert.equal(target.engine.reader.subscriptionCount, 2, 'both of the missed updates are kept');
  await feed(target, span(4));
  assert.equal(target.engine.reader.subscriptionCount, 1);
  assert.deepEqual(kept.connection.closed, []);
});

test('[SU20] views that only lost readers may come back to are bounded, the one lost longest ago goes first', () => {
  const target = makeEngine();
  const watching = (taskId: string): ReturnType<typeof subscribe> =>
    subscribe(target, { filters: { taskIds: [taskId] } });
  const [stays, shared] = [watching('attended'), watching('attended')];
  shared.handle.disconnected();
  const lost = Array.from({ length: 40 }, (_, index) => watching(`task ${index}`));
  for (const { handle } of lost) handle.disconnected();
  assert.equal(target.engine.reader.viewCount, 33, 'one that is looked at, and 32 that are not');
  const frames = (id: string): readonly string[] => {
    const connection = new Connection();
    target.engine.reader.subscribe({ subscriptionId: id, resumeFrom: 0 }, connection);
    return connection.frames.map((frame) => frame.type);
  };
  assert.deepEqual(frames(lost[0]?.id ?? ''), ['snapshotNeeded']);
  assert.deepEqual(frames(lost.at(-1)?.id ?? ''), ['resumed'], 'goes on where it was');
  assert.deepEqual(frames(shared.id), ['resumed'], 'somebody looks at its view');
  assert.deepEqual(stays.connection.closed, []);
});

test('[SU20] what waits for all lost readers together is bounded, the one lost longest ago goes first', async () => {
  // All together may have 25 times as much waiting as one alone.
  const target = makeEngine({ maxPendingIds: 4 });
  const [kept, ...lost] = Array.from({ length: 40 }, () => subscribe(target));
  for (const { handle } of lost) handle.disconnected();
  await feed(target, span(1));
  await feed(target, span(2));
  assert.equal(target.engine.reader.subscriptionCount, 40);
  await feed(target, span(3));
  assert.equal(
    target.engine.reader.subscriptionCount,
    34,
    '33 with three nodes each, and the one that is here',
  );
  const answer = (id: string): readonly string[] => {
    const connection = new Connection();
    target.engine.reader.subscribe({ subscriptionId: id, resumeFrom: 0 }, connection);
    return connection.frames.map((frame) => frame.type);
  };
  assert.deepEqual(answer(lost[5]?.id ?? ''), ['snapshotNeeded']);
  assert.deepEqual(answer(lost[6]?.id ?? ''), ['resumed', 'update', 'update', 'update']);
  assert.equal(ids(kept?.connection.graph ?? assert.fail()).length, 3);
});

test('[SU20] what waits for slow readers is bounded too: who has the most waiting begins anew, others lose nothing', async () => {
  // All together may have 25 times as much waiting as one alone.
  const target = makeEngine({ maxPendingIds: 10 });
  const follows = (taskId: string): ReturnType<typeof subscribe> =>
    subscribe(target, { collapse: 'none', filters: { taskIds: [taskId] } });
  const slow = ['a'.repeat(14), 'b'.repeat(20)].flatMap((tasks) => tasks.split('').map(follows));
  const quick = follows('a');
  for (const { connection } of slow) connection.writable = false;
  const steps = (taskId: string, digits: string): SafeRecord[] =>
    digits.split('').map((digit) => span(digit, { traceId: taskId.repeat(32), attrs: { taskID: taskId } }));
  await feed(target, ...steps('a', '123456789'), ...steps('b', '123456'));
  assert.ok(slow.every(({ connection }) => connection.frames.length === 1));
  await feed(target, ...steps('b', '7'));
  const told = slow.map(afterAll);
  assert.equal(told.filter((type) => type === 'snapshotNeeded').length, 2);
  assert.ok(told.lastIndexOf('snapshotNeeded') < 14, 'nine nodes waited for these, seven for others');
  assert.equal(told.filter((type) => type === 'update').length, 32);
  assert.equal(quick.connection.graph.nodes.length, 9);
});

test('[SU20] what readers asked for and do not take counts as well, and who took nothing for longest begins anew first', async () => {
  const target = makeEngine({ maxPendingIds: 10 });
  await feed(target, ...Array.from({ length: 20 }, (_, n) => span(n + 1)));
  const { reader } = target.engine;
  const opened = (): ReturnType<typeof subscribe> =>
    subscribe(target, { collapse: 'none', filters: { taskIds: ['none'] } });
  const toggle = ({ id }: ReturnType<typeof subscribe>, times: number): void => {
    for (let n = 0; n < times; n++) reader.updateFilters(id, n % 2 === 0 ? {} : { taskIds: ['none'] });
  };
  const idle = opened();
  target.clock.advance(1000);
  const [quick, late, ...slow] = [opened(), opened(), ...Array.from({ length: 8 }, opened)];
  for (const one of [...slow, late]) one.connection.writable = false;
  for (const one of slow) toggle(one, 4);
  target.clock.advance(1000);
  toggle(quick, 3);
  toggle(late, 5);
  assert.equal(quick.connection.graph.nodes.length, 20);
  assert.equal(afterAll(late), 'update', '100 wait for it, more than for any other, but not for long');
  assert.equal(slow.map(afterAll).filter((type) => type === 'update').length, 1, '80 wait for each');
  assert.equal(idle.connection.frames.length, 1, 'nothing waits for it');
});

test('[SU20] what was sent is no longer kept for readers who are here when it is too much, and they get what comes', async () => {
  const target = makeEngine({ maxPendingIds: 10 });
  await feed(target, ...Array.from({ length: 20 }, (_, n) => span(n + 1)));
  const { reader } = target.engine;
  const [one, other] = [subscribe(target), subscribe(target)];
  for (let n = 1; n <= 7; n++)
    for (const { id } of [one, other]) reader.updateFilters(id, n % 2 === 0 ? {} : { taskIds: ['none'] });
  await feed(target, span(21));
  for (const { id, connection, handle } of [one, other]) {
    assert.ok(connection.frames.every(({ type }) => type !== 'snapshotNeeded'));
    reader.updateFilters(id, {});
    assert.equal(connection.graph.nodes.length, 21);
    handle.disconnected();
  }
  const answers = [one, other].map(({ id }) => {
    const connection = new Connection();
    reader.subscribe({ subscriptionId: id, resumeFrom: 0 }, connection);
    return connection.frames[0]?.type;
  });
  assert.deepEqual(answers.toSorted(), ['resumed', 'snapshotNeeded']);
});

test('[SU20] a reader alone gets its graph, however large', async () => {
  const target = makeEngine({ maxPendingIds: 1 });
  await feed(target, ...Array.from({ length: 60 }, (_, n) => span(n + 1)));
  const {
    connection,
    handle,
    id: subscriptionId,
  } = subscribe(target, { collapse: 'none', filters: { taskIds: ['none'] } });
  connection.writable = false;
  target.engine.reader.updateFilters(subscriptionId, {});
  connection.writable = true;
  handle.drained();
  assert.equal(connection.graph.nodes.length, 60);
});

/** 60 nodes, where all views may hold 100. */
async function narrow(): Promise<TestEngine> {
  const target = makeEngine({ maxViewItems: 100 });
  await feed(target, ...Array.from({ length: 60 }, (_, n) => span(n + 1)));
  return target;
}

test('[SU28] a view that is too much for all together is refused, who is there goes on, and what is narrow is shown', async () => {
  const target = await narrow();
  const [all, other] = [subscribe(target), { collapse: 'none', filters: { minLatencyMs: 1 } }];
  const refusal = { code: 'RESOURCE_EXHAUSTED', message: /narrow the filters/ };
  assert.throws(() => subscribe(target, other), refusal);
  const few = subscribe(target, { collapse: 'none', filters: { taskIds: ['none'] } });
  assert.throws(() => target.engine.reader.updateFilters(few.id, other.filters), refusal);
  assert.equal(target.engine.reader.viewCount, 2);
  await feed(target, span(61, { traceId: 'c'.repeat(32), attrs: { taskID: 'none' } }));
  assert.equal(all.connection.graph.nodes.length, 61);
  assert.equal(few.connection.graph.nodes.length, 1, 'it goes on with what it saw');
  const graph = await target.engine.reader.getWholeGraph(other);
  assert.equal(graph.nodes.length, 61, 'an answer is not kept');
});

test('[SU28] one connection has half of it for large views, and a quarter is for small ones', async () => {
  const target = makeEngine({ maxViewItems: 100, largeViewItems: 20 });
  await feed(target, ...Array.from({ length: 30 }, (_, n) => span(n + 1)));
  const open = (connection: string, filters: object): Connection => {
    const sink = new Connection(connection);
    target.engine.reader.subscribe({ collapse: 'none', filters }, sink);
    return sink;
  };
  const refused = { code: 'RESOURCE_EXHAUSTED' };
  open('one', {});
  assert.throws(() => open('one', { minLatencyMs: 1 }), refused);
  open('one', { taskIds: ['none'] });
  assert.equal(open('other', { minLatencyMs: 1 }).graph.nodes.length, 30);
  assert.throws(() => open('third', { minLatencyMs: 2 }), refused);
  await feed(target, ...Array.from({ length: 8 }, (_, n) => span(n + 1, { traceId: 'e'.repeat(32) })));
  assert.equal(open('third', { traceIds: ['e'.repeat(32)] }).graph.nodes.length, 8);
});

test('[SU28] the views of lost readers make room', async () => {
  const target = await narrow();
  const lost = subscribe(target);
  lost.handle.disconnected();
  const { connection } = subscribe(target, { collapse: 'none', filters: { minLatencyMs: 1 } });
  assert.equal(connection.graph.nodes.length, 60);
  assert.equal(target.engine.reader.viewCount, 1);
});

test('[SU28] where views that are there grow too much, who follows the largest begins anew', async () => {
  const target = await narrow();
  const large = subscribe(target);
  const small = subscribe(target, { collapse: 'none', filters: { taskIds: ['small'] } });
  const more = Array.from({ length: 50 }, (_, n) => span(n + 100, { traceId: 'd'.repeat(32) }));
  await feed(target, ...more, span(61, { traceId: 'c'.repeat(32), attrs: { taskID: 'small' } }));
  assert.equal(afterAll(large), 'snapshotNeeded');
  assert.equal(small.connection.graph.nodes.length, 1);
  await feed(target, span(62, { traceId: 'c'.repeat(32), attrs: { taskID: 'small' } }));
  assert.equal(small.connection.graph.nodes.length, 2);
  target.engine.reader.unsubscribe(large.id);
  assert.equal(target.engine.reader.viewCount, 1);
});

/** @returns what the reader is sent last when it takes everything */
function afterAll({ connection, handle }: ReturnType<typeof subscribe>): string | undefined {
  connection.writable = true;
  handle.drained();
  return connection.frames.at(-1)?.type;
}
