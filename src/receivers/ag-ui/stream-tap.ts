/** A frame that is longer is passed over; clients of AG-UI take none of more than 10 MB. */
const MAX_FRAME_BYTES = 10 * 1024 * 1024;
/** Frames that wait until those before them are taken; beyond it they are passed over, since nobody who reads waits. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

export interface StreamTapOptions {
  readonly take: (body: Buffer) => Promise<unknown>;
  /** Told of bytes that are not taken in, and why. */
  readonly onLost: (bytes: number, error: unknown) => void;
}

/** Takes in a stream of server-sent events that is passed on at the same time, and never holds that up. */
export class StreamTap {
  private readonly options: StreamTapOptions;
  /** The beginning of a frame. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private isTooLong = false;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private taking: Promise<void> | undefined;
  /** The last two bytes: a blank line may be cut in two. */
  private last: readonly [number, number] = [0, 0];

  constructor(options: StreamTapOptions) {
    this.options = options;
  }

  push(piece: Buffer): void {
    const end = this.endOfFrames(piece);
    if (end === 0) return this.keep(piece);
    this.keep(piece.subarray(0, end));
    this.endFrames();
    this.keep(piece.subarray(end));
  }

  /** Nothing more comes. Resolves when all of it is taken. */
  async end(): Promise<void> {
    this.endFrames();
    while (this.taking) await this.taking;
  }

  /** Where the last blank line of a piece ends; 0 when it has none. */
  private endOfFrames(piece: Buffer): number {
    let end = 0;
    let [beforeThat, before] = this.last;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i] ?? 0;
      const isBlank =
        (byte === LF && (before === LF || (before === CR && beforeThat === LF))) ||
        (byte === CR && before === CR);
      if (isBlank) end = i + 1;
      beforeThat = before;
      before = byte;
    }
    this.last = [beforeThat, before];
    return end;
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.restBytes + piece.length > MAX_FRAME_BYTES || this.isTooLong) {
      this.options.onLost(this.restBytes + piece.length, undefined);
      this.isTooLong = true;
      this.rest = [];
      this.restBytes = 0;
      return;
    }
    this.rest.push(piece);
    this.restBytes += piece.length;
  }

  private endFrames(): void {
    const frames = this.rest;
    const bytes = this.restBytes;
    this.rest = [];
    this.restBytes = 0;
    this.isTooLong = false;
    if (bytes === 0) return;
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES) return this.options.onLost(bytes, undefined);
    this.waiting.push(...frames);
    this.waitingBytes += bytes;
    this.taking ??= this.takeAll();
  }

  private async takeAll(): Promise<void> {
    // What comes in the same turn goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const body = Buffer.concat(this.waiting);
      this.waiting = [];
      this.waitingBytes = 0;
      try {
        await this.options.take(body);
      } catch (error) {
        this.options.onLost(body.length, error);
      }
    }
    this.taking = undefined;
  }
}
