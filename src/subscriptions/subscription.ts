import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import { PendingUpdate } from './merge-updates.ts';
import type { SubscriberSink } from './reader-api.ts';
import type { View } from './view.ts';

/**
 * Ids that may wait in the merged update of a slow reader. Beyond it a fresh snapshot is cheaper for both
 * sides than the update, and memory stays bounded whatever comes and goes meanwhile.
 */
const MAX_PENDING_IDS = 20_000;

export interface SubscriptionOptions {
  /** How many of the last updates are kept for a reader that comes back. */
  readonly maxQueuedUpdates: number;
  /** `MAX_PENDING_IDS` if absent. */
  readonly maxPendingIds?: number | undefined;
  /** Told when an update was merged for want of room on the connection. */
  readonly onMerged: () => void;
}

interface NumberedUpdate {
  readonly sequence: number;
  readonly update: GraphUpdate;
}

/**
 * One reader: its place in the stream and what it has yet to get. First comes its graph, which is made meanwhile; what
 * changes from then on is sent at once, or, while the connection can take no more, merged into one update. Disconnected,
 * updates are kept by number.
 */
export class Subscription {
  readonly id: string;
  view: View;
  private sink: SubscriberSink | undefined;
  private readonly requestId: string | undefined;
  /** `waiting` until what the reader is to see is fixed, then `following` it until that is sent. */
  private start: 'waiting' | 'following' | 'sent' = 'waiting';
  private graph: ExplanationGraph | undefined;
  private sequence = 0;
  /** The last updates by number, for a reader that comes back; at most `maxQueuedUpdates`. */
  private readonly recent: NumberedUpdate[] = [];
  private pending = new PendingUpdate();
  /** Why the reader must ask for a fresh graph; nothing else is sent from then on. */
  private broken: string | undefined;
  private readonly options: SubscriptionOptions;

  /** @param requestId named when it begins */
  constructor(
    id: string,
    view: View,
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
    return this.start === 'sent' || this.broken !== undefined;
  }

  /** Is it fixed what the graph is that it begins with? Until then there is nothing to change. */
  get isFixed(): boolean {
    return this.start !== 'waiting';
  }

  /** Is this the connection that the reader is on now? */
  isFor(sink: SubscriberSink): boolean {
    return this.sink === sink;
  }

  /** From now on what changes comes after the graph that it will get. */
  follow(): void {
    this.start = 'following';
  }

  /** The graph is there: sent as the first frame, as soon as the connection takes it. */
  begin(graph: ExplanationGraph): void {
    if (this.broken !== undefined) return;
    this.graph = graph;
    this.drained();
  }

  send(update: GraphUpdate): void {
    if (this.broken !== undefined || this.start === 'waiting') return;
    if (this.start === 'sent' && this.sink?.writable !== false) {
      this.number(update);
      return;
    }
    this.pending.add(update);
    if (this.start === 'sent') this.options.onMerged();
    if (this.pending.size > (this.options.maxPendingIds ?? MAX_PENDING_IDS))
      this.break('too slow: too many changes were waiting');
  }

  /** The connection can take more. */
  drained(): void {
    if (this.sink?.writable !== true) return;
    if (this.broken !== undefined) this.sayBroken(this.sink);
    if (this.graph) this.sendGraph(this.sink, this.graph);
    if (this.start === 'sent' && this.sink.writable) this.numberPending();
  }

  disconnected(): void {
    this.sink = undefined;
    this.numberPending();
  }

  /**
   * A reader that came back gets what it missed since `resumeFrom`.
   * @returns false when that is no longer known: it was told to ask for a fresh graph
   */
  resume(sink: SubscriberSink, resumeFrom: number, requestId: string | undefined): boolean {
    this.sink?.close('taken up again on another connection');
    if (!this.hasBegun) this.broken = 'its graph was not sent yet';
    this.disconnected();
    const missed = this.sequence - resumeFrom;
    const kept = this.recent.filter((entry) => entry.sequence > resumeFrom);
    if (this.broken === undefined && (missed < 0 || kept.length !== missed)) {
      this.broken = 'updates since then are no longer kept';
    }
    this.sink = sink;
    if (this.broken !== undefined) {
      this.sayBroken(sink, requestId);
      return false;
    }
    for (const entry of kept) this.write(sink, entry);
    return true;
  }

  close(reason: string): void {
    this.sink?.close(reason);
    this.sink = undefined;
  }

  private sendGraph(sink: SubscriberSink, graph: ExplanationGraph): void {
    this.graph = undefined;
    this.start = 'sent';
    sink.write({
      type: 'subscribed',
      ...(this.requestId !== undefined && { requestId: this.requestId }),
      subscriptionId: this.id,
      sequence: this.sequence,
      graph,
    });
  }

  private break(reason: string): void {
    this.broken = reason;
    this.graph = undefined;
    this.pending = new PendingUpdate();
    this.recent.length = 0;
    if (this.sink?.writable === true) this.sayBroken(this.sink);
  }

  private sayBroken(
    sink: SubscriberSink,
    requestId = this.start === 'sent' ? undefined : this.requestId,
  ): void {
    sink.write({
      type: 'snapshotNeeded',
      ...(requestId !== undefined && { requestId }),
      subscriptionId: this.id,
      reason: this.broken ?? '',
    });
  }

  private numberPending(): void {
    const merged = this.pending.build();
    if (!merged) return;
    this.pending = new PendingUpdate();
    this.number(merged);
  }

  private number(update: GraphUpdate): void {
    const entry = { sequence: ++this.sequence, update };
    this.recent.push(entry);
    if (this.recent.length > this.options.maxQueuedUpdates) this.recent.shift();
    if (this.sink) this.write(this.sink, entry);
  }

  private write(sink: SubscriberSink, entry: NumberedUpdate): void {
    sink.write({ type: 'update', subscriptionId: this.id, ...entry });
  }
}
