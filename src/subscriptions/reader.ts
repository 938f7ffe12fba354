import { randomUUID } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { explainWhy } from '../analysis/why.ts';
import { findSpikes } from '../analysis/spikes.ts';
import type { SpikesAnswer, WhyAnswer } from '../model/why.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import type { ViewSource } from './compute-view.ts';
import { nodeDetail, type SourceLookup } from './node-detail.ts';
import { parseFilters, parseId, parseRequest, type ParsedRequest } from './parse-request.ts';
import type { NodeDetail, TaskOverview } from '../model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from './reader-api.ts';
import { Subscription } from './subscription.ts';
import { collapsed, expanded, summaryTask, taskOfTarget } from './expansion.ts';
import { parsePage } from './parse-page.ts';
import { taskOverviews } from './task-overviews.ts';
import type { Decorate } from './view.ts';
import { ViewPool } from './view-pool.ts';
import type { ViewSpec } from './view-spec.ts';

export interface ReaderOptions {
  readonly source: ViewSource;
  readonly sources: SourceLookup;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly decorate: Decorate;
  /** Publishes what has changed in the graph and was not published yet. Called before every look at it. */
  readonly bringUpToDate: () => void;
  /** Takes nodes out of memory; returns how many went. */
  readonly prune: (olderThanMs: number) => number;
  readonly maxQueuedUpdates: number;
  readonly resumeWindowSeconds: number;
  readonly maxSubscriptions: number;
}

interface Held {
  readonly subscription: Subscription;
  /** Runs while the reader is away. */
  expiry: Timer | undefined;
}

