import { FRAME_KIND, HEADER_BYTES, unsealedHeader, type FrameHeader, type FrameKind } from './frame.ts';
import { placeOf } from './segment.ts';

/** A frame that is in the log, or on its way into it. */
export interface PlacedFrame {
  readonly place: number;
  readonly kind: FrameKind;
  readonly header: FrameHeader;
  readonly source: string;
  /** As it was appended, for kinds that are looked at again; a record's is read when it is asked for. */
  readonly content: Buffer;
}

/** Bytes that are written as they stand. */
interface Part {
  readonly bytes: Buffer;
  readonly from: number;
  to: number;
}

/** Frames on their way into one segment. */
export class Batch {
  /** In the order of the log; without those of chunks, which no one looks for. */
  readonly frames: PlacedFrame[] = [];
  /** Keys of chunks that stand in it for the first time. */
  readonly newChunks: string[] = [];
  private readonly segment: number;
  private readonly parts: Part[] = [];
  private offset: number;

  /** @param offset where its first byte will stand */
  constructor(segment: number, offset: number) {
    this.segment = segment;
    this.offset = offset;
  }

  /** Where the next frame will stand in the segment. */
  get end(): number {
    return this.offset;
  }

  /** Puts a frame, with its checksums, behind the others. @returns where it will stand in the segment */
  put(bytes: Buffer, from: number, to: number): number {
    const start = this.offset;
    this.offset += to - from;
    if (bytes.readUInt8(from + 12) !== FRAME_KIND.chunk)
      this.frames.push(new FrameInBuffer(placeOf(this.segment, start), bytes, from));
    const last = this.parts.at(-1);
    // Neighbours are one write.
    if (last?.bytes === bytes && last.to === from) last.to = to;
    else this.parts.push({ bytes, from, to });
    return start;
  }

  *buffers(): Generator<Buffer> {
    for (const { bytes, from, to } of this.parts) yield bytes.subarray(from, to);
  }
}

/** Most records come once, and nothing but their key is looked at: the rest is only read when it is asked for. */
class FrameInBuffer implements PlacedFrame {
  readonly place: number;
  private readonly bytes: Buffer;
  private readonly at: number;

  constructor(place: number, bytes: Buffer, at: number) {
    this.place = place;
    this.bytes = bytes;
    this.at = at;
  }

  get kind(): FrameKind {
    return this.bytes.readUInt8(this.at + 12) as FrameKind;
  }

  get header(): FrameHeader {
    return unsealedHeader(this.bytes, this.at);
  }

  get source(): string {
    const start = this.at + HEADER_BYTES;
    return this.bytes.toString('utf8', start, start + this.bytes.readUInt32LE(this.at + 16));
  }

  get content(): Buffer {
    const { length, sourceLength } = this.header;
    const start = this.at + HEADER_BYTES;
    return this.bytes.subarray(start + sourceLength, start + length);
  }
}
