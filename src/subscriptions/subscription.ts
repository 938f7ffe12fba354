import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/pace.ts';
import type { GraphUpdate } from '../model/node.ts';
import { byStartAndId } from '../model/node-order.ts';
import type { ArtifactsEvent, ServerFrame } from '../model/reader-messages.ts';
import { itemsOf, partsOf } from './cut-update.ts';
import { NO_CHANGE } from './graph-maker.ts';
import { PendingUpdate } from './merge-updates.ts';
import type { SubscriberSink } from './reader-api.ts';
import { byId } from './sorted-graph.ts';
import type { ShownView } from './shown-view.ts';

/**
 * Ids that may wait in the merged update of a slow reader. Beyond it a fresh snapshot is cheaper for both
 * sides than the update, and memory stays bounded whatever comes and goes meanwhile.
 */
export const MAX_PENDING_IDS = 20_000;
/** Updates that may wait for a reader who changes what it sees all the time and takes nothing: a million items. */
const MAX_WAITING = 2_000;

/** Events that wait for a reader who takes nothing, or is away: what they name is there without them, too. */
const MAX_EVENTS = 100;

const TOO_SLOW = 'too slow: too many changes were waiting';

export interface SubscriptionOptions {
  /** How many of the last updates are kept for a reader that comes back. */
  readonly maxQueuedUpdates: number;
  /** `MAX_PENDING_IDS` if absent. */
  readonly maxPendingIds?: number | undefined;
  /** Items of one update. */
  readonly partItems: number;
  /** How sending much is cut into turns. */
  readonly pace: Turns;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Told when an update was merged for want of room on the connection. */
  readonly onMerged: () => void;
}

/** An update that is yet to be sent. */
interface Waiting {
  readonly update: GraphUpdate;
  /** Are there further parts of it? */
  readonly isPartial: boolean;
  /** The request that it is the first to answer. */
  readonly requestId: string | undefined;
  /** Do other readers of the view have it, too? */
  readonly isShared: boolean;
}

type UpdateFrame = Extract<ServerFrame, { readonly type: 'update' }>;

/**
 * One reader: what it has yet to get, and its place in the stream. What it is to see, a first graph or the difference to
 * what it saw before, comes in parts, one after the other as the connection takes them. What changes meanwhile, or while the
 * connection can take no more, is merged into one update that comes after.
 */
export class Subscription {
  readonly id: string;
  view: ShownView;
  private sink: SubscriberSink | undefined;
  private readonly requestId: string | undefined;
  private readonly options: SubscriptionOptions;
  /** Was `subscribed` sent? */
  private isSubscribed = false;
  /**
   * - `opening`: its first view is being made.
   * - `held`: what it is to see is fixed; what changes comes after what `show` will be given.
   * - `following`: what changes is sent.
   */
  private phase: 'opening' | 'held' | 'following' = 'opening';
  private sequence = 0;
  /** The last updates sent, for a reader that comes back; at most `maxQueuedUpdates`. With the items that only they hold. */
  private recent: { readonly frame: UpdateFrame; readonly items: number }[] = [];
  private recentItems = 0;
  /** Of these what a reader that came back has yet to be sent again. */
  private missed: UpdateFrame[] = [];
  private waiting: Waiting[] = [];
  /** Items of these. */
  private waitingItems = 0;
  /** What comes after `waiting`. */
  private pending = new PendingUpdate();
  /** When the reader last took something, or what waits for it began to. */
  private tookAt = 0;
  /** The reader was sent a part that was not the last one. */
  private isPartial = false;
  /** What it asked for and left memory is not all there yet. */
  private isRecalling = false;
  /** Of the last update that was to be sent. */
  private timestamp = '';
  private isResting = false;
  private events: ArtifactsEvent[] = [];
  /** Why the reader must ask for a fresh graph; nothing else is sent from then on. */
  private broken: string | undefined;
  /** The requests to be answered with that; one without a name where there are none. Empty when that is done. */
  private unanswered: readonly (string | undefined)[] = [];

  /** @param requestId named in its first frame */
  constructor(
    id: string,
    view: ShownView,
    sink: SubscriberSink,
    requestId: string | undefined,
    options: SubscriptionOptions,
  ) {
    this.id = id;
    this.view = view;
    this.sink = sink;
    this.requestId = requestId;
    this.options = options;
  }

  /** Has the reader been told where it starts, or that it cannot? */
  get hasBegun(): boolean {
    return this.isSubscribed || this.broken !== undefined;
  }

  /** Over which it is sent what it sees. */
  get connection(): unknown {
    return this.sink?.connection ?? this.sink;
  }

  /** Is this the connection that the reader is on now? */
  isFor(sink: SubscriberSink): boolean {
    return this.sink === sink;
  }

  /** What it is to see is fixed: from now on it follows this view, but for what `show` brings. */
  hold(view: ShownView): void {
    // Of the view before.
    this.queuePending();
    this.view = view;
    this.phase = 'held';
  }

