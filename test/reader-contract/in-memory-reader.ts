import { BoundaryError } from '../../src/base/boundary-error.ts';
import { edgeId, spanKey } from '../../src/model/ids.ts';
import type {
  ExplanationEdge,
  ExplanationGraph,
  ExplanationNode,
  GraphUpdate,
} from '../../src/model/node.ts';
import type { SpanRecord, TelemetryRecord } from '../../src/model/records.ts';
import { toIso } from '../../src/model/time.ts';
import type {
  NodeDetail,
  ReaderApi,
  ServerFrame,
  SubscriberSink,
  SubscriptionHandle,
  TaskOverview,
} from '../../src/subscriptions/reader-api.ts';
import { checkFilters, checkRequest } from './check-request.ts';
import type { Filters, Request } from './check-request.ts';
import { folds, viewOf } from './in-memory-view.ts';
import type { Fold } from './in-memory-view.ts';

type UpdateFrame = Extract<ServerFrame, { type: 'update' }>;

interface Subscription {
  readonly id: string;
  readonly request: Request;
  readonly expanded: Set<string>;
  readonly expandedTasks: Set<string>;
  readonly sent: UpdateFrame[];
  filters: Filters;
  sink: SubscriberSink | undefined;
  held: ExplanationGraph;
  sequence: number;
}

/** A small `ReaderApi` that holds spans in memory and computes every view from scratch: for tests of the servers. */
export class InMemoryReader implements ReaderApi {
  readonly maxQueuedUpdates: number;
  private readonly nodes = new Map<string, ExplanationNode>();
  private readonly edges = new Map<string, ExplanationEdge>();
  private readonly subscriptions = new Map<string, Subscription>();
  private nextId = 1;

  constructor(maxQueuedUpdates = 5) {
    this.maxQueuedUpdates = maxQueuedUpdates;
  }

  feed(records: readonly TelemetryRecord[]): void {
    for (const record of records) if (record.kind === 'span') this.addSpan(record);
    for (const subscription of this.subscriptions.values()) this.push(subscription);
  }

  get subscriptionCount(): number {
    return this.subscriptions.size;
  }

  get attachedCount(): number {
    return [...this.subscriptions.values()].filter(({ sink }) => sink !== undefined).length;
  }

  endAll(reason: string): void {
    for (const { sink } of this.subscriptions.values()) sink?.close(reason);
    this.subscriptions.clear();
  }

