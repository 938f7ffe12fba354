import { FRAME_KIND, HEADER_BYTES, writeHeader, type FrameKind } from './frame.ts';

/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const MAX_BYTES_PER_CHAR = 3;
const FIRST_BYTES = 256 * 1024;

/** Frames of several callers, made into one buffer for the other thread. */
export class FrameWriter {
  private buffer: Buffer;
  private end = 0;

  /** @param spare a buffer that came back */
  constructor(spare?: ArrayBuffer) {
    this.buffer = spare ? Buffer.from(spare) : Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  get bytes(): number {
    return this.end;
  }

  record(source: string, rank: number, part: number, facts: string, texts: string): void {
    this.write(FRAME_KIND.record, source, rank, part, facts, texts);
  }

  left(task: string, entries: string): void {
    this.write(FRAME_KIND.left, task, 0, 0, entries, '');
  }

  /** Frames of another writer, as they are. */
  frames(frames: Buffer): void {
    this.makeRoom(frames.length);
    this.end += frames.copy(this.buffer, this.end);
  }

  /** All frames; the writer is not to be used again. */
  take(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  private write(
    kind: FrameKind,
    source: string,
    rank: number,
    part: number,
    facts: string,
    texts: string,
  ): void {
    const chars = source.length + facts.length + texts.length;
    this.makeRoom(HEADER_BYTES + chars * MAX_BYTES_PER_CHAR);
    const start = this.end;
    let at = start + HEADER_BYTES;
    const sourceLength = this.buffer.write(source, at);
    at += sourceLength;
    const factsLength = this.buffer.write(facts, at);
    at += factsLength;
    if (texts !== '') at += this.buffer.write(texts, at);
    const length = at - start - HEADER_BYTES;
    writeHeader(this.buffer, start, { kind, sourceLength, factsLength, length, time: 0, rank, part });
    this.end = at;
  }

  private makeRoom(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}
