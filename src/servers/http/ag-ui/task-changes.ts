import { BoundaryError } from '../../../base/boundary-error.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { fromNothing, type GraphUpdate } from '../../../model/node.ts';
import type { ServerFrame } from '../../../model/reader-messages.ts';
import { wholeNodes } from '../../../model/told-node.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../../subscriptions/reader-api.ts';

/** A change of a task's graph; the first ones are what is there already. */
export interface TaskChange {
  readonly update: GraphUpdate;
  /** More of it comes. */
  readonly isPart: boolean;
}

/**
 * The graph of one task, with what left memory and nothing folded, as changes that are taken one after the other. What
 * comes while nobody takes any is merged by the subscription.
 */
export class TaskChanges implements SubscriberSink {
  private readonly reader: ReaderApi;
  private readonly clock: Clock;
  private readonly handle: SubscriptionHandle;
  private readonly frames: ServerFrame[] = [];
  private wake: () => void = () => undefined;
  private failure: BoundaryError | undefined;
  private isEnded = false;

  /** @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  constructor(reader: ReaderApi, clock: Clock, taskId: string) {
    this.reader = reader;
    this.clock = clock;
    this.handle = reader.subscribe({ filters: { taskIds: [taskId] }, collapse: 'none' }, this);
    this.handle.begun?.catch((error: unknown) => this.fail(BoundaryError.from(error)));
  }

  get writable(): boolean {
    return !this.isEnded && this.frames.length === 0;
  }

  write(frame: ServerFrame): void {
    this.frames.push(frame);
    this.wake();
  }

  close(reason: string): void {
    if (!this.isEnded) this.fail(new BoundaryError('UNAVAILABLE', reason));
  }

  /**
   * @param waitMs how long something may stay away; however long if absent
   * @returns undefined when nothing came for so long, or it was ended
   * @throws BoundaryError UNAVAILABLE, RESOURCE_EXHAUSTED: no more can come
   */
  async next(waitMs?: number): Promise<TaskChange | undefined> {
    await this.untilAny(waitMs);
    const frame = this.frames.shift();
    if (frame === undefined) {
      if (this.failure) throw this.failure;
      return undefined;
    }
    this.handle.drained();
    return changeOf(frame);
  }

  /** Nothing more is wanted: who waits is woken. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.frames.length = 0;
    this.reader.unsubscribe(this.handle.subscriptionId);
    this.wake();
  }

  private fail(error: BoundaryError): void {
    this.failure ??= error;
    this.wake();
  }

  private async untilAny(waitMs: number | undefined): Promise<void> {
    if (this.frames.length > 0 || this.failure || this.isEnded) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (waitMs !== undefined) timer = this.clock.after(waitMs, resolve);
    });
    timer?.cancel();
  }
}

const NO_CHANGE = fromNothing({ nodes: [], edges: [], lastUpdated: '' });

/** @throws BoundaryError UNAVAILABLE when the reader was too slow */
function changeOf(frame: ServerFrame): TaskChange {
  switch (frame.type) {
    case 'subscribed':
      return { update: withWholeNodes(fromNothing(frame.graph)), isPart: frame.partial === true };
    case 'event':
      return { update: NO_CHANGE, isPart: false };
    case 'update':
      return { update: withWholeNodes(frame.update), isPart: frame.partial === true };
    case 'resumed':
    case 'snapshotNeeded':
      throw new BoundaryError('UNAVAILABLE', 'more changed than was read: ask for the run again');
  }
}

/** Those of a gateway are as its cells told them, and events are made of their fields. */
function withWholeNodes(update: GraphUpdate): GraphUpdate {
  return { ...update, addedNodes: wholeNodes(update.addedNodes) };
}
