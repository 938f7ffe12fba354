import assert from 'node:assert/strict';
import { DEADLINE_MS } from '../support/until.ts';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import type { ClientSubscription, ReaderClient } from './reader-client.ts';

/** Keeps the graph of one subscription as a reader would: the snapshot, then every update in order. */
export class Follower {
  subscription: ClientSubscription;
  sequence: number;
  graph: ExplanationGraph;
  updates = 0;

  private constructor(subscription: ClientSubscription, first: ServerFrame) {
    assert.equal(first.type, 'subscribed');
    this.subscription = subscription;
    this.sequence = first.type === 'subscribed' ? first.sequence : -1;
    this.graph = first.type === 'subscribed' ? first.graph : { nodes: [], edges: [], lastUpdated: '' };
  }

  static async start(subscription: ClientSubscription): Promise<Follower> {
    return new Follower(subscription, await subscription.frames.next());
  }

  get id(): string {
    return this.subscription.subscriptionId;
  }

  take(frame: ServerFrame): void {
    assert.equal(frame.type, 'update');
    if (frame.type !== 'update') return;
    assert.equal(frame.subscriptionId, this.id);
    assert.equal(frame.sequence, this.sequence + 1, 'a sequence rises by 1');
    this.sequence = frame.sequence;
    this.graph = applyUpdate(this.graph, frame.update);
    this.updates += 1;
  }

  /** Goes on with another connection from the last update taken; with a fresh snapshot when it is told to. */
  async resume(client: ReaderClient, filters: object): Promise<void> {
    this.subscription = await client.subscribe({ subscriptionId: this.id, resumeFrom: this.sequence });
    const answer = await this.subscription.frames.next();
    if (answer.type === 'resumed') {
      assert.equal(answer.sequence, this.sequence);
      return;
    }
    assert.equal(answer.type, 'snapshotNeeded');
    const fresh = await Follower.start(await client.subscribe({ filters }));
    this.subscription = fresh.subscription;
    this.sequence = fresh.sequence;
    this.graph = fresh.graph;
  }

  /** Takes updates until the graph is the expected one; fails with the difference when it doesn't become so. */
  async becomes(expected: () => Promise<ExplanationGraph>): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    let wanted = canonical(await expected());
    while (JSON.stringify(canonical(this.graph)) !== JSON.stringify(wanted) && Date.now() < deadline) {
      const frame = await this.subscription.frames.poll(100);
      if (frame === undefined) wanted = canonical(await expected());
      else this.take(frame);
    }
    assert.deepEqual(canonical(this.graph), wanted);
  }

  /** Takes updates until the names shown are the expected ones. */
  async shows(...names: readonly string[]): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    const wanted = [...names].sort();
    while (JSON.stringify(this.names()) !== JSON.stringify(wanted) && Date.now() < deadline) {
      const frame = await this.subscription.frames.poll(100);
      if (frame !== undefined) this.take(frame);
    }
    assert.deepEqual(this.names(), wanted);
  }

  names(): string[] {
    return this.graph.nodes.map((node) => node.name).sort();
  }

  /** Fails when anything more arrives within the time. */
  async staysQuiet(ms: number): Promise<void> {
    assert.equal(await this.subscription.frames.poll(ms), undefined);
  }
}

/** Order is no part of a graph, and when it was last updated is no part of what it says. */
function canonical({ nodes, edges }: ExplanationGraph): object {
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
  return sortedKeys({ nodes: [...nodes].sort(byId), edges: [...edges].sort(byId) }) as object;
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortedKeys(member)]));
}
