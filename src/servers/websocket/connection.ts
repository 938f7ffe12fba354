import type { WebSocket } from 'ws';
import type { Limits } from '../../access/limits.ts';
import { demand, type Principal } from '../../access/principal.ts';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import type { Space } from '../space.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { closeWith, CLOSE_POLICY_VIOLATION } from './close-codes.ts';
import { parseClientFrame, VERB_NEEDS, type ClientFrame } from './client-frame.ts';
import { encodeError, encodeOk, encodePong } from './encode-frame.ts';
import { Outbox } from './outbox.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { errorName } from '../../telemetry/safe-error.ts';

/** Wrong frames at once, and the time in which as many are forgiven. */
const BAD_FRAMES = 100;
const BAD_FRAMES_REFILL_MS = 10_000;

export interface ConnectionLimits {
  /** Bytes not yet taken by the network, above which updates wait and merge. */
  readonly maxBufferedBytes: number;
  readonly maxSubscriptions: number;
}

export interface ConnectionOptions {
  readonly socket: WebSocket;
  readonly principal: Principal;
  readonly perKey: Limits;
  readonly reader: ReaderApi;
  readonly pruned: Space['pruned'];
  /** Told of a verb that may not be used. */
  /** @param wasLetIn and what was to change something failed */
  readonly refused: (way: string, error: BoundaryError, wasLetIn?: boolean) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: ConnectionLimits;
}

interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** What an `ok` says beside its requestId; undefined where the request is answered otherwise. */
type Ok = object | undefined;

interface OpenSubscription {
  readonly handle: SubscriptionHandle;
  readonly sink: ConnectionSink;
}

