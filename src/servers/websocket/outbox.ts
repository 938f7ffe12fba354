import type { WebSocket } from 'ws';
import type { Pace } from '../../base/pace.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { jsonPieces } from '../json-pieces.ts';
import { isLargeFrame } from '../large.ts';
import { encodeFrame } from './encode-frame.ts';

export interface OutboxOptions {
  readonly socket: WebSocket;
  readonly pace: Pace;
  /** Bytes not yet taken by the network, above which nothing should be added. */
  readonly maxBufferedBytes: number;
  /** More can be taken again. */
  readonly onDrained: () => void;
}

/**
 * What a reader is sent, in order. A large frame is one message in fragments (RFC 6455, 5.4), each made when the one before
 * is sent and the network has room, in turns of the event loop: it never waits in memory as a whole, nor holds up others.
 */
export class Outbox {
  private readonly options: OutboxOptions;
  /** The reader has more to take than should wait for it. */
  private held = false;
  private streaming = false;
  /** What comes behind a message of which only a part is sent: answers, and endings of subscriptions. */
  private readonly behind: (string | ServerFrame)[] = [];
  private wake: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** A message is being sent in fragments. */
  get isStreaming(): boolean {
    return this.streaming;
  }

  get isWritable(): boolean {
    return !this.held && this.isOpen;
  }

  send(frame: string | ServerFrame): void {
    if (!this.isOpen) return;
    if (this.streaming) this.behind.push(frame);
    else if (typeof frame !== 'string' && isLargeFrame(frame)) void this.stream(frame);
    else this.transmit(typeof frame === 'string' ? frame : encodeFrame(frame));
  }

  /** The connection is gone. */
  end(): void {
    this.behind.length = 0;
    this.wake();
  }

  private async stream(frame: ServerFrame): Promise<void> {
    const { pace, socket, maxBufferedBytes } = this.options;
    this.streaming = true;
    this.hold();
    const pieces = jsonPieces(frame);
    for (let next = pieces.next(); next.done !== true;) {
      const piece = next.value;
      if (pace.isOver) await pace.rest();
      if (socket.bufferedAmount > maxBufferedBytes)
        await new Promise<void>((resolve) => (this.wake = resolve));
      if (!this.isOpen) break;
      next = pieces.next();
      this.transmit(piece, next.done === true);
    }
    this.streaming = false;
    for (let next = this.behind.shift(); next !== undefined; next = this.behind.shift()) {
      this.send(next);
      if (this.streaming) return;
    }
  }

  private transmit(data: string | Buffer, fin = true): void {
    const { socket, maxBufferedBytes } = this.options;
    socket.send(data, { binary: false, fin }, () => this.flushed());
    if (socket.bufferedAmount > maxBufferedBytes) this.hold();
  }

  /** Who doesn't read isn't read from: answers can't pile up either. */
  private hold(): void {
    this.held = true;
    this.options.socket.pause();
  }

  private flushed(): void {
    const { socket, maxBufferedBytes, onDrained } = this.options;
    if (socket.bufferedAmount > maxBufferedBytes / 2) return;
    if (this.streaming) {
      this.wake();
      return;
    }
    if (!this.held) return;
    this.held = false;
    onDrained();
  }

  private get isOpen(): boolean {
    return this.options.socket.readyState === this.options.socket.OPEN;
  }
}
