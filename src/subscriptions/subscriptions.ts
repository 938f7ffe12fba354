import { randomUUID } from 'node:crypto';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { GraphUpdate } from '../model/node.ts';
import type { ArtifactsEvent } from '../model/reader-messages.ts';
import { epochMs, toIso } from '../model/time.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import { partsOf } from './cut-update.ts';
import type { GraphMaker } from './graph-maker.ts';
import { parseFilters, parseId, parseRequest, type ParsedRequest } from './parse-request.ts';
import type { SubscriberSink, SubscriptionHandle } from './reader-api.ts';
import type { Recall } from './recall/recall.ts';
import { SharedBounds, type SharedLimits } from './shared-bounds.ts';
import { Subscription } from './subscription.ts';
import type { ShownView } from './shown-view.ts';
import type { ViewChanges } from './view-changes.ts';
import type { ViewPool } from './view-pool.ts';
import { withOpened, type ViewSpec } from './view-spec.ts';

export interface SubscriptionLimits extends SharedLimits {
  readonly maxQueuedUpdates: number;
  readonly resumeWindowSeconds: number;
}

export interface SubscriptionsOptions extends SubscriptionLimits {
  readonly changes: ViewChanges;
  readonly recall?: Recall | undefined;
  readonly views: ViewPool<ShownView>;
  readonly graphs: GraphMaker;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly bringUpToDate: () => void;
  readonly lastUpdated: () => string;
}

/** A change of what one reader sees. */
interface Change {
  readonly subscriptionId: unknown;
  readonly requestId: string | undefined;
  readonly newSpec: (spec: ViewSpec) => ViewSpec;
  /** The node or summary that it is about, if it is about one alone. */
  readonly target?: string;
}

/** The open subscriptions, and what their readers do with them: see `ReaderApi`. */
export class Subscriptions {
  private readonly options: SubscriptionsOptions;
  private readonly held = new Map<string, Subscription>();
  /** Those whose next view is being made. */
  private readonly switching = new Map<Subscription, Promise<boolean>>();
  /** Those without a connection, the one lost longest ago first, each with the timer that ends it. */
  private readonly away = new Map<Subscription, Timer>();
  private readonly bounds: SharedBounds;

  constructor(options: SubscriptionsOptions) {
    this.options = options;
    const { held, away, switching } = this;
    this.bounds = new SharedBounds({
      ...options,
      largeViewItems: options.graphs.largeViewItems,
      held,
      away,
      switching,
      forget: (subscription) => this.forget(subscription),
    });
  }

  get count(): number {
    return this.held.size;
  }

  /** Tells the readers of these views what changed in them. */
  publish(updates: ReadonlyMap<ShownView, GraphUpdate>): void {
    if (updates.size === 0) return;
    const parts = new Map<ShownView, readonly GraphUpdate[]>();
    for (const [view, update] of updates)
      parts.set(view, atOnce(partsOf(update, this.options.graphs.partItems, NEVER_OVER)));
    for (const subscription of this.held.values()) {
      const update = parts.get(subscription.view);
      if (!update) continue;
      subscription.send(update);
      if (this.away.has(subscription) && !subscription.canResume) this.forget(subscription);
    }
    this.bounds.boundHeld();
    this.bounds.boundViews();
  }

  /** Tells the readers whose view shows the task. */
  tell(taskId: string, event: ArtifactsEvent): void {
    for (const subscription of this.held.values())
      if (subscription.view.shows(taskId)) subscription.tell(event);
  }

  /** Tells the readers of one view. */
  tellReadersOf(view: ShownView, event: ArtifactsEvent): void {
    for (const subscription of this.held.values()) if (subscription.view === view) subscription.tell(event);
  }

  subscribe(input: unknown, sink: SubscriberSink, requestId?: string): SubscriptionHandle {
    const request = parseRequest(input, sink.detail);
    this.options.bringUpToDate();
    if (request.subscriptionId !== undefined && request.resumeFrom !== undefined) {
      return this.resume(request.subscriptionId, request.resumeFrom, request, sink, requestId);
    }
    if (request.subscriptionId !== undefined) this.end(this.find(request.subscriptionId), 'subscribed anew');
    this.bounds.makeRoom();
    const id = request.subscriptionId ?? randomUUID();
    const { views, changes } = this.options;
    const spec = request.opened.reduce((before, opening) => changes.opened(before, opening), request.spec);
    const view = views.acquire(spec);
    const { metrics, graphs } = this.options;
    const { pace, partItems } = graphs;
    const subscription = new Subscription(id, view, sink, requestId, {
      ...this.options,
      pace,
      partItems,
      onMerged: () => metrics.updatesMerged(1),
    });
    this.held.set(id, subscription);
    const begun = this.switchTo(subscription, view, requestId);
    return { ...this.handle(subscription, sink), ...(begun instanceof Promise && { begun }) };
  }