/** One reader's WebSocket and the subscriptions opened on it. */
export class Connection {
  private readonly options: ConnectionOptions;
  private readonly subscriptions = new Map<unknown, OpenSubscription>();
  private readonly badFrames: TokenBucket;
  private readonly outbox: Outbox;
  /** A frame is being carried out; those behind it wait. */
  private isBusy = false;
  private readonly later: Frame[] = [];

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.badFrames = new TokenBucket(BAD_FRAMES, BAD_FRAMES_REFILL_MS, options.clock);
    const { socket, limits } = options;
    const { maxBufferedBytes } = limits;
    this.outbox = new Outbox({ socket, maxBufferedBytes, onDrained: () => this.drained() });
    socket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    socket.on('close', () => this.disconnected());
    // ws closes the connection itself after it (bad UTF-8, too large a frame, a reset).
    socket.on('error', () => undefined);
  }

  /** Tells the reader why, and closes. */
  close(code: number, reason: string): void {
    closeWith(this.options.socket, code, reason);
  }

  /** One frame after the other, as a reader has the right to expect. */
  private receive(data: Buffer, isBinary: boolean): void {
    if (this.isBusy) this.later.push({ data, isBinary });
    else this.handle(data, isBinary);
  }

  private handle(data: Buffer, isBinary: boolean): void {
    const parsed = isBinary
      ? { error: invalid('frames are text, not binary') }
      : parseClientFrame(data.toString('utf8'));
    if ('error' in parsed) {
      this.refuse(parsed.error, parsed.requestId);
      return;
    }
    const { requestId } = parsed.frame;
    const refuse = (error: unknown): void => this.refuse(error, requestId);
    const acknowledge = (ok: Ok): void => {
      if (ok && requestId !== undefined) this.send(encodeOk(requestId, ok));
    };
    try {
      const done = this.perform(parsed.frame);
      if (done instanceof Promise) void this.waitFor(done.then(acknowledge).catch(refuse));
      else acknowledge(done);
    } catch (error) {
      refuse(error);
    }
  }

  /** Nothing more is read meanwhile, so that what waits is only what was on its way. */
  private async waitFor(under: Promise<void>): Promise<void> {
    this.isBusy = true;
    this.options.socket.pause();
    await under;
    this.isBusy = false;
    this.goOn();
  }

  private goOn(): void {
    while (!this.isBusy) {
      const next = this.later.shift();
      if (!next) break;
      this.handle(next.data, next.isBinary);
    }
    if (!this.isBusy && this.outbox.isWritable) this.options.socket.resume();
  }

  private perform(frame: ClientFrame): Ok | Promise<Ok> {
    const { reader, principal, perKey } = this.options;
    const { requestId } = frame;
    this.demand(frame.type);
    perKey.admit(principal);
    switch (frame.type) {
      case 'subscribe':
        return this.subscribe(frame.request, requestId);
      case 'updateFilters':
        return unlessTold(frame, reader.updateFilters(frame.subscriptionId, frame.filters, requestId));
      case 'expand':
        return unlessTold(frame, reader.expand(frame.subscriptionId, frame.nodeId, requestId));
      case 'collapse':
        return unlessTold(frame, reader.collapse(frame.subscriptionId, frame.nodeId, requestId));
      case 'expandTask':
        return unlessTold(frame, reader.expandTask(frame.subscriptionId, frame.taskId, requestId));
      case 'unsubscribe':
        this.unsubscribe(frame.subscriptionId);
        return { subscriptionId: frame.subscriptionId };
      case 'prune':
        return reader.prune(frame.olderThanMinutes).then(
          ({ prunedNodes }) => {
            this.options.pruned?.(principal, prunedNodes);
            return { pruned: prunedNodes };
          },
          (error: unknown) => {
            this.options.refused('WebSocket prune', BoundaryError.from(error), true);
            throw error;
          },
        );
      case 'ping':
        this.send(encodePong(requestId));
        return undefined;
    }
  }

  private demand(verb: ClientFrame['type']): void {
    const { principal, refused } = this.options;
    try {
      demand(principal, VERB_NEEDS[verb]);
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      refused(`WebSocket ${verb}`, error);
      throw error;
    }
  }

  private subscribe(request: unknown, requestId: string | undefined): undefined | Promise<undefined> {
    const { maxSubscriptions } = this.options.limits;
    if (this.subscriptions.size >= maxSubscriptions) {
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `a connection holds at most ${maxSubscriptions} subscriptions; unsubscribe one first`,
      );
    }
    const sink = new ConnectionSink(this.outbox);
    const handle = this.takeUp(request, () => this.options.reader.subscribe(request, sink, requestId));
    const id = handle.subscriptionId;
    if (sink.ended) return undefined;
    sink.onEnd = () => {
      if (this.subscriptions.get(id)?.sink === sink) this.subscriptions.delete(id);
    };
    this.subscriptions.set(id, { handle, sink });
    return handle.begun?.then(
      () => undefined,
      (error: unknown) => {
        sink.onEnd();
        throw error;
      },
    );
  }

  /** A subscription taken up on the connection that has it goes on: its former sink ends without a word. */
  private takeUp(request: unknown, subscribe: () => SubscriptionHandle): SubscriptionHandle {
    const id: unknown = Object(request).subscriptionId;
    return this.silently(id, subscribe);
  }

  /** What the reader asked for ends without a word. */
  private unsubscribe(subscriptionId: unknown): void {
    this.silently(subscriptionId, () => this.options.reader.unsubscribe(subscriptionId));
    this.subscriptions.delete(subscriptionId);
  }

  /** Does something that may end a subscription of this connection, of which its reader is not told. */
  private silently<T>(subscriptionId: unknown, act: () => T): T {
    const sink = this.subscriptions.get(subscriptionId)?.sink;
    if (sink === undefined) return act();
    sink.silent = true;
    try {
      return act();
    } finally {
      sink.silent = false;
    }
  }

  private send(text: string): void {
    this.outbox.send(text);
  }

  /** The reader can take more: first the answers to what it asked, then what is new. */
  private drained(): void {
    this.goOn();
    for (const { handle } of this.subscriptions.values()) handle.drained();
  }

  private refuse(thrown: unknown, requestId: string | undefined): void {
    const error = BoundaryError.from(thrown);
    if (error.code === 'INTERNAL')
      this.options.logger.error({ err: errorName(thrown) }, 'WebSocket frame failed');
    if (this.badFrames.take()) this.send(encodeError(error, requestId));
    else this.close(CLOSE_POLICY_VIOLATION, 'too many wrong frames');
  }

  private disconnected(): void {
    const open = [...this.subscriptions.values()];
    this.subscriptions.clear();
    for (const { handle } of open) handle.disconnected();
  }
}

/** @param isTold whether an update answers the request */
function unlessTold({ subscriptionId }: ClientFrame, isTold: boolean | Promise<boolean>): Ok | Promise<Ok> {
  const ok = (told: boolean): Ok => (told ? undefined : { subscriptionId });
  return isTold instanceof Promise ? isTold.then(ok) : ok(isTold);
}

/** One subscription's way out through its connection. */
class ConnectionSink implements SubscriberSink {
  private readonly outbox: Outbox;
  private subscriptionId: string | undefined;
  ended = false;
  silent = false;
  onEnd: () => void = () => undefined;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  get connection(): unknown {
    return this.outbox;
  }

  get writable(): boolean {
    return !this.ended && this.outbox.isWritable;
  }

  write(frame: ServerFrame): void {
    this.subscriptionId = frame.subscriptionId;
    if (!this.ended) this.outbox.send(frame);
  }

  close(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
    if (this.silent) return;
    this.outbox.send(encodeError(new BoundaryError('UNAVAILABLE', reason), undefined, this.subscriptionId));
  }
}
