import type { ServerWritableStream } from '@grpc/grpc-js';
import { GRPC_STATUS } from '../../base/boundary-error.ts';
import { inTurns } from '../../base/in-turns.ts';
import type { Pace } from '../../base/pace.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import type { SubscriberSink, SubscriptionHandle } from '../../subscriptions/reader-api.ts';
import { isLargeFrame } from '../large.ts';
import { encodeFrame } from './encode-frame.ts';
import { encodeLargeFrame } from './encode-large.ts';

/** One subscription's way out through its server stream. */
export class SubscriberStream implements SubscriberSink {
  private readonly call: ServerWritableStream<unknown, Buffer>;
  private readonly maxBufferedBytes: number;
  private handle: SubscriptionHandle | undefined;
  private bufferedBytes = 0;
  private blocked = false;
  private ended = false;
  /** A large frame is being encoded; those behind it wait. */
  private isEncoding = false;
  private readonly behind: ServerFrame[] = [];
  private readonly pace: Pace;

  /**
   * @param maxBufferedBytes not yet taken by the network, above which updates wait and merge
   * @param pace how large frames are cut into turns
   */
  constructor(call: ServerWritableStream<unknown, Buffer>, maxBufferedBytes: number, pace: Pace) {
    this.call = call;
    this.maxBufferedBytes = maxBufferedBytes;
    this.pace = pace;
    call.on('cancelled', () => this.disconnected());
    // The HTTP/2 stream was reset under a pending write; 'cancelled' follows.
    call.on('error', () => undefined);
  }

  attach(handle: SubscriptionHandle): void {
    this.handle = handle;
    if (this.call.cancelled) this.disconnected();
  }

  get writable(): boolean {
    return !this.ended && !this.blocked && !this.isEncoding;
  }

  write(frame: ServerFrame): void {
    if (this.ended) return;
    if (this.isEncoding) this.behind.push(frame);
    else if (isLargeFrame(frame)) void this.encodeInTurns(frame);
    else this.transmit(encodeFrame(frame));
  }

  private async encodeInTurns(frame: ServerFrame): Promise<void> {
    const { pace } = this;
    this.isEncoding = true;
    const work = encodeLargeFrame(frame, () => pace.isOver);
    const bytes = await inTurns(work, pace, () => !this.ended);
    this.isEncoding = false;
    if (bytes === undefined || this.ended) return;
    this.transmit(bytes);
    while (!this.isEncoding) {
      const next = this.behind.shift();
      if (!next) break;
      this.write(next);
    }
    if (this.writable) this.handle?.drained();
  }

  private transmit(bytes: Buffer): void {
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
    if (this.writable) this.handle?.drained();
  }

  private disconnected(): void {
    if (this.ended) return;
    this.ended = true;
    this.handle?.disconnected();
  }
}
