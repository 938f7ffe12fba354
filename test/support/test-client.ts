import assert from 'node:assert/strict';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../src/subscriptions/reader-api.ts';
import { oracleView, type OracleSpec, type RawFilters } from './oracle-view.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };

/** A reader that follows the stream to the letter and can be slowed down, cut off and brought back. */
export class TestClient {
  graph: ExplanationGraph = EMPTY;
  spec: OracleSpec;
  connected = false;
  blocked = false;
  updates = 0;
  resyncs = 0;
  private sequence = 0;
  private id = '';
  private handle: SubscriptionHandle | undefined;
  private sink: SubscriberSink | undefined;
  private readonly reader: ReaderApi;

  constructor(reader: ReaderApi, filters: RawFilters, collapse: 'auto' | 'none') {
    this.reader = reader;
    this.spec = { filters, collapse, expandedSummaries: new Set(), expandedTasks: new Set() };
    this.subscribe();
  }

  updateFilters(filters: RawFilters): void {
    this.reader.updateFilters(this.id, filters);
    this.spec = { ...this.spec, filters };
  }

  expand(nodeId: string): void {
    this.reader.expand(this.id, nodeId);
    this.spec = { ...this.spec, expandedSummaries: this.spec.expandedSummaries.union(new Set([nodeId])) };
  }

  collapse(nodeId: string): void {
    this.reader.collapse(this.id, nodeId);
    this.spec = {
      ...this.spec,
      expandedSummaries: this.spec.expandedSummaries.difference(new Set([nodeId])),
    };
  }

  expandTask(taskId: string): void {
    this.reader.expandTask(this.id, taskId);
    this.spec = { ...this.spec, expandedTasks: this.spec.expandedTasks.union(new Set([taskId])) };
  }

  disconnect(): void {
    this.connected = false;
    this.sink = undefined;
    this.handle?.disconnected();
  }

  resume(): void {
    this.open({ subscriptionId: this.id, resumeFrom: this.sequence });
  }

  unblock(): void {
    this.blocked = false;
    this.handle?.drained();
  }

  assertUpToDate(): void {
    const expected = oracleView(this.reader, this.spec);
    assert.deepEqual(this.graph.nodes.map((node) => node.id).sort(), expected.nodes);
    assert.deepEqual(
      this.graph.edges
        .map((edge) =>
          edge.bridged ? `${edge.from} >> ${edge.to}` : `${edge.from} ${edge.relation} ${edge.to}`,
        )
        .sort(),
      expected.edges,
    );
    const bySnapshot = new TestClient(this.reader, this.spec.filters, this.spec.collapse);
    for (const id of this.spec.expandedTasks) tryTo(() => bySnapshot.expandTask(id));
    for (const id of this.spec.expandedSummaries) tryTo(() => bySnapshot.expand(id));
    assert.deepEqual(content(this.graph), content(bySnapshot.graph));
    bySnapshot.end();
  }

  end(): void {
    this.reader.unsubscribe(this.id);
  }

  private subscribe(): void {
    this.spec = { ...this.spec, expandedSummaries: new Set(), expandedTasks: new Set() };
    this.open({ filters: this.spec.filters, collapse: this.spec.collapse });
  }

  private open(request: object): void {
    let resync = false;
    const sink: SubscriberSink & { client: TestClient } = {
      client: this,
      get writable() {
        return !this.client.blocked;
      },
      write: (frame) => {
        if (this.take(frame)) resync = true;
        if (frame.type === 'snapshotNeeded' && this.handle !== undefined && this.sink === sink)
          this.pendingResync = true;
      },
      close: () => {},
    };
    this.sink = sink;
    this.connected = true;
    this.handle = this.reader.subscribe(request, sink);
    this.id = this.handle.subscriptionId;
    if (resync) this.resubscribe();
  }

  private pendingResync = false;

  /** Does what `snapshotNeeded` asks for. */
  settle(): void {
    if (this.pendingResync) this.resubscribe();
  }

  private resubscribe(): void {
    this.pendingResync = false;
    this.resyncs++;
    tryTo(() => this.end());
    this.subscribe();
  }

  /** @returns true when a fresh graph is needed */
  private take(frame: ServerFrame): boolean {
    if (frame.type === 'snapshotNeeded') return true;
    if (frame.type === 'subscribed') {
      this.graph = frame.graph;
      this.sequence = frame.sequence;
      return false;
    }
    assert.equal(frame.sequence, this.sequence + 1, 'sequence rises by one');
    this.sequence = frame.sequence;
    this.updates++;
    const { update } = frame;
    const held = new Set(this.graph.nodes.map((node) => node.id));
    for (const id of update.removedNodeIds) held.delete(id);
    for (const node of update.addedNodes) held.add(node.id);
    for (const edge of update.addedEdges)
      assert.ok(held.has(edge.from) && held.has(edge.to), 'dangling edge');
    this.graph = applyUpdate(this.graph, update);
    return false;
  }
}

function content(graph: ExplanationGraph): unknown {
  return {
    nodes: graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    edges: graph.edges.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

export function tryTo(action: () => void): void {
  try {
    action();
  } catch (error) {
    if ((error as Error).name !== 'BoundaryError') throw error;
  }
}
