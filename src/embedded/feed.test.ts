import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ReaderApi, SubscriberSink } from '../subscriptions/reader-api.ts';
import { Feed } from './feed.ts';

const GRAPH: ExplanationGraph = { nodes: [], edges: [], lastUpdated: 'now' };
const UPDATE: GraphUpdate = {
  addedNodes: [],
  removedNodeIds: ['gone'],
  addedEdges: [],
  removedEdgeIds: [],
  timestamp: 'later',
};

/** Subscriptions that the test writes to. */
function setup() {
  const sinks: SubscriberSink[] = [];
  const said: string[] = [];
  let isBehind = false;
  const reader = {
    subscribe(view: unknown, sink: SubscriberSink) {
      if (view === 'wrong') throw new BoundaryError('INVALID_ARGUMENT', 'filters: wrong');
      const subscriptionId = String(sinks.push(sink));
      sink.write({ type: 'subscribed', subscriptionId, sequence: 0, graph: GRAPH });
      return {
        subscriptionId,
        drained: () => void said.push('drained'),
        isBehind: () => isBehind,
        disconnected() {},
      };
    },
    unsubscribe: (id: string) => {
      said.push(`unsubscribed ${id}`);
      sinks[Number(id) - 1]?.close('unsubscribed');
    },
  } as unknown as ReaderApi;
  const open = (view: unknown = {}): Feed =>
    new Feed(reader, view, {
      ready: () => void said.push('ready'),
      ended: (error) => void said.push(`ended ${error?.message ?? ''}`),
    });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { open, sinks, said, turn, behind: (is: boolean) => (isBehind = is) };
}

test('[EM3] a consumer is called in a turn of its own, and nothing more is written until it has taken', async () => {
  const { open, sinks, said, turn } = setup();
  const feed = open();
  assert.deepEqual([said, sinks[0]?.writable], [[], false]);
  await turn();
  assert.deepEqual(said, ['ready']);
  assert.equal(feed.take()?.snapshot, true);
  assert.deepEqual([said, sinks[0]?.writable, feed.take()], [['ready', 'drained'], true, undefined]);
  sinks[0]?.write({ type: 'update', subscriptionId: '1', sequence: 1, complete: true, update: UPDATE });
  await turn();
  assert.deepEqual(feed.take(), { ...UPDATE, complete: true });
});

test('[EM3] who was too slow begins anew with a snapshot, on another subscription', async () => {
  const { open, sinks, said, turn } = setup();
  const feed = open();
  feed.take();
  sinks[0]?.write({ type: 'snapshotNeeded', subscriptionId: '1', reason: 'too slow' });
  await turn();
  await turn();
  assert.deepEqual(said, ['drained', 'unsubscribed 1', 'ready']);
  assert.equal(feed.take()?.snapshot, true);
  feed.cancel();
  assert.deepEqual(said.slice(3), ['drained', 'unsubscribed 2']);
});

test('[EM2] who cancels hears nothing more; a wrong view and an end by the service are told', async () => {
  const { open, sinks, said, turn } = setup();
  open().cancel();
  await turn();
  assert.deepEqual(said, ['unsubscribed 1']);
  open('wrong');
  await turn();
  open();
  sinks[1]?.close('no room');
  assert.deepEqual(said.slice(1), ['ended filters: wrong', 'ended no room']);
});

test('[EM5] a feed that is stopped ends when all was taken', async () => {
  const { open, said, turn, behind } = setup();
  const feed = open();
  feed.stop();
  await turn();
  assert.deepEqual(said, ['ready']);
  behind(true);
  feed.take();
  await turn();
  assert.deepEqual(said, ['ready', 'drained']);
  behind(false);
  feed.take();
  await turn();
  assert.deepEqual(said, ['ready', 'drained', 'ended ']);
});