  /**
   * The reader is sent its first graph, or what is different in the view that it has now.
   * @returns whether that is anything
   */
  show(parts: readonly GraphUpdate[], requestId: string | undefined): boolean {
    this.phase = 'following';
    if (this.broken !== undefined) return false;
    const isTooMuch = this.isSubscribed && parts.length > 0 && this.waiting.length > MAX_WAITING;
    this.queue(parts, { requestId });
    if (isTooMuch) this.break(TOO_SLOW);
    else {
      if (!this.sink) this.keepForLater();
      this.sendAll();
      this.sayComplete();
    }
    return parts.length > 0;
  }

  /** What left memory and is part of what it is to see comes in updates: until `recalled` the reader does not have all. */
  recalls(): void {
    this.isRecalling = true;
  }

  /** Its view has all that left memory. */
  recalled(): void {
    this.isRecalling = false;
    this.sayComplete();
  }

  /** Something changed in its view. */
  send(parts: readonly GraphUpdate[]): void {
    if (this.broken !== undefined || this.phase === 'opening') return;
    if (!this.isBehind && this.sink?.writable === true) {
      this.queue(parts, { isShared: true });
      this.sendAll();
      return;
    }
    this.beginWaiting();
    for (const part of parts) this.pending.add(part);
    if (!this.sink) this.keepForLater();
    else if (this.isSubscribed) this.options.onMerged();
    if (this.pending.size > (this.options.maxPendingIds ?? MAX_PENDING_IDS)) this.break(TOO_SLOW);
  }

  /** Something happened in a task that it shows. It comes after what it saw of the task until now. */
  tell(event: ArtifactsEvent): void {
    this.events.push(event);
    if (this.events.length > MAX_EVENTS) this.events.shift();
    this.sendEvents();
  }

  private sendEvents(): void {
    if (!this.isSubscribed || this.isBehind || this.broken !== undefined) return;
    while (this.sink?.writable === true) {
      const event = this.events.shift();
      if (!event) return;
      this.sink.write({ type: 'event', subscriptionId: this.id, ...event });
    }
  }

  /** The connection can take more. */
  drained(): void {
    if (this.broken !== undefined) {
      if (this.sink?.writable === true) this.sayBroken(this.sink);
      // Hundreds may drain in one turn.
    } else if (this.canSend && this.options.pace.isOver) void this.goOnAfterRest();
    else this.sendAll();
  }

  /** Is there anything that the connection was not given yet? */
  get isBehind(): boolean {
    return this.isHeld || this.missed.length + this.waiting.length + this.pending.size > 0;
  }

  disconnected(): void {
    this.sink = undefined;
    this.missed = [];
    this.keepForLater();
  }

  /** Whether a reader without a connection can still get everything that it missed. */
  get canResume(): boolean {
    const isTooMuch = !this.isPartial && this.waiting.length > this.options.maxQueuedUpdates;
    return this.broken === undefined && !isTooMuch;
  }

  /** Nodes, edges and removals that it has yet to be sent, or was sent and may come back for. */
  get heldItems(): number {
    return this.unsentItems + this.recentItems;
  }

  private get isHeld(): boolean {
    return this.phase === 'held';
  }

  private get unsentItems(): number {
    return this.waitingItems + this.pending.size;
  }

  /** The one that took nothing for longest is the first, and of several the one for whom most is held. */
  static bySlowness(this: void, a: Subscription, b: Subscription): number {
    return a.tookAt - b.tookAt || b.heldItems - a.heldItems;
  }

  /** What it was sent is kept no longer: if it loses its connection, it has to begin anew. */
  forgetSent(): void {
    this.recent = [];
    this.recentItems = 0;
  }

  /** The reader has to begin anew: there is no room for what waits for it. */
  giveUp(): void {
    this.break(TOO_SLOW);
  }

  /**
   * A reader that came back is told so, and gets what it missed since `resumeFrom`.
   * @returns false when that is no longer known: it was told to ask for a fresh graph
   */
  resume(sink: SubscriberSink, resumeFrom: number, requestId: string | undefined): boolean {
    this.sink?.close('taken up again on another connection');
    this.disconnected();
    const missed = this.recent.map(({ frame }) => frame).filter(({ sequence }) => sequence > resumeFrom);
    if (!this.hasBegun) this.broken = 'its graph was not sent yet';
    else if (missed.length !== this.sequence - resumeFrom)
      this.broken ??= 'updates since then are no longer kept';
    this.sink = sink;
    if (this.broken !== undefined) {
      this.unanswered = [requestId];
      this.sayBroken(sink);
      return false;
    }
    sink.write({ type: 'resumed', ...named(requestId), subscriptionId: this.id, sequence: resumeFrom });
    this.missed = missed;
    this.sendAll();
    return true;
  }

  close(reason: string): void {
    this.sink?.close(reason);
    this.sink = undefined;
  }

  /** Sends what waits for as long as the connection takes it, in turns of the event loop. */
  private sendAll(): void {
    const { pace } = this.options;
    while (this.canSend && !this.isResting) {
      this.sendNext();
      if (this.canSend && pace.isOver) void this.goOnAfterRest();
    }
    if (this.events.length > 0) this.sendEvents();
  }

