import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../src/base/clock.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { Session, type LiveState } from '../../src/client/session.ts';
import { DEFAULT_TIMING } from '../../src/client/timing.ts';
import { edge, FakeFeed, fakeScene, node, settled } from './fake-transport.ts';
import { refusal } from './refusal.ts';

test('[CL10] a lost connection is taken up where it was, with the filters of now', async () => {
  const { live, feed, feeds, clock, told } = fakeScene({ filters: { status: ['ERROR'] } });
  const states: LiveState[] = [];
  live.on('state', ({ state }) => states.push(state));
  assert.deepEqual(feed().request, { filters: { status: ['ERROR'] } });
  feed().subscribed('s', 4, 'a');
  await live.ready;
  feed().update(5, { addedNodes: [node('b')] });
  const changed = live.updateFilters({ status: ['OK'] });
  await settled();
  feed().verbs[0]?.settle();
  await changed;
  feed().lose();
  assert.equal(live.state, 'waiting');
  assert.equal(live.graph.order, 2, 'the graph stays meanwhile');
  clock.advance(250);
  assert.equal(feeds.length, 2);
  assert.deepEqual(feed().request, { filters: { status: ['OK'] }, subscriptionId: 's', resumeFrom: 5 });
  feed().resumed();
  feed().update(6, { removedNodeIds: ['a'] });
  assert.deepEqual(live.graph.nodes(), ['b']);
  assert.deepEqual(told, ['+a', '+b', '-a']);
  assert.deepEqual(states, ['live', 'waiting', 'connecting', 'live']);
  live.close();
});

test('[CL11] who is told to begin afresh does so with the filters of now, and hears the difference only', async () => {
  const { live, feed, feeds, told } = fakeScene({
    filters: { text: 'x' },
    collapse: 'none',
    include: ['ui'],
  });
  feed().subscribed('s', 0, 'a', 'b');
  const changed = live.updateFilters({ text: 'y' });
  await settled();
  feed().verbs[0]?.settle();
  await changed;
  told.length = 0;
  const { graph } = live;
  const first = feed();
  first.listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: 'too slow' });
  assert.equal(feeds.length, 2, 'at once');
  assert.deepEqual([first.closed, first.unsubscribed], [true, 's']);
  assert.deepEqual(feed().request, { filters: { text: 'y' }, collapse: 'none', include: ['ui'] });
  feed().subscribed('s2', 0, 'b', 'c');
  assert.deepEqual(told, ['+c', '-a']);
  assert.equal(live.graph, graph);
  live.close();
});

test('[CL33] what is said of a graph is told when it is another, with or without a change of the graph', async () => {
  const { live, feed, clock, told } = fakeScene();
  const heard: (readonly [notices: readonly string[], nodes: number])[] = [];
  live.on('notices', (notices) => heard.push([notices, live.graph.order]));
  const graph = {
    nodes: [node('a')],
    edges: [],
    lastUpdated: '2025-06-20T14:00:00.000Z',
    notices: ['b is away'],
  };
  feed().listener.frame({ type: 'subscribed', subscriptionId: 's', sequence: 0, graph });
  await live.ready;
  assert.deepEqual(live.notices, ['b is away']);
  feed().update(1, { addedNodes: [node('c')] });
  feed().update(2, { notices: ['b is away'] });
  feed().update(3, { addedNodes: [node('d')], notices: ['b is away', 't is in two'] });
  feed().update(4, { notices: [] });
  assert.deepEqual(told, ['+a', '+c', '+d']);
  assert.deepEqual(heard, [
    [['b is away'], 1],
    [['b is away', 't is in two'], 3],
    [[], 3],
  ]);
  feed().lose();
  clock.advance(250);
  feed().listener.frame({ type: 'subscribed', subscriptionId: 's2', sequence: 0, graph });
  assert.deepEqual(live.notices, ['b is away'], 'of a fresh graph');
  assert.equal(heard.length, 4);
  live.close();
});

test('[CL31] a first graph is shown as it comes; it is ready, and live, when it is complete', async () => {
  const { live, feed, clock, told } = fakeScene();
  let isReady = false;
  void live.ready.then(() => (isReady = true));
  feed().begun('s', 'a');
  feed().update(1, { addedNodes: [node('b')] }, { partial: true });
  await settled();
  assert.deepEqual([told, live.complete, live.state, isReady], [['+a', '+b'], false, 'connecting', false]);
  feed().lose();
  clock.advance(1_000);
  feed().resumed();
  assert.equal(live.state, 'connecting', 'taken up between parts');
  feed().update(2, { addedNodes: [node('c')] }, { complete: true });
  await settled();
  assert.deepEqual([told.length, live.complete, live.state, isReady], [3, true, 'live', true]);
  feed().update(3, { removedNodeIds: ['a'] }, { partial: true });
  assert.equal(live.complete, false);
  feed().update(4, { removedNodeIds: ['b'] }, { complete: true });
  assert.deepEqual([live.complete, live.graph.nodes()], [true, ['c']]);
  live.close();
});

