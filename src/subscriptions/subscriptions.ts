import { randomUUID } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { collapsed, expanded, taskOfTarget } from './expansion.ts';
import type { GraphMaker } from './graph-maker.ts';
import { parseFilters, parseId, parseRequest, type ParsedRequest } from './parse-request.ts';
import type { SubscriberSink, SubscriptionHandle } from './reader-api.ts';
import type { Recall } from './recall/recall.ts';
import { Subscription } from './subscription.ts';
import type { ViewPool } from './view-pool.ts';
import type { ViewSource } from './view-source.ts';
import type { ViewSpec } from './view-spec.ts';

export interface SubscriptionLimits {
  readonly maxQueuedUpdates: number;
  /** Ids that may wait in the merged update of a slow reader. `MAX_PENDING_IDS` if absent. */
  readonly maxPendingIds?: number | undefined;
  readonly resumeWindowSeconds: number;
  readonly maxSubscriptions: number;
}

export interface SubscriptionsOptions extends SubscriptionLimits {
  /** What is in memory. */
  readonly source: ViewSource;
  readonly recall?: Recall | undefined;
  readonly views: ViewPool;
  readonly graphs: GraphMaker;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly bringUpToDate: () => void;
  readonly lastUpdated: () => string;
}

interface Held {
  readonly subscription: Subscription;
  /** Runs while the reader is away. */
  expiry: Timer | undefined;
}

/** The open subscriptions, and what their readers do with them: see `ReaderApi`. */
export class Subscriptions {
  private readonly options: SubscriptionsOptions;
  private readonly held = new Map<string, Held>();

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  get count(): number {
    return this.held.size;
  }

  /**
   * Tells the readers what changed in these tasks (and whatever depends on them).
   * @param recalled tasks that changed for those who see what left memory, too
   */
  publish(tasks: ReadonlySet<string>, recalled: ReadonlySet<string>): void {
    const updates = this.options.views.refresh(tasks, recalled, this.options.lastUpdated());
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
    const view = this.options.views.acquire(request.spec);
    const { metrics } = this.options;
    const subscription = new Subscription(id, view, sink, requestId, {
      ...this.options,
      onMerged: () => metrics.updatesMerged(1),
    });
    const held = { subscription, expiry: undefined };
    this.held.set(id, held);
    const begun = this.begin(held);
    return { ...this.handle(subscription, sink), ...(begun && { begun }) };
  }

  updateFilters(subscriptionId: unknown, filters: unknown): void {
    const parsed = parseFilters(filters);
    this.change(subscriptionId, (spec) => ({ ...spec, filters: parsed }));
  }

  expand(subscriptionId: unknown, nodeId: unknown): void {
    const id = parseId(nodeId, 'nodeId');
    this.change(subscriptionId, (spec, source) => expanded(spec, id, source), id);
  }

  collapse(subscriptionId: unknown, nodeId: unknown): void {
    const id = parseId(nodeId, 'nodeId');
    this.change(subscriptionId, (spec, source) => collapsed(spec, id, source), id);
  }

  expandTask(subscriptionId: unknown, taskId: unknown): void | Promise<void> {
    const id = parseId(taskId, 'taskId');
    const { source, recall, bringUpToDate } = this.options;
    bringUpToDate();
    if (source.graph.nodesOfTask(id).size > 0) return this.openTask(subscriptionId, id);
    if (!recall) throw unknownTask();
    return this.openRecalledTask(subscriptionId, id, recall);
  }

  private async openRecalledTask(subscriptionId: unknown, taskId: string, recall: Recall): Promise<void> {
    if (!(await recall.knows(taskId))) throw unknownTask();
    this.openTask(subscriptionId, taskId);
  }

  private openTask(subscriptionId: unknown, taskId: string): void {
    this.change(subscriptionId, (spec) => ({
      ...spec,
      expandedTasks: new Set([...spec.expandedTasks, taskId]),
    }));
  }

  unsubscribe(subscriptionId: unknown): void {
    this.end(this.find(parseId(subscriptionId, 'subscriptionId')), 'unsubscribed');
  }

  /** Ends all subscriptions: the service stops. */
  closeAll(reason: string): void {
    for (const held of this.held.values()) this.end(held, reason);
  }

  /** Sends a subscription its graph. @returns when it is made, if that is not now */
  private begin(held: Held): Promise<void> | undefined {
    const { subscription } = held;
    const graph = this.options.graphs.make(subscription.view, {
      lastUpdated: this.options.lastUpdated,
      onFixed: () => subscription.follow(),
      isWanted: () => this.held.get(subscription.id) === held && !subscription.hasBegun,
    });
    if (!(graph instanceof Promise)) {
      subscription.begin(graph);
      return undefined;
    }
    return graph.then(
      (made) => made && subscription.begin(made),
      (error: unknown) => {
        this.forget(held);
        throw error;
      },
    );
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
  private change(
    subscriptionId: unknown,
    newSpec: (spec: ViewSpec, source: ViewSource) => ViewSpec,
    target?: string,
  ): void {
    const { subscription } = this.find(parseId(subscriptionId, 'subscriptionId'));
    if (!subscription.isFixed) {
      throw new BoundaryError('UNAVAILABLE', 'subscriptionId: its graph is being made; try again', {
        retryAfterMs: 1000,
      });
    }
    this.options.bringUpToDate();
    const { spec: before, source } = subscription.view;
    const spec = newSpec(before, source);
    const taskId = target === undefined ? undefined : taskOfTarget(target, source.graph);
    this.switchView(subscription, spec, taskId);
  }

  /** One update holds the difference between what the reader sees and what it is to see. */
  private switchView(subscription: Subscription, spec: ViewSpec, taskId?: string): void {
    const before = subscription.view;
    const after = this.options.views.acquire(
      spec,
      taskId === undefined ? undefined : { view: before, taskId },
    );
    after.makeNow();
    const update = before.differenceTo(after, toIso(epochMs(this.options.clock.now())));
    subscription.view = after;
    this.options.views.release(before);
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
        // Nobody knows of it yet.
        if (!subscription.hasBegun) {
          this.forget(held);
          return;
        }
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
    this.options.views.release(held.subscription.view);
  }
}

function unknownTask(): BoundaryError {
  return new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
}
