import { crc32 } from './crc32.ts';
import { HEADER_BYTES, isWhole, nextMarker, readHeader, type FrameHeader } from './frame.ts';
import type { LogFile, LogFiles } from './files.ts';

/** The first bytes of a segment: what it is, and in which format. */
export interface SegmentHead {
  readonly version: number;
  /** Counts how often the segment was rewritten: places noted of another generation hold no more. */
  readonly generation: number;
  /** Of the whole log: an index of another log is not one of this. */
  readonly logId: number;
  /** Nothing in it is text. */
  readonly withoutTexts: boolean;
}

export const SEGMENT_VERSION = 1;
export const HEAD_BYTES = 32;
const MAGIC = Buffer.from('EXPLLOG\n');

export function makeHead({ generation, logId, withoutTexts }: Omit<SegmentHead, 'version'>): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(SEGMENT_VERSION, 8);
  head.writeUInt32LE(generation, 12);
  head.writeDoubleLE(logId, 16);
  head.writeUInt32LE(withoutTexts ? 1 : 0, 24);
  head.writeUInt32LE(crc32(head.subarray(0, 28)), 28);
  return head;
}

/** undefined: damaged. */
export function readHead(bytes: Buffer): SegmentHead | undefined {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28)) return undefined;
  return {
    version: bytes.readUInt32LE(8),
    generation: bytes.readUInt32LE(12),
    logId: bytes.readDoubleLE(16),
    withoutTexts: bytes.readUInt32LE(24) === 1,
  };
}

const NAME = /^(\d{8})\.seg$/;

export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.seg`;
}

/** The number of a segment file, by its name. */
export function segmentNumber(name: string): number | undefined {
  const found = NAME.exec(name);
  return found ? Number(found[1]) : undefined;
}

export function temporaryName(number: number): string {
  return `${segmentName(number)}.tmp`;
}

/**
 * A place in the log as one number: segments are smaller than 256 MiB. A double holds segments up to 2^25 exactly,
 * half a petabyte of them.
 */
const SEGMENT_SPAN = 2 ** 28;

export function placeOf(segment: number, offset: number): number {
  return segment * SEGMENT_SPAN + offset;
}

export function segmentOf(place: number): number {
  return Math.floor(place / SEGMENT_SPAN);
}

export function offsetOf(place: number): number {
  return place % SEGMENT_SPAN;
}

/** Everything of a segment file. */
export function readWhole(files: LogFiles, name: string): Buffer {
  const file = files.open(name);
  try {
    return readAll(file);
  } finally {
    file.close();
  }
}

export function readAll(file: LogFile): Buffer {
  const bytes = Buffer.allocUnsafe(file.size);
  return bytes.subarray(0, file.read(bytes, 0));
}

export interface FoundFrame {
  readonly offset: number;
  readonly header: FrameHeader;
}

export interface Scan {
  readonly frames: readonly FoundFrame[];
  /** Where the last whole frame ends. */
  readonly end: number;
  /** Bytes before that end that belong to no whole frame. */
  readonly damagedBytes: number;
}

/** All whole frames of a segment; after damage it goes on with the next whole one. */
export function scanSegment(bytes: Buffer): Scan {
  const frames: FoundFrame[] = [];
  let end = HEAD_BYTES;
  let damagedBytes = 0;
  let at = HEAD_BYTES;
  while (at < bytes.length) {
    const header = readHeader(bytes, at);
    if (header && isWhole(bytes, at, header)) {
      damagedBytes += at - end;
      frames.push({ offset: at, header });
      at += HEADER_BYTES + header.length;
      end = at;
    } else at = nextMarker(bytes, at + 1);
  }
  return { frames, end: Math.min(end, bytes.length), damagedBytes };
}
