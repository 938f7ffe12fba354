import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Clock, Timer } from '../base/clock.ts';

/** How long an answer may stand without progress. Nobody reads that slowly who reads. */
export const MAX_UNREAD_MS = 10_000;
/** Of one answer, in this time: 25 KiB a second. */
const MIN_PROGRESS_BYTES = 256 * 1024;
/** While others wait: an answer of which nothing was taken for so long makes room, as over HTTP. */
export const STALLED_MS = 2_000;
/** While others wait: for one answer in all. Of 30 MB, a graph of 100,000 nodes, it asks for 4 Mbit/s. */
export const MAX_AWAITED_MS = 60_000;
/** What is given to the stream at once, so that it is seen how far its reader is: the usual frame of HTTP/2. */
const PIECE_BYTES = 16 * 1024;

/** Cuts off a call whose answer is not read: it is held whole until its reader has taken it. */
export class AnswerWatch {
  private readonly clock: Clock;
  private readonly stream: ServerHttp2Stream;
  private readonly isAwaited: () => boolean;
  /** Bytes of the answer that have gone to the connection; what other calls are sent on it says nothing of this one. */
  private taken = 0;
  private timer: Timer | undefined;

  /** @param isAwaited whether others wait for the room that the answer takes */
  constructor(clock: Clock, stream: ServerHttp2Stream, isAwaited: () => boolean) {
    this.clock = clock;
    this.stream = stream;
    this.isAwaited = isAwaited;
  }

  /** The next that is written to the stream is the answer: its one message. */
  begin(): void {
    const { stream, clock } = this;
    const write = stream.write.bind(stream) as (
      piece: Buffer,
      done: (error?: Error | null) => void,
    ) => boolean;
    const inPieces = (answer: Buffer, done: (error?: Error | null) => void): boolean => {
      let at = 0;
      const next = (error?: Error | null): void => {
        this.taken = at;
        if (error || at >= answer.length) done(error);
        else write(answer.subarray(at, (at += PIECE_BYTES)), next);
      };
      next();
      return true;
    };
    stream.write = inPieces as typeof stream.write;
    const begun = clock.monotonic();
    let [lookedAt, takenAt, seen, sinceLook] = [begun, begun, 0, 0];
    const look = (): void => {
      const now = clock.monotonic();
      if (this.taken > seen) [takenAt, seen] = [now, this.taken];
      const isSlow = now - lookedAt >= MAX_UNREAD_MS && seen - sinceLook < MIN_PROGRESS_BYTES;
      const isInTheWay = now - takenAt >= STALLED_MS || now - begun >= MAX_AWAITED_MS;
      if (isSlow || (isInTheWay && this.isAwaited())) return stream.close(constants.NGHTTP2_CANCEL);
      if (now - lookedAt >= MAX_UNREAD_MS) [lookedAt, sinceLook] = [now, seen];
      this.timer = clock.after(STALLED_MS, look);
    };
    this.timer = clock.after(STALLED_MS, look);
  }

  /** The call is over. */
  stop(): void {
    this.timer?.cancel();
  }
}
