import type { WebSocket } from 'ws';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { encodeFrame } from './encode-frame.ts';

export interface OutboxOptions {
  readonly socket: WebSocket;
  /** Bytes not yet taken by the network, above which nothing should be added. */
  readonly maxBufferedBytes: number;
  /** More can be taken again. */
  readonly onDrained: () => void;
}

/** What a reader is sent, in order. */
export class Outbox {
  private readonly options: OutboxOptions;
  /** The reader has more to take than should wait for it. */
  private held = false;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  get isWritable(): boolean {
    return !this.held && this.isOpen;
  }

  send(frame: string | ServerFrame): void {
    if (!this.isOpen) return;
    const { socket, maxBufferedBytes } = this.options;
    socket.send(typeof frame === 'string' ? frame : encodeFrame(frame), { binary: false }, () =>
      this.flushed(),
    );
    if (socket.bufferedAmount <= maxBufferedBytes) return;
    this.held = true;
    // Who doesn't read isn't read from: answers can't pile up either.
    socket.pause();
  }

  private flushed(): void {
    const { socket, maxBufferedBytes, onDrained } = this.options;
    if (!this.held || socket.bufferedAmount > maxBufferedBytes / 2) return;
    this.held = false;
    onDrained();
  }

  private get isOpen(): boolean {
    return this.options.socket.readyState === this.options.socket.OPEN;
  }
}