  private async goOnAfterRest(): Promise<void> {
    if (this.isResting) return;
    this.isResting = true;
    await this.options.pace.rest();
    this.isResting = false;
    this.sendAll();
  }

  private get canSend(): boolean {
    const isAnyPending = this.pending.size > 0 && !this.isHeld;
    const isAny = isAnyPending || this.missed.length + this.waiting.length > 0;
    return isAny && this.broken === undefined && this.sink?.writable === true;
  }

  private sendNext(): void {
    this.tookAt = this.options.clock.monotonic();
    const missed = this.missed.shift();
    if (missed) {
      this.sink?.write(missed);
      return;
    }
    if (this.waiting.length === 0) this.queuePending();
    const next = this.waiting.shift();
    if (!next) return;
    this.waitingItems -= itemsOf(next.update);
    // What changed meanwhile comes before it is said that the reader has all.
    const isMore = this.isPartial && this.waiting.length === 0 && this.pending.size > 0 && !this.isHeld;
    const wasPartial = this.isPartial;
    this.isPartial = next.isPartial || isMore || this.isRecalling;
    const partial = this.isPartial ? ({ partial: true } as const) : {};
    if (!this.isSubscribed) this.sendGraph(next, partial);
    else this.sendUpdate(next, wasPartial && !this.isPartial ? { complete: true } : partial);
  }

  private sendGraph({ update, requestId }: Waiting, place: { readonly partial?: true }): void {
    this.isSubscribed = true;
    const { addedNodes, addedEdges, timestamp, notices = [] } = update;
    this.sink?.write({
      type: 'subscribed',
      ...named(requestId),
      subscriptionId: this.id,
      sequence: this.sequence,
      ...place,
      graph: {
        nodes: addedNodes.toSorted(byStartAndId),
        edges: addedEdges.toSorted(byId),
        lastUpdated: timestamp,
        ...(notices.length > 0 && { notices }),
      },
    });
  }

  private sendUpdate(
    { update, requestId, isShared }: Waiting,
    place: { readonly partial?: true; readonly complete?: true },
  ): void {
    const frame: UpdateFrame = {
      type: 'update',
      ...named(requestId),
      subscriptionId: this.id,
      sequence: ++this.sequence,
      ...place,
      update,
    };
    const items = isShared ? 0 : itemsOf(update);
    this.recent.push({ frame, items });
    this.recentItems += items;
    if (this.recent.length > this.options.maxQueuedUpdates)
      this.recentItems -= this.recent.shift()?.items ?? 0;
    this.sink?.write(frame);
  }

  /** The reader waits for a last part, and nothing else is to come that could be it. */
  private sayComplete(): void {
    if (!this.isPartial || this.isRecalling || this.isHeld || this.broken !== undefined) return;
    if (this.waiting.length + this.pending.size > 0) return;
    this.queue([{ ...NO_CHANGE, timestamp: this.timestamp }]);
    this.sendAll();
  }

  private queue(
    parts: readonly GraphUpdate[],
    { requestId, isShared = false }: Partial<Pick<Waiting, 'requestId' | 'isShared'>> = {},
  ): void {
    this.beginWaiting();
    for (const [n, update] of parts.entries()) {
      this.timestamp = update.timestamp;
      this.waitingItems += itemsOf(update);
      this.waiting.push({
        update,
        isPartial: n < parts.length - 1,
        requestId: n === 0 ? requestId : undefined,
        isShared,
      });
    }
  }

  /** Before anything is added to what waits. */
  private beginWaiting(): void {
    if (this.unsentItems === 0) this.tookAt = this.options.clock.monotonic();
  }

  private queuePending(): void {
    const merged = this.pending.build();
    if (!merged) return;
    this.pending = new PendingUpdate();
    this.queue(atOnce(partsOf(merged, this.options.partItems, NEVER_OVER)));
  }

  /** While the reader is away each update is one for itself; but after parts that it has not all got, they go on merging. */
  private keepForLater(): void {
    if (!this.isPartial && !this.isHeld && this.isSubscribed) this.queuePending();
  }

  private break(reason: string): void {
    const requests = this.waiting.map(({ requestId }) => requestId).filter((id) => id !== undefined);
    const first = this.isSubscribed ? undefined : this.requestId;
    this.unanswered = requests.length > 0 ? requests : [first];
    this.broken = reason;
    this.waiting = [];
    this.waitingItems = 0;
    this.missed = [];
    this.forgetSent();
    this.pending = new PendingUpdate();
    if (this.sink?.writable === true) this.sayBroken(this.sink);
  }

  /** Once, to each request that nothing else answers. */
  private sayBroken(sink: SubscriberSink): void {
    const { broken: reason = '', unanswered } = this;
    this.unanswered = [];
    for (const requestId of unanswered)
      sink.write({ type: 'snapshotNeeded', ...named(requestId), subscriptionId: this.id, reason });
  }
}

function named(requestId: string | undefined): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}
