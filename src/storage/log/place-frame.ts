import { createHash } from 'node:crypto';
import { chunkEnds, MIN_CHUNKED_BYTES } from './chunks.ts';
import { FRAME_KIND, HEADER_BYTES, makeChunkedFrame, makeFrame, sealFrame, unsealedHeader } from './frame.ts';
import { placeOf } from './segment.ts';
import type { Batch } from './segments.ts';

/** Offsets of chunks in a segment, by their SHA-256 as latin1. */
export type ChunkPlaces = Map<string, number>;

/**
 * Puts one frame into a batch, its content in chunks when it is large: those that the segment holds already are
 * not written again. @returns how many bytes that takes
 */
export function placeFrame(frame: Buffer, time: number, batch: Batch, chunks: ChunkPlaces): number {
  const header = unsealedHeader(frame, 0);
  const source = frame.toString('utf8', HEADER_BYTES, HEADER_BYTES + header.sourceLength);
  const content = frame.subarray(HEADER_BYTES + header.sourceLength);
  const start = batch.offset + batch.bytes;
  const add = (part: Buffer, offset: number): void => {
    batch.parts.push(part);
    const placed = { ...unsealedHeader(part, 0) };
    batch.frames.push({ place: placeOf(batch.segment.number, offset), header: placed, source, content });
  };
  if (header.kind !== FRAME_KIND.record || content.length < MIN_CHUNKED_BYTES) {
    sealFrame(frame, 0, time);
    add(frame, start);
    return frame.length;
  }
  let added = 0;
  const ends = chunkEnds(content);
  const places = Buffer.allocUnsafe(ends.length * 4);
  for (const [index, end] of ends.entries()) {
    const chunk = content.subarray(ends[index - 1] ?? 0, end);
    const hash = createHash('sha256').update(chunk).digest();
    const key = hash.toString('latin1');
    let offset = chunks.get(key);
    if (offset === undefined) {
      offset = start + added;
      const fields = { kind: FRAME_KIND.chunk, factsLength: 0, time, rank: 0, part: 0 };
      const written = makeFrame(fields, hash, chunk);
      batch.parts.push(written);
      added += written.length;
      chunks.set(key, offset);
      batch.newChunks.push(key);
    }
    places.writeUInt32LE(offset, index * 4);
  }
  const record = makeChunkedFrame(frame, { ...header, time }, places);
  add(record, start + added);
  return added + record.length;
}