/** The subscriptions, and every other way of looking at the graph. */
export class Reader implements ReaderApi {
  private readonly options: ReaderOptions;
  private readonly views: ViewPool;
  private readonly held = new Map<string, Held>();
  private lastUpdated: string;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.views = new ViewPool(options.source, options.decorate);
    this.lastUpdated = this.now();
  }

  get subscriptionCount(): number {
    return this.held.size;
  }

  get viewCount(): number {
    return this.views.size;
  }

  /** Tells the readers what changed in these tasks (and whatever depends on them). */
  publish(tasks: ReadonlySet<string>): void {
    this.lastUpdated = this.now();
    const updates = this.views.refresh(tasks, this.lastUpdated);
    if (updates.size === 0) return;
    for (const { subscription } of this.held.values()) {
      const update = updates.get(subscription.view);
      if (update) subscription.send(update);
    }
  }

  subscribe(input: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle {
    const request = parseRequest(input);
    this.options.bringUpToDate();
    if (request.subscriptionId !== undefined && request.resumeFrom !== undefined) {
      return this.resume(request.subscriptionId, request.resumeFrom, request, sink, requestId);
    }
    if (request.subscriptionId !== undefined) this.end(this.find(request.subscriptionId), 'subscribed anew');
    if (this.held.size >= this.options.maxSubscriptions) {
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        'too many subscriptions: end some, or raise maxSubscriptions',
        {
          retryAfterMs: 1000,
        },
      );
    }
    const id = request.subscriptionId ?? randomUUID();
    const view = this.views.acquire(request.spec);
    const { maxQueuedUpdates, metrics } = this.options;
    const subscription = new Subscription(id, view, sink, maxQueuedUpdates, () => metrics.updatesMerged(1));
    this.held.set(id, { subscription, expiry: undefined });
    subscription.sendSnapshot(view.graph(this.lastUpdated), requestId);
    return this.handle(subscription, sink);
  }

  updateFilters(subscriptionId: unknown, filters: unknown): void {
    const parsed = parseFilters(filters);
    this.change(subscriptionId, (spec) => ({ ...spec, filters: parsed }));
  }

  expand(subscriptionId: unknown, nodeId: unknown): void {
    const id = parseId(nodeId, 'nodeId');
    this.change(subscriptionId, (spec) => expanded(spec, id, this.options.source), id);
  }

  collapse(subscriptionId: unknown, nodeId: unknown): void {
    const id = parseId(nodeId, 'nodeId');
    this.change(subscriptionId, (spec) => collapsed(spec, id, this.options.source), id);
  }

  expandTask(subscriptionId: unknown, taskId: unknown): void {
    const id = parseId(taskId, 'taskId');
    this.change(subscriptionId, (spec) => {
      if (this.options.source.graph.nodesOfTask(id).size === 0) {
        throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is in memory');
      }
      return { ...spec, expandedTasks: new Set([...spec.expandedTasks, id]) };
    });
  }

  unsubscribe(subscriptionId: unknown): void {
    this.end(this.find(parseId(subscriptionId, 'subscriptionId')), 'unsubscribed');
  }

  prune(olderThanMinutes: unknown): { readonly prunedNodes: number } {
    const isAge = typeof olderThanMinutes === 'number' && olderThanMinutes >= 0 && olderThanMinutes <= 1e9;
    if (!isAge) throw new BoundaryError('INVALID_ARGUMENT', 'olderThanMinutes must be a number from 0');
    const prunedNodes = this.options.prune(olderThanMinutes * 60_000);
    this.options.bringUpToDate();
    return { prunedNodes };
  }

  getGraph(input: unknown): ExplanationGraph {
    const { spec } = parseRequest(input);
    this.options.bringUpToDate();
    return this.views.peek(spec, this.lastUpdated);
  }

  getNode(nodeId: unknown, page?: unknown): NodeDetail {
    const { source, sources, bringUpToDate } = this.options;
    const id = parseId(nodeId, 'nodeId');
    const membersPage = parsePage(page);
    bringUpToDate();
    return nodeDetail(id, source, sources, membersPage);
  }

  listTasks(): readonly TaskOverview[] {
    this.options.bringUpToDate();
    return taskOverviews(this.options.source);
  }

  why(nodeId: unknown): WhyAnswer {
    const id = parseId(nodeId, 'nodeId');
    this.options.bringUpToDate();
    const { graph } = this.options.source;
    const node = graph.node(id);
    if (node) return explainWhy(graph, node, this.lastUpdated);
    if (summaryTask(id, graph) === undefined) {
      throw new BoundaryError('NOT_FOUND', 'nodeId: no node with this id is in memory');
    }
    throw new BoundaryError(
      'INVALID_ARGUMENT',
      'nodeId: a summary has no cause of its own; ask about one of its members (GET /api/nodes/{id} lists them)',
    );
  }

  spikes(taskId: unknown): SpikesAnswer {
    const id = taskId === undefined ? undefined : parseId(taskId, 'taskId');
    this.options.bringUpToDate();
    const { graph } = this.options.source;
    if (id !== undefined && graph.nodesOfTask(id).size === 0) {
      throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is in memory');
    }
    return findSpikes(graph, id === undefined ? graph.taskIds() : [id]);
  }

  /** Ends all subscriptions: the service stops. */
  closeAll(reason: string): void {
    for (const held of this.held.values()) this.end(held, reason);
  }

  private resume(
    id: string,
    resumeFrom: number,
    request: ParsedRequest,
    sink: SubscriberSink,
    requestId: string | undefined,
  ): SubscriptionHandle {
    const held = this.held.get(id);
    if (!held) {
      this.options.metrics.snapshotsNeeded(1);
      sink.write({
        type: 'snapshotNeeded',
        ...(requestId !== undefined && { requestId }),
        subscriptionId: id,
        reason: 'this subscription is not known any more: subscribe again without its id',
      });
      return { subscriptionId: id, drained() {}, disconnected() {} };
    }
    held.expiry?.cancel();
    held.expiry = undefined;
    const { subscription } = held;
    if (!subscription.resume(sink, resumeFrom, requestId)) {
      this.options.metrics.snapshotsNeeded(1);
      this.forget(held);
      return { subscriptionId: id, drained() {}, disconnected() {} };
    }
    if (request.namesView) {
      const { expandedSummaries, expandedTasks } = subscription.view.spec;
      this.switchView(subscription, { ...request.spec, expandedSummaries, expandedTasks });
    }
    return this.handle(subscription, sink);
  }

  /** @param target the node or summary that the change is about, if it is about one alone */
  private change(subscriptionId: unknown, newSpec: (spec: ViewSpec) => ViewSpec, target?: string): void {
    const { subscription } = this.find(parseId(subscriptionId, 'subscriptionId'));
    const { source, bringUpToDate } = this.options;
    bringUpToDate();
    const spec = newSpec(subscription.view.spec);
    this.switchView(
      subscription,
      spec,
      target === undefined ? undefined : taskOfTarget(target, source.graph),
    );
  }

  /** One update holds the difference between what the reader sees and what it is to see. */
  private switchView(subscription: Subscription, spec: ViewSpec, taskId?: string): void {
    const before = subscription.view;
    const after = this.views.acquire(spec, taskId === undefined ? undefined : { view: before, taskId });
    const update = before.differenceTo(after, this.now());
    subscription.view = after;
    this.views.release(before);
    if (update) subscription.send(update);
  }

  private handle(subscription: Subscription, sink: SubscriberSink): SubscriptionHandle {
    // A connection that was replaced by a newer one must not end the subscription when it closes.
    const isCurrent = (): boolean => this.held.get(subscription.id)?.subscription === subscription;
    return {
      subscriptionId: subscription.id,
      drained: () => {
        if (isCurrent() && subscription.isFor(sink)) subscription.drained();
      },
      disconnected: () => {
        const held = this.held.get(subscription.id);
        if (!held || !isCurrent() || !subscription.isFor(sink)) return;
        subscription.disconnected();
        const { clock, resumeWindowSeconds } = this.options;
        held.expiry = clock.after(resumeWindowSeconds * 1000, () => this.forget(held));
      },
    };
  }

  private find(id: string): Held {
    const held = this.held.get(id);
    if (!held) {
      throw new BoundaryError('NOT_FOUND', 'subscriptionId: no such subscription; subscribe to get one');
    }
    return held;
  }

  private end(held: Held, reason: string): void {
    this.forget(held);
    held.subscription.close(reason);
  }

  private forget(held: Held): void {
    held.expiry?.cancel();
    if (this.held.get(held.subscription.id) !== held) return;
    this.held.delete(held.subscription.id);
    this.views.release(held.subscription.view);
  }

  private now(): string {
    return toIso(epochMs(this.options.clock.now()));
  }
}
