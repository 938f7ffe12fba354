import assert from 'node:assert/strict';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { Filters } from '../../src/model/filters.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../src/subscriptions/reader-api.ts';
import { oracleView, type OracleSpec } from './oracle-view.ts';

const EMPTY: ExplanationGraph = { nodes: [], edges: [], lastUpdated: '' };

/** Frames that were written and never came: a connection that breaks takes those on their way with it. */
export const MAX_LOST = 4;

/** More turns of the event loop than readers rest at once, each of whom goes on in a turn of its own. */
const QUIET_TURNS = 100;

/** A reader that follows the stream to the letter and can be slowed down, cut off and brought back. */
export class TestClient {
  graph: ExplanationGraph = EMPTY;
  spec: OracleSpec;
  connected = false;
  blocked = false;
  updates = 0;
  resyncs = 0;
  /** How often it was told that it was too slow. */
  overflows = 0;
  /** How many of its graphs were not made at once. */
  begunLater = 0;
  isWaiting = false;
  /** How many updates were parts of something, and how often it was lost between such. */
  parts = 0;
  lostBetween = 0;
  private isPartial = false;
  /** What it had before each of the last updates, the latest last. */
  private earlier: {
    readonly graph: ExplanationGraph;
    readonly sequence: number;
    readonly isPartial: boolean;
  }[] = [];
  /** Verbs that wait for what was asked for before them. */
  private verbs: Promise<unknown> = Promise.resolve();
  private unnoted = 0;
  /** Resolves when its graph is made. */
  begun: Promise<unknown> = Promise.resolve();
  private sequence = 0;
  private id = '';
  private handle: SubscriptionHandle | undefined;
  private sink: SubscriberSink | undefined;
  private reader: ReaderApi;
  private readonly include: readonly 'archived'[];

  constructor(
    reader: ReaderApi,
    filters: Filters,
    collapse: 'auto' | 'none',
    include: readonly 'archived'[] = [],
  ) {
    this.reader = reader;
    this.include = include;
    this.spec = { filters, collapse, expandedSummaries: new Set(), expandedTasks: new Set() };
    this.subscribe();
  }

  get summaries(): readonly ExplanationNode[] {
    return this.graph.nodes.filter(({ type }) => type === 'SUMMARY');
  }

  /** Does it see what left memory of this task? */
  recalls(taskId: string): boolean {
    const isAsked = this.include.length > 0 || this.spec.collapse === 'none';
    return this.spec.expandedTasks.has(taskId) || (isAsked && this.names(taskId));
  }

  /**
   * Does it see some tasks folded, with what left memory of these or others? How these are folded goes by what they lead to in
   * other tasks, and of that by what others recall.
   */
  get recallsSomeFolded(): boolean {
    const { collapse, filters, expandedTasks } = this.spec;
    const recallsSome = this.include.length > 0 || expandedTasks.size > 0;
    return recallsSome && collapse === 'auto' && filters.taskIds !== undefined;
  }

  /** Does it see anything of this task? */
  names(taskId: string): boolean {
    return this.spec.filters.taskIds?.includes(taskId) ?? true;
  }

  /** Its service is another process now. */
  moveTo(reader: ReaderApi): void {
    this.connected = false;
    this.sink = undefined;
    this.handle = undefined;
    this.reader = reader;
  }

  updateFilters(filters: Filters): void | Promise<void> {
    return this.perform(
      () => this.reader.updateFilters(this.id, filters),
      (spec) => ({ ...spec, filters }),
    );
  }

  expand(nodeId: string): void | Promise<void> {
    return this.perform(
      () => this.reader.expand(this.id, nodeId),
      (spec) => ({ ...spec, expandedSummaries: spec.expandedSummaries.union(new Set([nodeId])) }),
    );
  }

  collapse(nodeId: string): void | Promise<void> {
    return this.perform(
      () => this.reader.collapse(this.id, nodeId),
      (spec) => ({ ...spec, expandedSummaries: spec.expandedSummaries.difference(new Set([nodeId])) }),
    );
  }

  expandTask(taskId: string): void | Promise<void> {
    return this.perform(
      () => this.reader.expandTask(this.id, taskId),
      (spec) => ({ ...spec, expandedTasks: spec.expandedTasks.union(new Set([taskId])) }),
    );
  }

  /** What it sees is changed when the service has said so, if it is the same subscription then. */
  private perform(
    verb: () => boolean | Promise<boolean>,
    change: (spec: OracleSpec) => OracleSpec,
  ): void | Promise<void> {
    const { id } = this;
    const note = (): void => {
      if (id === this.id) this.spec = change(this.spec);
    };
    const done = verb();
    if (!(done instanceof Promise) && this.unnoted === 0) return note();
    // Verbs are done in the order in which they were sent, whichever answer is heard first.
    const before = this.verbs;
    this.unnoted++;
    const noted = Promise.resolve(done)
      .then(() => before)
      .then(note)
      .finally(() => this.unnoted--);
    this.verbs = Promise.allSettled([before, noted]);
    return noted;
  }

  /** @param lost so many of the last updates were lost on their way, as far as they were updates of one graph */
  disconnect(lost = 0): void {
    const before = lost > 0 ? this.earlier.at(-Math.min(lost, this.earlier.length)) : undefined;
    if (before) ({ graph: this.graph, sequence: this.sequence, isPartial: this.isPartial } = before);
    this.earlier = [];
    if (this.isPartial) this.lostBetween++;
    this.connected = false;
    this.sink = undefined;
    this.handle?.disconnected();
  }