test('[CL31] a fresh graph in parts is shown when all of it has come, opened as it was, as a difference', async () => {
  const { live, feed, told } = fakeScene();
  feed().subscribed('s', 0, 'summary', 'a');
  const opened = live.expand('summary');
  await settled();
  feed().verbs[0]?.settle();
  await opened;
  told.length = 0;
  feed().listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: 'too slow' });
  feed().begun('s', 'summary');
  feed().update(1, { addedNodes: [node('b')] }, { complete: true });
  assert.deepEqual(told, [], 'what was opened is not open yet');
  feed().update(2, { addedNodes: [node('inner')] }, { partial: true });
  feed().verbs[0]?.settle();
  await settled();
  assert.deepEqual(told, [], 'it is not all there');
  feed().update(3, { removedNodeIds: ['summary'] }, { complete: true });
  assert.deepEqual(told.toSorted(), ['+b', '+inner', '-a', '-summary']);
  assert.deepEqual([live.complete, live.state], [true, 'live']);
  live.close();
});

test('[CL12] what was opened is opened again on a fresh graph before it is shown', async () => {
  const { live, feed, told } = fakeScene();
  feed().subscribed('s', 0, 'summary');
  const opened = live.expand('summary');
  await settled();
  feed().update(1, { removedNodeIds: ['summary'], addedNodes: [node('a'), node('b')] });
  feed().verbs[0]?.settle();
  await opened;
  const task = live.expandTask('gone');
  await settled();
  feed().verbs[1]?.settle();
  await task;
  told.length = 0;
  feed().listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: '' });
  feed().subscribed('s2', 0, 'summary', 'new');
  assert.deepEqual(told, [], 'a folded graph is not shown');
  assert.deepEqual(feed().verbs[0]?.verb, { type: 'expand', nodeId: 'summary' });
  feed().update(1, { removedNodeIds: ['summary'], addedNodes: [node('a'), node('b')] });
  feed().verbs[0]?.settle();
  await settled();
  assert.deepEqual(feed().verbs[1]?.verb, { type: 'expandTask', taskId: 'gone' });
  feed().verbs[1]?.settle(new ClientError('NOT_FOUND', 'no such task'));
  await settled();
  assert.deepEqual(told, ['+new']);
  assert.equal(live.state, 'live');
  live.close();
});

test('[CL12] a connection lost while things are opened again begins afresh: nobody has seen that graph', async () => {
  const { live, feed, clock } = fakeScene();
  feed().subscribed('s', 0, 'summary');
  const opened = live.expand('summary');
  await settled();
  feed().verbs[0]?.settle();
  await opened;
  feed().listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: '' });
  feed().subscribed('s2', 7, 'summary', 'new');
  feed().lose();
  clock.advance(60_000);
  assert.deepEqual(feed().request, {});
  assert.deepEqual(live.graph.nodes(), ['summary']);
  live.close();
});

test('[CL13] what was seen before is passed over, and a gap begins afresh', () => {
  const { live, feed, feeds } = fakeScene();
  feed().subscribed('s', 3, 'a');
  feed().update(3, { removedNodeIds: ['a'] });
  feed().update(1, { removedNodeIds: ['a'] });
  assert.deepEqual(live.graph.nodes(), ['a']);
  feed().update(5, { addedNodes: [node('c')] });
  assert.deepEqual(live.graph.nodes(), ['a'], 'an update behind a gap is not applied');
  assert.equal(feeds.length, 2);
  assert.deepEqual(feed().request, {});
  feed().subscribed('s2', 0, 'b', 'c');
  assert.deepEqual(live.graph.nodes(), ['b', 'c']);
  live.close();
});