  updateFilters(subscriptionId: unknown, filters: unknown, requestId?: string): boolean | Promise<boolean> {
    const parsed = parseFilters(filters);
    return this.change({ subscriptionId, requestId, newSpec: (spec) => ({ ...spec, filters: parsed }) });
  }

  expand(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean> {
    const target = parseId(nodeId, 'nodeId');
    const newSpec = (spec: ViewSpec): ViewSpec => this.options.changes.expanded(spec, target);
    return this.change({ subscriptionId, requestId, newSpec, target });
  }

  collapse(subscriptionId: unknown, nodeId: unknown, requestId?: string): boolean | Promise<boolean> {
    const target = parseId(nodeId, 'nodeId');
    const newSpec = (spec: ViewSpec): ViewSpec => this.options.changes.collapsed(spec, target);
    return this.change({ subscriptionId, requestId, newSpec, target });
  }

  expandTask(subscriptionId: unknown, taskId: unknown, requestId?: string): boolean | Promise<boolean> {
    const id = parseId(taskId, 'taskId');
    const { changes, bringUpToDate } = this.options;
    bringUpToDate();
    const open = (isKnown: boolean): boolean | Promise<boolean> => {
      if (!isKnown) throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
      const newSpec = (spec: ViewSpec): ViewSpec => changes.taskExpanded(spec, id);
      return this.change({ subscriptionId, requestId, newSpec });
    };
    const isKnown = changes.mayHaveTask(id);
    return isKnown instanceof Promise ? isKnown.then(open) : open(isKnown);
  }

  unsubscribe(subscriptionId: unknown): void {
    this.end(this.find(parseId(subscriptionId, 'subscriptionId')), 'unsubscribed');
  }

  /** The service stops: whoever is away finds another one. What is yet to be done is not done for them. */
  forgetAway(): void {
    for (const subscription of this.away.keys()) this.forget(subscription);
  }

  /** Ends all subscriptions: the service stops. */
  closeAll(reason: string): void {
    for (const subscription of this.held.values()) this.end(subscription, reason);
  }

  /**
   * The reader is to see another view, or its first one: that is made, and shown in parts.
   * @returns whether there is anything new to see; at once if it took but a turn to know
   */
  private switchTo(
    subscription: Subscription,
    view: ShownView,
    requestId: string | undefined,
    from?: ShownView,
  ): boolean | Promise<boolean> {
    const { graphs, views, clock, lastUpdated } = this.options;
    const leave = (): void => {
      if (subscription.view !== view) views.release(view);
      this.forget(subscription);
    };
    const refuse = (error: unknown): never => {
      // Who cannot see more goes on with what it sees.
      if (subscription.view === view) leave();
      else views.release(view);
      throw error;
    };
    const show = (made: readonly GraphUpdate[]): boolean => {
      const isAnything = subscription.show(made, requestId);
      this.bounds.boundHeld();
      return isAnything;
    };
    const switchNow = (): ReturnType<GraphMaker['switchTo']> =>
      graphs.switchTo(view, {
        from,
        timestamp: from ? () => toIso(epochMs(clock.now())) : lastUpdated,
        onStep: () => this.bounds.makeRoomFor(view, subscription),
        onFixed: () => {
          this.bounds.makeRoomFor(view, subscription);
          subscription.hold(view);
          if (from) views.release(from);
          this.followRecall(subscription, view);
        },
        isWanted: () => this.held.get(subscription.id) === subscription,
      });
    let parts: ReturnType<typeof switchNow>;
    try {
      parts = switchNow();
    } catch (error) {
      return refuse(error);
    }
    if (!(parts instanceof Promise)) return show(parts);
    const switching = parts
      .then((made) => {
        if (made) return show(made);
        leave();
        return false;
      }, refuse)
      .finally(() => this.switching.delete(subscription));
    this.switching.set(subscription, switching);
    return switching;
  }

  /** The reader has all when everything that its view asks for was read, and told to it. */
  private followRecall(subscription: Subscription, view: ShownView): void {
    const { recall } = this.options;
    if (!recall || recall.isSettled(view.spec)) return subscription.recalled();
    subscription.recalls();
    void this.completeAfter(recall.settled(view.spec), subscription, view);
  }

  private async completeAfter(
    recalled: Promise<void>,
    subscription: Subscription,
    view: ShownView,
  ): Promise<void> {
    await recalled;
    if (this.held.get(subscription.id) !== subscription || subscription.view !== view) return;
    this.options.bringUpToDate();
    this.options.views.refresh(view);
    subscription.recalled();
  }

  private resume(
    id: string,
    resumeFrom: number,
    request: ParsedRequest,
    sink: SubscriberSink,
    requestId: string | undefined,
  ): SubscriptionHandle {
    const subscription = this.held.get(id);
    // Of somebody who may read more, or less, is not known to who comes here.
    if (!subscription || subscription.view.spec.detail !== request.spec.detail) {
      this.options.metrics.snapshotsNeeded(1);
      sink.write({
        type: 'snapshotNeeded',
        ...(requestId !== undefined && { requestId }),
        subscriptionId: id,
        reason: 'this subscription is not known any more: subscribe again without its id',
      });
      return endedHandle(id);
    }
    this.noLongerAway(subscription);
    if (!subscription.resume(sink, resumeFrom, requestId)) {
      this.options.metrics.snapshotsNeeded(1);
      this.forget(subscription);
      return endedHandle(id);
    }
    if (request.namesView) {
      const begun = this.whenSwitched(subscription, () => {
        // As it is by then: what was asked for before is yet to be done.
        return this.switchView(subscription, withOpened(request.spec, subscription.view.spec), requestId);
      });
      if (begun instanceof Promise) return { ...this.handle(subscription, sink), begun };
    }
    return this.handle(subscription, sink);
  }

  private change(change: Change): boolean | Promise<boolean> {
    const subscription = this.find(parseId(change.subscriptionId, 'subscriptionId'));
    return this.whenSwitched(subscription, () => this.changeNow(subscription.id, change));
  }

  /** What a reader is to see is changed step by step. */
  private whenSwitched<T>(subscription: Subscription, act: () => T | Promise<T>): T | Promise<T> {
    const switching = this.switching.get(subscription);
    if (!switching) return act();
    const actThen = (): T | Promise<T> => this.whenSwitched(subscription, act);
    return switching.then(actThen, actThen);
  }

  private changeNow(id: string, { requestId, newSpec, target }: Change): boolean | Promise<boolean> {
    const subscription = this.find(id);
    this.options.bringUpToDate();
    this.options.views.refresh(subscription.view);
    // A lost reader may have missed too much with that.
    this.find(id);
    const { spec: before } = subscription.view;
    const spec = newSpec(before);
    const taskId = target === undefined ? undefined : this.options.changes.taskOf(target, before);
    return this.switchView(subscription, spec, requestId, taskId);
  }

  private switchView(
    subscription: Subscription,
    spec: ViewSpec,
    requestId: string | undefined,
    taskId?: string,
  ): boolean | Promise<boolean> {
    // It may have gone while it waited; its view is no longer its own then.
    if (this.held.get(subscription.id) !== subscription) return false;
    const before = subscription.view;
    const after = this.options.views.acquire(
      spec,
      taskId === undefined ? undefined : { view: before, taskId },
    );
    return this.switchTo(subscription, after, requestId, before);
  }

  private handle(subscription: Subscription, sink: SubscriberSink): SubscriptionHandle {
    // A connection that was replaced by a newer one must not end the subscription when it closes.
    const isCurrent = (): boolean => this.held.get(subscription.id) === subscription;
    return {
      subscriptionId: subscription.id,
      drained: () => {
        if (isCurrent() && subscription.isFor(sink)) subscription.drained();
      },
      isBehind: () => isCurrent() && subscription.isFor(sink) && subscription.isBehind,
      disconnected: () => {
        if (!isCurrent() || !subscription.isFor(sink)) return;
        subscription.disconnected();
        // Nobody knows of it yet.
        if (!subscription.hasBegun) {
          this.forget(subscription);
          return;
        }
        const { clock, resumeWindowSeconds } = this.options;
        this.noLongerAway(subscription);
        this.away.set(
          subscription,
          clock.after(resumeWindowSeconds * 1000, () => this.forget(subscription)),
        );
        this.bounds.boundLoneViews();
        this.bounds.boundHeld();
      },
    };
  }

  private find(id: string): Subscription {
    const subscription = this.held.get(id);
    if (!subscription) {
      throw new BoundaryError('NOT_FOUND', 'subscriptionId: no such subscription; subscribe to get one');
    }
    return subscription;
  }

  private end(subscription: Subscription, reason: string): void {
    this.forget(subscription);
    subscription.close(reason);
  }

  private forget(subscription: Subscription): void {
    this.noLongerAway(subscription);
    if (this.held.get(subscription.id) !== subscription) return;
    this.held.delete(subscription.id);
    this.options.views.release(subscription.view);
  }

  private noLongerAway(subscription: Subscription): void {
    this.away.get(subscription)?.cancel();
    this.away.delete(subscription);
  }
}

/** Of a reader who has to subscribe anew: its connection has nothing more to tell. */
function endedHandle(subscriptionId: string): SubscriptionHandle {
  return { subscriptionId, drained() {}, isBehind: () => false, disconnected() {} };
}
