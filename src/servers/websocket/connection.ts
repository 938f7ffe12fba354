import type { WebSocket } from 'ws';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import type { ReaderApi, SubscriberSink, SubscriptionHandle } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { parseClientFrame } from './client-frame.ts';
import type { ClientFrame } from './client-frame.ts';
import { encodeError, encodeFrame, encodePong } from './encode-frame.ts';
import { TokenBucket } from './token-bucket.ts';

/** RFC 6455, 7.4.1. */
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_POLICY_VIOLATION = 1008;
/** A close frame carries 125 bytes, two of them the code. */
const MAX_REASON_BYTES = 123;
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
  readonly reader: ReaderApi;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: ConnectionLimits;
}

interface OpenSubscription {
  readonly handle: SubscriptionHandle;
  readonly sink: ConnectionSink;
}

/** One reader's WebSocket and the subscriptions opened on it. */
export class Connection {
  private readonly options: ConnectionOptions;
  private readonly subscriptions = new Map<unknown, OpenSubscription>();
  private readonly badFrames: TokenBucket;
  private writable = true;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.badFrames = new TokenBucket(BAD_FRAMES, BAD_FRAMES_REFILL_MS, options.clock);
    const { socket } = options;
    socket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    socket.on('close', () => this.disconnected());
    // ws closes the connection itself after it (bad UTF-8, too large a frame, a reset).
    socket.on('error', () => undefined);
  }

  /** Tells the reader why, and closes. */
  close(code: number, reason: string): void {
    this.options.socket.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
  }

  private receive(data: Buffer, isBinary: boolean): void {
    const parsed = isBinary
      ? { error: new BoundaryError('INVALID_ARGUMENT', 'frames are text, not binary') }
      : parseClientFrame(data.toString('utf8'));
    if ('error' in parsed) {
      this.refuse(parsed.error, parsed.requestId);
      return;
    }
    try {
      this.perform(parsed.frame);
    } catch (error) {
      this.refuse(error, parsed.frame.requestId);
    }
  }

  private perform(frame: ClientFrame): void {
    const { reader } = this.options;
    switch (frame.type) {
      case 'subscribe':
        return this.subscribe(frame.request, frame.requestId);
      case 'updateFilters':
        return reader.updateFilters(frame.subscriptionId, frame.filters);
      case 'expand':
        return reader.expand(frame.subscriptionId, frame.nodeId);
      case 'collapse':
        return reader.collapse(frame.subscriptionId, frame.nodeId);
      case 'expandTask':
        return reader.expandTask(frame.subscriptionId, frame.taskId);
      case 'unsubscribe':
        return this.unsubscribe(frame.subscriptionId);
      case 'prune':
        return void reader.prune(frame.olderThanMinutes);
      case 'ping':
        return this.send(encodePong(frame.requestId));
    }
  }

  private subscribe(request: unknown, requestId: string | undefined): void {
    const { maxSubscriptions } = this.options.limits;
    if (this.subscriptions.size >= maxSubscriptions) {
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `a connection holds at most ${maxSubscriptions} subscriptions; unsubscribe one first`,
      );
    }
    const sink = new ConnectionSink(this);
    const handle = this.takeUp(request, () => this.options.reader.subscribe(request, sink, requestId));
    const id = handle.subscriptionId;
    if (sink.ended) return;
    sink.onEnd = () => {
      if (this.subscriptions.get(id)?.sink === sink) this.subscriptions.delete(id);
    };
    this.subscriptions.set(id, { handle, sink });
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

  /** Used by the sinks. */
  get isWritable(): boolean {
    return this.writable && this.options.socket.readyState === this.options.socket.OPEN;
  }

  /** Used by the sinks, too. */
  send(text: string | Buffer): void {
    const { socket, limits } = this.options;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text, { binary: false }, () => this.flushed());
    if (this.writable && socket.bufferedAmount > limits.maxBufferedBytes) {
      this.writable = false;
      // Who doesn't read isn't read from: answers can't pile up either.
      socket.pause();
    }
  }

  private flushed(): void {
    const { socket, limits } = this.options;
    if (this.writable || socket.bufferedAmount > limits.maxBufferedBytes / 2) return;
    this.writable = true;
    socket.resume();
    for (const { handle } of this.subscriptions.values()) handle.drained();
  }

  private refuse(thrown: unknown, requestId: string | undefined): void {
    const error = BoundaryError.from(thrown);
    if (error.code === 'INTERNAL') {
      const cause = thrown instanceof BoundaryError ? thrown.cause : thrown;
      this.options.logger.error(
        { err: cause instanceof Error ? cause.name : typeof cause },
        'WebSocket frame failed',
      );
    }
    if (this.badFrames.take()) this.send(encodeError(error, requestId));
    else this.close(CLOSE_POLICY_VIOLATION, 'too many wrong frames');
  }

  private disconnected(): void {
    const open = [...this.subscriptions.values()];
    this.subscriptions.clear();
    for (const { handle } of open) handle.disconnected();
  }
}

/** One subscription's way out through its connection. */
class ConnectionSink implements SubscriberSink {
  private readonly connection: Connection;
  private subscriptionId: string | undefined;
  ended = false;
  silent = false;
  onEnd: () => void = () => undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get writable(): boolean {
    return !this.ended && this.connection.isWritable;
  }

  write(frame: ServerFrame): void {
    this.subscriptionId = frame.subscriptionId;
    if (!this.ended) this.connection.send(encodeFrame(frame));
  }

  close(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
    if (this.silent) return;
    this.connection.send(
      encodeError(new BoundaryError('UNAVAILABLE', reason), undefined, this.subscriptionId),
    );
  }
}

function truncateUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