  /** @param filters new ones, that it has chosen while it was away */
  resume(filters?: Filters): void {
    const { id } = this;
    const note = (): void => {
      if (filters && id === this.id) this.spec = { ...this.spec, filters };
    };
    note();
    // Verbs that it sent before are done before.
    this.verbs = this.verbs.then(note);
    const { collapse } = this.spec;
    const view = filters && { filters, collapse, include: this.include };
    this.open({ subscriptionId: this.id, resumeFrom: this.sequence, ...view });
  }

  unblock(): void {
    this.blocked = false;
    this.handle?.drained();
  }

  async assertUpToDate(judge: ReaderApi = this.reader): Promise<void> {
    this.assertByTheRules(judge);
    await this.assertAsFresh();
  }

  /** @param judge shows the graph that this client's view is a view of */
  assertByTheRules(judge: ReaderApi): void {
    const expected = oracleView(judge, this.spec);
    assert.deepEqual(this.graph.nodes.map((node) => node.id).sort(), expected.nodes);
    assert.deepEqual(
      this.graph.edges
        .map((edge) =>
          edge.bridged ? `${edge.from} >> ${edge.to}` : `${edge.from} ${edge.relation} ${edge.to}`,
        )
        .sort(),
      expected.edges,
    );
  }

  async assertAsFresh(): Promise<void> {
    const bySnapshot = new TestClient(this.reader, this.spec.filters, this.spec.collapse, this.include);
    await bySnapshot.settled();
    for (const id of this.spec.expandedTasks) await tryTo(() => bySnapshot.expandTask(id));
    for (const id of this.spec.expandedSummaries) await tryTo(() => bySnapshot.expand(id));
    await bySnapshot.settled();
    assert.deepEqual(content(this.graph), content(bySnapshot.graph));
    bySnapshot.end();
  }

  end(): void {
    this.reader.unsubscribe(this.id);
  }

  private subscribe(): void {
    this.spec = { ...this.spec, expandedSummaries: new Set(), expandedTasks: new Set() };
    const { filters, collapse } = this.spec;
    this.open({ filters, collapse, include: this.include });
  }

  private open(request: object): void {
    let resync = false;
    const sink: SubscriberSink & { client: TestClient } = {
      client: this,
      get writable() {
        return !this.client.blocked;
      },
      write: (frame) => {
        // A service that is no more may still be at work.
        if (this.sink !== sink) return;
        if (this.take(frame)) resync = true;
        if (frame.type === 'snapshotNeeded' && this.handle !== undefined && this.sink === sink)
          this.pendingResync = true;
      },
      close: () => {},
    };
    this.sink = sink;
    this.connected = true;
    this.handle = this.reader.subscribe(request, sink);
    const { begun } = this.handle;
    if (begun) {
      this.begunLater++;
      this.isWaiting = true;
      this.begun = begun.finally(() => (this.isWaiting = false));
    }
    this.id = this.handle.subscriptionId;
    if (resync) this.resubscribe();
  }

  private pendingResync = false;
  /** Frames that have come, to see whether more do. */
  private taken = 0;

  /** Does what `snapshotNeeded` asks for. */
  settle(): void {
    if (this.pendingResync) this.resubscribe();
  }

  /** As `settle`; resolves when its graph is there, too. */
  async settled(): Promise<void> {
    for (let quiet = 0; this.pendingResync || this.isPartial || quiet < QUIET_TURNS; quiet++) {
      const before = this.taken;
      this.settle();
      await this.begun;
      await this.verbs;
      await new Promise(setImmediate);
      if (this.taken !== before) quiet = 0;
    }
  }

  private resubscribe(): void {
    this.pendingResync = false;
    this.resyncs++;
    tryTo(() => this.end());
    this.subscribe();
  }

  /** @returns true when a fresh graph is needed */
  private take(frame: ServerFrame): boolean {
    this.taken++;
    if (frame.type === 'event') return false;
    if (frame.type === 'snapshotNeeded') {
      this.isPartial = false;
      if (frame.reason.startsWith('too slow')) this.overflows++;
      return true;
    }
    if (frame.type === 'subscribed') {
      this.isPartial = frame.partial === true;
      this.graph = frame.graph;
      this.sequence = frame.sequence;
      this.earlier = [];
      return false;
    }
    if (frame.type === 'resumed') {
      assert.equal(frame.sequence, this.sequence, 'it goes on where it was');
      return false;
    }
    assert.equal(frame.sequence, this.sequence + 1, 'sequence rises by one');
    this.earlier.push({ graph: this.graph, sequence: this.sequence, isPartial: this.isPartial });
    if (this.earlier.length > MAX_LOST) this.earlier.shift();
    this.sequence = frame.sequence;
    this.updates++;
    assert.ok(!frame.complete || this.isPartial, 'complete without a part before it');
    if (frame.partial || frame.complete) {
      this.isPartial = frame.partial === true;
      this.parts++;
    }
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
    notices: graph.notices ?? [],
    nodes: graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    edges: graph.edges.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

export function tryTo(action: () => void | Promise<void>): void | Promise<void> {
  const judge = (error: unknown): void => {
    if ((error as Error).name !== 'BoundaryError') throw error;
  };
  try {
    return action()?.catch(judge);
  } catch (error) {
    judge(error);
  }
}
