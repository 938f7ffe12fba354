import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** One thing that the log of earlier versions says, in its order. */
export type OldEntry =
  | {
      readonly kind: 'record';
      readonly time: number;
      readonly source: Buffer;
      readonly part: number;
      readonly rank: number;
      readonly facts: Buffer;
      readonly texts: Buffer;
    }
  /** Nodes of a task left memory: a JSON array of `{ node, edges, sources }`. */
  | { readonly kind: 'left'; readonly time: number; readonly task: Buffer; readonly nodes: string }
  /** JSON of `{ tasks, sources, left?, nodes? }`: what was to be erased, in case it was not. */
  | { readonly kind: 'erase'; readonly time: number; readonly order: string };

const SEGMENT = /^\d{8}\.seg$/;
const SEGMENT_HEAD_BYTES = 32;
/** Of a frame; then follow the source key and the content. */
const HEADER_BYTES = 60;
const MARKER = Buffer.from('EXPL');
const KIND = { record: 1, chunk: 2, left: 3, erase: 4 } as const;

/**
 * Reads the log that earlier versions kept their records in: segments of frames, each with a CRC-32 of its header and one
 * of what follows. Frames that are not whole are passed over.
 *
 * | at | type | what |
 * |---|---|---|
 * | 0 | 4 bytes | marker |
 * | 4 | u32 | bytes after the header |
 * | 8 | u32 | CRC-32 of these |
 * | 12 | u8 | kind |
 * | 13 | u8 | 1: the content is a list of u32, the offsets of chunks in this segment |
 * | 16 | u32 | bytes of the source key |
 * | 20 | u32 | bytes of the facts within the content; the rest are texts |
 * | 24, 32, 40 | f64 | time, rank, part |
 * | 56 | u32 | CRC-32 of the header before |
 */
export function* readOldLog(folder: string): Generator<OldEntry> {
  const names = readdirSync(folder).filter((name) => SEGMENT.test(name));
  for (const name of names.sort()) {
    const segment = readFileSync(join(folder, name));
    for (let at = SEGMENT_HEAD_BYTES; at >= 0 && at < segment.length;) {
      const end = endOfFrame(segment, at);
      if (end === undefined) {
        at = segment.indexOf(MARKER, at + 1);
        continue;
      }
      const entry = entryOf(segment, at);
      if (entry) yield entry;
      at = end;
    }
  }
}

/** Undefined when there is no whole frame. */
function endOfFrame(segment: Buffer, at: number): number | undefined {
  const body = at + HEADER_BYTES;
  if (body > segment.length || segment.compare(MARKER, 0, 4, at, at + 4) !== 0) return undefined;
  if (crc32(segment.subarray(at, at + 56)) !== segment.readUInt32LE(at + 56)) return undefined;
  const end = body + segment.readUInt32LE(at + 4);
  if (end > segment.length || crc32(segment.subarray(body, end)) !== segment.readUInt32LE(at + 8))
    return undefined;
  return end;
}

function entryOf(segment: Buffer, at: number): OldEntry | undefined {
  const time = segment.readDoubleLE(at + 24);
  const { source, content } = bodyOf(segment, at);
  switch (segment.readUInt8(at + 12)) {
    case KIND.record: {
      const whole = segment.readUInt8(at + 13) === 1 ? fromChunks(segment, content) : content;
      if (!whole) return undefined;
      const split = segment.readUInt32LE(at + 20);
      const rank = segment.readDoubleLE(at + 32);
      const part = segment.readDoubleLE(at + 40);
      const facts = whole.subarray(0, split);
      return { kind: 'record', time, source, part, rank, facts, texts: whole.subarray(split) };
    }
    case KIND.left:
      return { kind: 'left', time, task: source, nodes: content.toString() };
    case KIND.erase:
      return { kind: 'erase', time, order: content.toString() };
    default:
      return undefined;
  }
}

function bodyOf(segment: Buffer, at: number): { readonly source: Buffer; readonly content: Buffer } {
  const start = at + HEADER_BYTES;
  const split = start + segment.readUInt32LE(at + 16);
  return {
    source: segment.subarray(start, split),
    content: segment.subarray(split, start + segment.readUInt32LE(at + 4)),
  };
}

function fromChunks(segment: Buffer, offsets: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let index = 0; index < offsets.length; index += 4) {
    const at = offsets.readUInt32LE(index);
    if (endOfFrame(segment, at) === undefined) return undefined;
    chunks.push(bodyOf(segment, at).content);
  }
  return Buffer.concat(chunks);
}