test('[CL14] the waits grow to a bound, begin anew only after a stable connection, and stop with close', () => {
  const { live, feed, feeds, clock } = fakeScene({}, { initialBackoffMs: 100, maxBackoffMs: 1_000 });
  const waits: (number | undefined)[] = [];
  live.on('state', ({ state, retryInMs }) => state === 'waiting' && waits.push(retryInMs));
  for (let i = 0; i < 7; i++) {
    // A snapshot each time, and lost at once.
    feed().subscribed('s', 0);
    feed().lose();
    clock.advance(waits.at(-1) ?? 0);
  }
  assert.deepEqual(waits, [100, 200, 400, 800, 1000, 1000, 1000]);
  feed().subscribed('s', 0);
  clock.advance(5_000);
  feed().lose();
  assert.equal(waits.at(-1), 100);
  const opened = feeds.length;
  live.close();
  clock.advance(100_000);
  assert.equal(feeds.length, opened);
});

test('[CL14] chance takes at most half of a wait away', () => {
  const { live, feed } = fakeScene({}, { random: () => 0, initialBackoffMs: 100 });
  const waits: (number | undefined)[] = [];
  live.on('state', ({ state, retryInMs }) => state === 'waiting' && waits.push(retryInMs));
  feed().lose();
  assert.deepEqual(waits, [50]);
  live.close();
});

test('[CL14] a service that never lets the client be content is asked at growing intervals, too', () => {
  const { live, feed, feeds, clock } = fakeScene({}, { initialBackoffMs: 100, maxBackoffMs: 1_000 });
  for (let i = 0; i < 100; i++) {
    if (!feed().closed) {
      feed().subscribed('s', 0);
      feed().listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: '' });
    }
    clock.advance(10);
  }
  assert.ok(feeds.length >= 3 && feeds.length <= 6, `${feeds.length} subscriptions in a second`);
  live.close();
});

test('[CL15] refusals end what was never live, and not what was', async () => {
  for (const code of [
    'UNAUTHENTICATED',
    'PERMISSION_DENIED',
    'NOT_FOUND',
    'INVALID_ARGUMENT',
    'TOO_LARGE',
  ] as const) {
    const first = fakeScene();
    first.feed().lose(code);
    await assert.rejects(first.live.ready, refusal(code));
    assert.equal(first.live.state, 'closed');
    assert.deepEqual(first.errors, [code]);

    const later = fakeScene();
    later.feed().subscribed('s', 0, 'a');
    later.feed().lose(code);
    assert.equal(later.live.state, 'waiting');
    assert.deepEqual(later.errors, [code]);
    later.live.close();
  }
  for (const code of ['UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED'] as const) {
    const { live, feed, errors } = fakeScene();
    feed().lose(code);
    assert.equal(live.state, 'waiting');
    assert.deepEqual(errors, [code]);
    live.close();
    await assert.rejects(live.ready, refusal('CLOSED'));
  }
});

test('[CL16] giveUpAfterMs ends the waiting for a first graph, with the last reason', async () => {
  const { live, feed, clock } = fakeScene({ giveUpAfterMs: 1_000 });
  feed().lose('BAD_ANSWER');
  clock.advance(1_000);
  await assert.rejects(live.ready, refusal('BAD_ANSWER', /no graph after 1000 ms: lost by the test/));

  const closed = fakeScene({ giveUpAfterMs: 1_000 });
  closed.live.close();
  assert.equal(closed.timers.size, 0);

  const late = fakeScene({ giveUpAfterMs: 1_000 });
  late.feed().subscribed('s', 0);
  late.clock.advance(2_000);
  assert.equal(late.live.state, 'live');
  late.live.close();
});

test('[CL17] verbs wait for the connection and are done again when it is lost in the middle, in order', async () => {
  const { live, feed, clock } = fakeScene();
  const done: string[] = [];
  const filtered = live.updateFilters({ text: 'x' }).then(() => done.push('filters'));
  const expanded = live.expand('n').then(() => done.push('expand'));
  await settled();
  assert.equal(feed().verbs.length, 0, 'nothing is sent before the first graph');
  feed().subscribed('s', 0, 'n');
  await settled();
  assert.deepEqual(
    feed().verbs.map(({ verb }) => verb.type),
    ['updateFilters'],
  );
  const lost = feed();
  lost.lose();
  lost.verbs[0]?.settle();
  clock.advance(1_000);
  assert.deepEqual(feed().request.filters, {}, 'an answer from before the loss proves nothing');
  feed().resumed();
  await settled();
  feed().verbs[0]?.settle();
  await filtered;
  await settled();
  assert.deepEqual(
    feed().verbs.map(({ verb }) => verb.type),
    ['updateFilters', 'expand'],
  );
  feed().verbs[1]?.settle();
  await expanded;
  assert.deepEqual(done, ['filters', 'expand']);
  live.close();
});