  subscribe(input: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle {
    const request = checkRequest(input);
    const subscription =
      request.subscriptionId === undefined
        ? this.open(request, sink, requestId)
        : this.resume(request.subscriptionId, request.resumeFrom ?? 0, sink);
    return {
      subscriptionId: subscription.id,
      drained: () => this.push(subscription),
      disconnected: () => {
        if (subscription.sink === sink) subscription.sink = undefined;
      },
    };
  }

  updateFilters(subscriptionId: unknown, filters: unknown): void {
    const subscription = this.find(subscriptionId);
    subscription.filters = checkFilters(filters);
    this.push(subscription);
  }

  expand(subscriptionId: unknown, nodeId: unknown): void {
    const subscription = this.find(subscriptionId);
    subscription.expanded.add(this.foldOf(nodeId).summary.id);
    this.push(subscription);
  }

  collapse(subscriptionId: unknown, nodeId: unknown): void {
    const subscription = this.find(subscriptionId);
    subscription.expanded.delete(this.foldOf(nodeId).summary.id);
    this.push(subscription);
  }

  expandTask(subscriptionId: unknown, taskId: unknown): void {
    const subscription = this.find(subscriptionId);
    if (typeof taskId !== 'string') throw wrong('taskId');
    subscription.expandedTasks.add(taskId);
    this.push(subscription);
  }

  unsubscribe(subscriptionId: unknown): void {
    this.subscriptions.delete(this.find(subscriptionId).id);
  }

  prune(olderThanMinutes: unknown): { readonly prunedNodes: number } {
    if (typeof olderThanMinutes !== 'number') throw wrong('olderThanMinutes');
    return { prunedNodes: 0 };
  }

  getGraph(input: unknown): ExplanationGraph {
    return viewOf(
      { nodes: this.nodes, edges: this.edges },
      { ...checkRequest(input), expanded: new Set(), expandedTasks: new Set() },
    );
  }

  getNode(nodeId: unknown): NodeDetail {
    const node = this.nodes.get(nodeId as string);
    if (node === undefined) throw new BoundaryError('NOT_FOUND', 'nodeId names no node');
    return {
      node,
      texts: { reasoning: `about ${node.name}` },
      attributes: {
        [String(node.details?.['spanId'])]: { component: 'x', deep: { list: [1, 'two', null, true] } },
      },
    };
  }

  listTasks(): readonly TaskOverview[] {
    return [...Map.groupBy(this.nodes.values(), (node) => node.taskId)].map(([taskId, nodes]) => ({
      taskId,
      nodes: nodes.length,
      errors: nodes.filter((node) => node.status === 'ERROR').length,
      running: 0,
      firstTimestamp: nodes.map((node) => node.timestamp).sort()[0]!,
      lastTimestamp: nodes
        .map((node) => node.timestamp)
        .sort()
        .at(-1)!,
      agents: [...new Set(nodes.map((node) => node.agent))],
    }));
  }

  private open(request: Request, sink: SubscriberSink, requestId: string | undefined): Subscription {
    const id = `sub-${this.nextId++}`;
    const subscription: Subscription = {
      id,
      request,
      filters: request.filters,
      expanded: new Set(),
      expandedTasks: new Set(),
      sent: [],
      sink,
      held: { nodes: [], edges: [], lastUpdated: '' },
      sequence: 0,
    };
    subscription.held = this.view(subscription);
    this.subscriptions.set(id, subscription);
    const echo = requestId === undefined ? {} : { requestId };
    sink.write({ type: 'subscribed', ...echo, subscriptionId: id, sequence: 0, graph: subscription.held });
    return subscription;
  }

  private resume(id: string, resumeFrom: number, sink: SubscriberSink): Subscription {
    const subscription = this.find(id);
    subscription.sink?.close('the subscription was taken up on another connection');
    const missed = subscription.sent.filter((frame) => frame.sequence > resumeFrom);
    if (resumeFrom > subscription.sequence || missed.length !== subscription.sequence - resumeFrom) {
      sink.write({ type: 'snapshotNeeded', subscriptionId: id, reason: 'too many updates were missed' });
      return subscription;
    }
    subscription.sink = sink;
    for (const frame of missed) sink.write(frame);
    this.push(subscription);
    return subscription;
  }

  /** An absent reader's updates are kept; a slow reader's merge, because nothing is compared until it can take more. */
  private push(subscription: Subscription): void {
    const { sink } = subscription;
    if (sink !== undefined && !sink.writable) return;
    const next = this.view(subscription);
    const update = difference(subscription.held, next);
    subscription.held = next;
    if (update === undefined) return;
    subscription.sequence += 1;
    const { id: subscriptionId, sequence } = subscription;
    const frame: UpdateFrame = { type: 'update', subscriptionId, sequence, update };
    subscription.sent.push(frame);
    if (subscription.sent.length > this.maxQueuedUpdates) subscription.sent.shift();
    sink?.write(frame);
  }

  private view({ request, filters, expanded, expandedTasks }: Subscription): ExplanationGraph {
    return viewOf({ nodes: this.nodes, edges: this.edges }, { ...request, filters, expanded, expandedTasks });
  }

  private find(subscriptionId: unknown): Subscription {
    if (typeof subscriptionId !== 'string') throw wrong('subscriptionId');
    const subscription = this.subscriptions.get(subscriptionId);
    if (subscription === undefined)
      throw new BoundaryError('NOT_FOUND', 'subscriptionId names no subscription');
    return subscription;
  }

  private foldOf(nodeId: unknown): Fold {
    if (typeof nodeId !== 'string') throw wrong('nodeId');
    const fold = folds(this.nodes, this.edges).find(
      ({ summary, members }) => summary.id === nodeId || members.some(({ id }) => id === nodeId),
    );
    if (fold === undefined) throw new BoundaryError('NOT_FOUND', 'nodeId names no summary');
    return fold;
  }

  private addSpan(span: SpanRecord): void {
    const id = spanKey(span.traceId, span.spanId);
    const text = (key: string) => {
      const value = span.attributes.get(key);
      return typeof value === 'string' ? value : '';
    };
    const costUsd = span.attributes.get('cost.usd');
    const summary = text('prompt.summary');
    this.nodes.set(id, {
      id,
      timestamp: toIso(span.start),
      agent: text('component').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
      type: 'LLM_CALL',
      name: span.name,
      taskId: text('taskID'),
      state: 'ENDED',
      status: span.status === 'ERROR' ? 'ERROR' : 'OK',
      ...(span.durationMs === undefined ? {} : { latencyMs: span.durationMs }),
      ...(typeof costUsd === 'number' ? { costUsd } : {}),
      ...(summary === '' ? {} : { promptSummary: summary }),
      details: { traceId: span.traceId, spanId: span.spanId, spanIds: [span.spanId] },
    });
    if (span.parentSpanId === undefined) return;
    const from = spanKey(span.traceId, span.parentSpanId);
    if (!this.nodes.has(from)) return;
    const edge = edgeId(from, 'NEXT_STEP', id);
    this.edges.set(edge, { id: edge, from, to: id, relation: 'NEXT_STEP', evidence: 'parentSpanId' });
  }
}

function difference(before: ExplanationGraph, after: ExplanationGraph): GraphUpdate | undefined {
  const nodes = changes(before.nodes, after.nodes);
  const edges = changes(before.edges, after.edges);
  const count = [nodes.added, nodes.removed, edges.added, edges.removed].reduce(
    (sum, list) => sum + list.length,
    0,
  );
  if (count === 0) return undefined;
  return {
    addedNodes: nodes.added,
    removedNodeIds: nodes.removed.map(({ id }) => id),
    addedEdges: edges.added,
    removedEdgeIds: edges.removed.map(({ from, to, id }) => ({ from, to, id })),
    timestamp: new Date(0).toISOString(),
  };
}

function changes<T extends { readonly id: string }>(before: readonly T[], after: readonly T[]) {
  const old = new Map(before.map((item) => [item.id, item]));
  const kept = new Set(after.map((item) => item.id));
  return {
    added: after.filter(
      (item) => old.get(item.id) !== item && JSON.stringify(old.get(item.id)) !== JSON.stringify(item),
    ),
    removed: before.filter((item) => !kept.has(item.id)),
  };
}

function wrong(field: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field} has a wrong type`);
}
