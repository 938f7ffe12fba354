import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Clock, Timer } from '../base/clock.ts';

/** How long an answer may stand without progress. Nobody reads that slowly who reads. */
export const MAX_UNREAD_MS = 10_000;
/** Over the whole connection, in this time: 25 KiB a second. */
const MIN_PROGRESS_BYTES = 256 * 1024;

/** Cuts off a call whose answer is not read: it is held whole until its reader has taken it. */
export class AnswerWatch {
  private readonly clock: Clock;
  private readonly stream: ServerHttp2Stream;
  private timer: Timer | undefined;

  constructor(clock: Clock, stream: ServerHttp2Stream) {
    this.clock = clock;
    this.stream = stream;
  }

  /** The answer has been given to the stream. */
  start(): void {
    const sent = this.sentBytes();
    this.timer = this.clock.after(MAX_UNREAD_MS, () => {
      if (this.stream.writableLength === 0 || this.sentBytes() - sent >= MIN_PROGRESS_BYTES) this.start();
      else this.stream.close(constants.NGHTTP2_CANCEL);
    });
  }

  /** The call is over. */
  stop(): void {
    this.timer?.cancel();
  }

  private sentBytes(): number {
    return this.stream.session?.socket.bytesWritten ?? 0;
  }
}
