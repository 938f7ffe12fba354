import type { GraphUpdate } from '../model/node.ts';
import { PendingUpdate } from './merge-updates.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { SubscriberSink } from './reader-api.ts';
import type { View } from './view.ts';

/**
 * Ids that may wait in the merged update of a slow reader. Beyond it a fresh snapshot is cheaper for both
 * sides than the update, and memory stays bounded whatever comes and goes meanwhile.
 */
const MAX_PENDING_IDS = 20_000;

interface NumberedUpdate {
  readonly sequence: number;
  readonly update: GraphUpdate;
}

/**
 * One reader: its place in the stream and what it has yet to get. Connected and writable, it is sent each
 * update at once; writable no more, updates merge into one; disconnected, they are kept by number.
 */
export class Subscription {
  readonly id: string;
  view: View;
  private sink: SubscriberSink | undefined;
  private sequence = 0;
  /** The last updates by number, for a reader that comes back; at most `maxQueued`. */
  private readonly recent: NumberedUpdate[] = [];
  private pending = new PendingUpdate();
  /** Why the reader must ask for a fresh graph; nothing else is sent from then on. */
  private broken: string | undefined;
  private readonly maxQueued: number;
  private readonly onMerged: () => void;

  /** @param onMerged told when an update was merged for want of room on the connection */
  constructor(id: string, view: View, sink: SubscriberSink, maxQueued: number, onMerged: () => void) {
    this.id = id;
    this.view = view;
    this.sink = sink;
    this.maxQueued = maxQueued;
    this.onMerged = onMerged;
  }

  /** Is this the connection that the reader is on now? */
  isFor(sink: SubscriberSink): boolean {
    return this.sink === sink;
  }

  /** The first frame: where the reader starts. */
  sendSnapshot(
    graph: Extract<ServerFrame, { type: 'subscribed' }>['graph'],
    requestId: string | undefined,
  ): void {
    this.sink?.write({
      type: 'subscribed',
      ...(requestId !== undefined && { requestId }),
      subscriptionId: this.id,
      sequence: this.sequence,
      graph,
    });
  }

  send(update: GraphUpdate): void {
    if (this.broken !== undefined) return;
    if (this.sink?.writable === false) {
      this.pending.add(update);
      this.onMerged();
      if (this.pending.size > MAX_PENDING_IDS) this.break('too slow: too many changes were waiting');
      return;
    }
    this.number(update);
  }

  /** The connection can take more. */
  drained(): void {
    if (this.sink?.writable !== true) return;
    if (this.broken !== undefined) this.sayBroken(this.sink);
    this.numberPending();
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

  private break(reason: string): void {
    this.broken = reason;
    this.pending = new PendingUpdate();
    this.recent.length = 0;
    if (this.sink?.writable === true) this.sayBroken(this.sink);
  }

  private sayBroken(sink: SubscriberSink, requestId?: string): void {
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
    if (this.recent.length > this.maxQueued) this.recent.shift();
    if (this.sink) this.write(this.sink, entry);
  }

  private write(sink: SubscriberSink, entry: NumberedUpdate): void {
    sink.write({ type: 'update', subscriptionId: this.id, ...entry });
  }
}