test('[CL17] a refusal that speaks of an earlier subscription is none', async () => {
  const { live, feed, feeds } = fakeScene();
  feed().subscribed('s', 0, 'a');
  const expanded = live.expand('a');
  await settled();
  feed().listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: '' });
  feeds[0]?.verbs[0]?.settle(new ClientError('NOT_FOUND', 'no such subscription'));
  await settled();
  feed().subscribed('s2', 0, 'a');
  await settled();
  assert.equal(feed().verbs.length, 1, 'it is asked again');
  feed().verbs[0]?.settle();
  await expanded;
  live.close();
});

test('[CL17] a verb without an answer has the view said again, as it may have been done', async () => {
  const { live, feed, feeds, clock } = fakeScene({ filters: { text: 'x' } });
  feed().subscribed('s', 2, 'a');
  const refused = assert.rejects(live.updateFilters({ text: 'y' }), refusal('TIMEOUT'));
  await settled();
  feed().verbs[0]?.settle(new ClientError('TIMEOUT', 'no answer'));
  await refused;
  assert.ok(feed().closed);
  clock.advance(1_000);
  assert.equal(feeds.length, 2);
  assert.deepEqual(feed().request, { filters: { text: 'x' }, subscriptionId: 's', resumeFrom: 2 });
  live.close();
});

test('[CL17] a verb that is not done in time rejects, and close rejects those that wait', async () => {
  const { live, clock } = fakeScene({}, { answerTimeoutMs: 1_000 });
  const late = assert.rejects(live.expand('n'), refusal('TIMEOUT'));
  await settled();
  clock.advance(1_000);
  await late;
  const waiting = assert.rejects(live.expand('n'), refusal('CLOSED'));
  await settled();
  live.close();
  await waiting;
});

test('[CL18] a listener that throws in the middle of an update costs a fresh graph, and nothing else', async () => {
  const { live, feed, feeds, errors } = fakeScene();
  feed().subscribed('s', 0, 'a');
  let throwing = true;
  live.graph.on('nodeAdded', () => {
    if (throwing) throw new Error('a fault of the page');
  });
  feed().update(1, { addedNodes: [node('b'), node('c')] });
  assert.deepEqual(errors, ['INTERNAL']);
  throwing = false;
  assert.equal(feeds.length, 2);
  feed().subscribed('s2', 0, 'a', 'b', 'c');
  assert.deepEqual(live.graph.nodes().sort(), ['a', 'b', 'c']);
  live.close();
});

test('[CL18] a listener may close the graph, whatever it is told', async () => {
  for (const event of ['change', 'state', 'error'] as const) {
    const { live, feed, clock, feeds, timers } = fakeScene({ giveUpAfterMs: 60_000 });
    live.on(event, () => live.close());
    feed().subscribed('s', 0, 'a');
    if (event === 'error') feed().lose();
    assert.equal(live.state, 'closed');
    assert.equal(timers.size, 0, 'nothing keeps the process alive');
    const opened = feeds.length;
    clock.advance(100_000);
    assert.equal(feeds.length, opened);
  }
});

test('[CL35] of a fresh graph that nobody sees yet no more is held than is allowed', async () => {
  const clock = new ManualClock();
  const feeds: FakeFeed[] = [];
  const shown: number[] = [];
  const ends: (string | undefined)[] = [];
  const session = new Session({
    transport: {
      openFeed(request, listener) {
        const feed = new FakeFeed(request, listener);
        feeds.push(feed);
        return feed;
      },
    },
    view: {},
    timing: { ...DEFAULT_TIMING, scheduler: clock, random: () => 1 },
    giveUpAfterMs: undefined,
    maxUnshownItems: 5,
    listener: {
      snapshot: ({ nodes }) => void shown.push(nodes.length),
      update() {},
      event() {},
      state() {},
      error() {},
      ended: (error) => void ends.push(error?.code),
    },
  });
  feeds[0]?.subscribed('s', 0, 'a');
  feeds[0]?.listener.frame({ type: 'snapshotNeeded', subscriptionId: 's', reason: 'too slow' });
  const [, fresh] = feeds;
  fresh?.begun('s2', 'a', 'b');
  fresh?.update(1, { addedNodes: [node('c'), node('d')] }, { partial: true });
  fresh?.update(2, { addedNodes: [node('e')] }, { partial: true });
  assert.deepEqual(ends, []);
  fresh?.update(3, { addedEdges: [edge('a', 'b')] }, { partial: true });
  assert.deepEqual(ends, ['TOO_LARGE']);
  assert.deepEqual([session.state, fresh?.closed, shown], ['closed', true, [1]]);
});
