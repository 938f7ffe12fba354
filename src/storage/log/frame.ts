import { crc32, crc32OfShort } from './crc32.ts';

/**
 * One frame of the log: a header of fixed size, then the source key, then the content. All numbers are little
 * endian. The header has a checksum of its own, so that its length can be trusted before the content is read.
 *
 * | at | type | what |
 * |---|---|---|
 * | 0 | u32 | marker, by which the next frame is found after damage |
 * | 4 | u32 | bytes after the header |
 * | 8 | u32 | CRC-32 of the bytes after the header |
 * | 12 | u8 | kind |
 * | 13 | u8 | 1: the content stands in chunks of the same segment, and here stand their places |
 * | 16 | u32 | bytes of the source key |
 * | 20 | u32 | bytes of the facts within the content; the rest are texts |
 * | 24 | f64 | when it was taken in, milliseconds since 1970; never less than that of the frame before |
 * | 32 | f64 | rank: of the records of one source and part those with the highest count |
 * | 40 | f64 | part |
 * | 48 | u32 | bytes of the content when it stands in one piece |
 * | 52 | u32 | CRC-32 of that content |
 * | 56 | u32 | CRC-32 of the header before |
 */
export interface FrameHeader {
  readonly length: number;
  readonly kind: FrameKind;
  readonly isChunked: boolean;
  readonly sourceLength: number;
  readonly factsLength: number;
  readonly time: number;
  readonly rank: number;
  readonly part: number;
  readonly contentLength: number;
  readonly contentCrc: number;
}

export const FRAME_KIND = {
  /** Facts and texts of one record. */
  record: 1,
  /** Bytes that several records of the segment may share; its source key is their SHA-256. */
  chunk: 2,
  /** Nodes that left memory, of one task: its source key is the task. */
  left: 3,
  /** Sources to be erased; stands only until the segments before it were rewritten. */
  erase: 4,
} as const;
export type FrameKind = (typeof FRAME_KIND)[keyof typeof FRAME_KIND];

export const HEADER_BYTES = 60;
const MARKER = 0x4c505845;
const MARKER_BYTES = Buffer.from([0x45, 0x58, 0x50, 0x4c]);
/** Far above what a request may hold; a length beyond it is damage. */
export const MAX_FRAME_BYTES = 192 * 1024 * 1024;

/** What is known of a frame before its checksums are. */
export interface FrameFields {
  readonly kind: FrameKind;
  readonly sourceLength: number;
  readonly factsLength: number;
  readonly length: number;
  readonly time: number;
  readonly rank: number;
  readonly part: number;
}

/** Writes the header of a frame in one piece, without its checksums. */
export function writeHeader(buffer: Buffer, at: number, fields: FrameFields): void {
  buffer.writeUInt32LE(MARKER, at);
  buffer.writeUInt32LE(fields.length, at + 4);
  buffer.writeUInt32LE(0, at + 8);
  buffer.writeUInt32LE(fields.kind, at + 12);
  buffer.writeUInt32LE(fields.sourceLength, at + 16);
  buffer.writeUInt32LE(fields.factsLength, at + 20);
  buffer.writeDoubleLE(fields.time, at + 24);
  buffer.writeDoubleLE(fields.rank, at + 32);
  buffer.writeDoubleLE(fields.part, at + 40);
  buffer.writeUInt32LE(fields.length - fields.sourceLength, at + 48);
  buffer.writeUInt32LE(0, at + 52);
}

/** Puts the checksums in. @param time replaces the header's; what it stands for is decided where frames get their order */
export function sealFrame(buffer: Buffer, at: number, time: number): void {
  const length = buffer.readUInt32LE(at + 4);
  const body = at + HEADER_BYTES;
  const crc = crc32(buffer.subarray(body, body + length));
  buffer.writeUInt32LE(crc, at + 8);
  buffer.writeDoubleLE(time, at + 24);
  if (buffer.readUInt8(at + 13) === 0) buffer.writeUInt32LE(crc, at + 52);
  buffer.writeUInt32LE(crc32OfShort(buffer, at, at + 56), at + 56);
}

/** A frame with its checksums, of parts. */
export function makeFrame(
  fields: Omit<FrameFields, 'sourceLength' | 'length'>,
  source: Buffer,
  content: Buffer,
): Buffer {
  const length = source.length + content.length;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  writeHeader(frame, 0, { ...fields, sourceLength: source.length, length });
  source.copy(frame, HEADER_BYTES);
  content.copy(frame, HEADER_BYTES + source.length);
  sealFrame(frame, 0, fields.time);
  return frame;
}

/** A record whose content was put into chunks: the header of the whole, and their places. */
export function makeChunkedFrame(whole: Buffer, header: FrameHeader, places: Buffer): Buffer {
  const source = whole.subarray(HEADER_BYTES, HEADER_BYTES + header.sourceLength);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + source.length + places.length);
  writeHeader(frame, 0, { ...header, length: source.length + places.length });
  frame.writeUInt8(1, 13);
  frame.writeUInt32LE(header.contentLength, 48);
  frame.writeUInt32LE(
    header.isChunked ? header.contentCrc : crc32(whole.subarray(HEADER_BYTES, HEADER_BYTES + header.length)),
    52,
  );
  source.copy(frame, HEADER_BYTES);
  places.copy(frame, HEADER_BYTES + source.length);
  sealFrame(frame, 0, header.time);
  return frame;
}

/** The header at this place; undefined when there is none, or a damaged one. */
export function readHeader(buffer: Buffer, at: number): FrameHeader | undefined {
  if (at + HEADER_BYTES > buffer.length || buffer.readUInt32LE(at) !== MARKER) return undefined;
  if (crc32OfShort(buffer, at, at + 56) !== buffer.readUInt32LE(at + 56)) return undefined;
  return unsealedHeader(buffer, at);
}

/** How long a frame is, header included, that is known to be one. */
export function frameBytes(buffer: Buffer, at: number): number {
  return HEADER_BYTES + buffer.readUInt32LE(at + 4);
}

/** The header of a frame that has no checksums yet. */
export function unsealedHeader(buffer: Buffer, at: number): FrameHeader {
  return {
    length: buffer.readUInt32LE(at + 4),
    kind: buffer.readUInt8(at + 12) as FrameKind,
    isChunked: buffer.readUInt8(at + 13) === 1,
    sourceLength: buffer.readUInt32LE(at + 16),
    factsLength: buffer.readUInt32LE(at + 20),
    time: buffer.readDoubleLE(at + 24),
    rank: buffer.readDoubleLE(at + 32),
    part: buffer.readDoubleLE(at + 40),
    contentLength: buffer.readUInt32LE(at + 48),
    contentCrc: buffer.readUInt32LE(at + 52),
  };
}

/** Whether all of the frame is there, undamaged. */
export function isWhole(buffer: Buffer, at: number, header: FrameHeader): boolean {
  const body = at + HEADER_BYTES;
  if (header.length > MAX_FRAME_BYTES || body + header.length > buffer.length) return false;
  return crc32(buffer.subarray(body, body + header.length)) === buffer.readUInt32LE(at + 8);
}

/** Where the next marker stands, from a place on; the end when there is none. */
export function nextMarker(buffer: Buffer, from: number): number {
  const found = buffer.indexOf(MARKER_BYTES, from);
  return found < 0 ? buffer.length : found;
}
