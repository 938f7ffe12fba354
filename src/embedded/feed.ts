import { BoundaryError } from '../base/boundary-error.ts';
import { fromNothing, type GraphUpdate } from '../model/node.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../subscriptions/reader-api.ts';

/** What one consumer gets of its view, one after the other. Consumers share it: it is not to be changed. */
export interface ViewUpdate extends GraphUpdate {
  /** The graph begins anew with this one, and what was held before goes: the first, and later ones that say so. */
  readonly snapshot?: true;
  /** More of the same comes in the next ones. */
  readonly partial?: true;
  /** The last of several parts: now the consumer has all. */
  readonly complete?: true;
}

export interface FeedListener {
  /** An update can be taken: said once for each, in a turn of its own of the event loop. */
  ready(): void;
  /** Nothing comes after what can still be taken. @param error absent when the service has stopped */
  ended(error: BoundaryError | undefined): void;
}

/**
 * One consumer within the process. It holds one update; what changes until that is taken is merged by the subscription,
 * as for every slow reader, and when that becomes too much the graph begins anew.
 */
export class Feed implements SubscriberSink {
  private readonly reader: ReaderApi;
  private readonly view: unknown;
  private readonly listener: FeedListener;
  private handle: SubscriptionHandle | undefined;
  private held: ViewUpdate | undefined;
  private isBeginning = false;
  private isStopping = false;
  private isEnded = false;

  /** @param view a ViewRequest, unchecked: what is wrong with it is told to the listener */
  constructor(reader: ReaderApi, view: unknown, listener: FeedListener) {
    this.reader = reader;
    this.view = view;
    this.listener = listener;
    this.begin();
  }

  get writable(): boolean {
    return this.held === undefined && !this.isEnded;
  }

  write(frame: ServerFrame): void {
    if (this.isEnded) return;
    // Not now: the service is in the middle of its work, and consumers may ask it for something.
    if (frame.type === 'snapshotNeeded') setImmediate(() => this.begin());
    const update = updateOf(frame);
    if (update === undefined) return;
    this.held = update;
    setImmediate(() => {
      if (this.held && !this.isEnded) this.listener.ready();
    });
  }

  close(reason: string): void {
    if (!this.isBeginning) this.end(new BoundaryError('UNAVAILABLE', reason));
  }

  /** The update that is there; the next one may come. */
  take(): ViewUpdate | undefined {
    const { held } = this;
    this.held = undefined;
    if (held && !this.isEnded) this.handle?.drained();
    if (this.isStopping) setImmediate(() => this.endWhenTold());
    return held;
  }

  /** The consumer wants no more. */
  cancel(): void {
    this.isEnded = true;
    this.held = undefined;
    this.leave();
  }

  /** The service has stopped: the feed ends when the consumer has taken what there is. */
  stop(): void {
    this.isStopping = true;
    this.endWhenTold();
  }

  private endWhenTold(): void {
    if (this.held === undefined && this.handle?.isBehind() !== true) this.end(undefined);
  }

  private begin(): void {
    if (this.isEnded) return;
    this.isBeginning = true;
    this.leave();
    try {
      this.handle = this.reader.subscribe(this.view, this);
      this.handle.begun?.catch((error: unknown) => this.end(BoundaryError.from(error)));
    } catch (error) {
      setImmediate(() => this.end(BoundaryError.from(error)));
    }
    this.isBeginning = false;
  }

  private leave(): void {
    const { handle } = this;
    this.handle = undefined;
    if (!handle) return;
    try {
      this.reader.unsubscribe(handle.subscriptionId);
    } catch {
      // It is not there any more.
    }
  }

  private end(error: BoundaryError | undefined): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.listener.ended(error);
  }
}

function updateOf(frame: ServerFrame): ViewUpdate | undefined {
  switch (frame.type) {
    case 'subscribed': {
      const partial = frame.partial && { partial: true as const };
      return { snapshot: true, ...partial, ...fromNothing(frame.graph) };
    }
    case 'event':
      return undefined;
    case 'update': {
      const { partial, complete, update } = frame;
      if (partial) return { ...update, partial };
      return complete ? { ...update, complete } : update;
    }
    case 'resumed':
    case 'snapshotNeeded':
      return undefined;
  }
}
