import { createHash } from 'node:crypto';
import type { Batch } from './batch.ts';
import { chunkEnds, MIN_CHUNKED_BYTES } from './chunks.ts';
import { FRAME_KIND, HEADER_BYTES, makeChunkedFrame, makeFrame, sealFrame, unsealedHeader } from './frame.ts';
import type { Scan } from './segment.ts';

/** Offsets of chunks in a segment, by their SHA-256 as latin1. */
export type ChunkPlaces = Map<string, number>;

/**
 * Puts the frame between two places of a buffer into a batch, its content in chunks when it is large: those that the
 * segment holds already are not written again.
 */
export function placeFrame(
  frames: Buffer,
  from: number,
  to: number,
  time: number,
  batch: Batch,
  chunks: ChunkPlaces,
): void {
  if (to - from >= MIN_CHUNKED_BYTES && placeInChunks(frames.subarray(from, to), time, batch, chunks)) return;
  sealFrame(frames, from, time);
  batch.put(frames, from, to);
}

/** @returns false when it is better in one piece */
function placeInChunks(frame: Buffer, time: number, batch: Batch, chunks: ChunkPlaces): boolean {
  const header = unsealedHeader(frame, 0);
  const content = frame.subarray(HEADER_BYTES + header.sourceLength);
  if (header.kind !== FRAME_KIND.record || content.length < MIN_CHUNKED_BYTES) return false;
  const ends = chunkEnds(content);
  const places = Buffer.allocUnsafe(ends.length * 4);
  for (const [index, end] of ends.entries()) {
    const chunk = content.subarray(ends[index - 1] ?? 0, end);
    const hash = createHash('sha256').update(chunk).digest();
    const key = hash.toString('latin1');
    let offset = chunks.get(key);
    if (offset === undefined) {
      const fields = { kind: FRAME_KIND.chunk, factsLength: 0, time, rank: 0, part: 0 };
      const written = makeFrame(fields, hash, chunk);
      offset = batch.put(written, 0, written.length);
      chunks.set(key, offset);
      batch.newChunks.push(key);
    }
    places.writeUInt32LE(offset, index * 4);
  }
  const record = makeChunkedFrame(frame, { ...header, time }, places);
  batch.put(record, 0, record.length);
  return true;
}

/** The chunks that a segment holds. */
export function chunksOf(bytes: Buffer, { frames }: Scan): ChunkPlaces {
  const chunks: ChunkPlaces = new Map();
  for (const { offset, header } of frames) {
    if (header.kind !== FRAME_KIND.chunk) continue;
    const start = offset + HEADER_BYTES;
    chunks.set(bytes.toString('latin1', start, start + header.sourceLength), offset);
  }
  return chunks;
}

/** Chunks stand before their record: at the end of a log that was cut off, they belong to none. */
export function withoutLooseChunks(scan: Scan): Scan {
  const last = scan.frames.findLastIndex(({ header }) => header.kind !== FRAME_KIND.chunk);
  const loose = scan.frames[last + 1];
  return loose ? { ...scan, frames: scan.frames.slice(0, last + 1), end: loose.offset } : scan;
}
