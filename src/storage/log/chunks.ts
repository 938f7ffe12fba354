/** Content this large is stored in chunks, each once in a segment; below it the places would cost more than they save. */
export const MIN_CHUNKED_BYTES = 8 * 1024;
const MIN_CHUNK_BYTES = 2 * 1024;
const MAX_CHUNK_BYTES = 32 * 1024;
/** Twelve bits: a boundary every 4 KiB on average, after the least size. */
const BOUNDARY_MASK = 0xfff00000;

/** Random-looking and fixed: boundaries must be the same after a restart. */
const GEAR = makeGear();

/**
 * Where chunks end, by content alone (a rolling hash over the last 32 bytes): a text that is sent again with more
 * before or after it is cut at the same places, so that its chunks are the same.
 */
export function chunkEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = chunkEnd(bytes, start);
    ends.push(end);
    start = end;
  }
  return ends;
}

function chunkEnd(bytes: Uint8Array, start: number): number {
  const last = Math.min(bytes.length, start + MAX_CHUNK_BYTES);
  let hash = 0;
  for (let at = start + MIN_CHUNK_BYTES; at < last; at++) {
    hash = ((hash << 1) + (GEAR[bytes[at] ?? 0] ?? 0)) | 0;
    if ((hash & BOUNDARY_MASK) === 0) return at + 1;
  }
  return last;
}

function makeGear(): Int32Array {
  let state = 0x9e3779b9;
  return Int32Array.from({ length: 256 }, () => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}
