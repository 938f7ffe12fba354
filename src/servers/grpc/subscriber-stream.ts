import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Principal } from '../../access/principal.ts';
import { GRPC_STATUS } from '../../base/boundary-error.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import type { SubscriberSink, SubscriptionHandle } from '../../subscriptions/reader-api.ts';
import { encodeFrame } from './encode-frame.ts';

/** One subscription's way out through its server stream. */
export class SubscriberStream implements SubscriberSink {
  private readonly call: ServerWritableStream<unknown, Buffer>;
  private readonly maxBufferedBytes: number;
  /** Whose subscription it is. */
  readonly caller: Principal;
  private handle: SubscriptionHandle | undefined;
  private bufferedBytes = 0;
  private blocked = false;
  private ended = false;

  /** @param maxBufferedBytes not yet taken by the network, above which updates wait and merge */
  constructor(call: ServerWritableStream<unknown, Buffer>, caller: Principal, maxBufferedBytes: number) {
    this.call = call;
    this.caller = caller;
    this.maxBufferedBytes = maxBufferedBytes;
    call.on('cancelled', () => this.disconnected());
    // The HTTP/2 stream was reset under a pending write; 'cancelled' follows.
    call.on('error', () => undefined);
  }

  attach(handle: SubscriptionHandle): void {
    this.handle = handle;
    if (this.call.cancelled) this.disconnected();
  }

  get connection(): unknown {
    return this.call.getPeer();
  }

  get writable(): boolean {
    return !this.ended && !this.blocked;
  }

  write(frame: ServerFrame): void {
    if (this.ended) return;
    const bytes = encodeFrame(frame);
    this.bufferedBytes += bytes.length;
    if (this.bufferedBytes > this.maxBufferedBytes) this.blocked = true;
    this.call.write(bytes, () => this.written(bytes.length));
  }

  close(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.call.emit('error', { code: GRPC_STATUS.UNAVAILABLE, details: reason });
  }

  /** Ends with OK: the reader asked for it. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.call.end();
  }

  private written(bytes: number): void {
    this.bufferedBytes -= bytes;
    if (!this.blocked || this.bufferedBytes > this.maxBufferedBytes / 2) return;
    this.blocked = false;
    this.handle?.drained();
  }

  private disconnected(): void {
    if (this.ended) return;
    this.ended = true;
    this.handle?.disconnected();
  }
}
