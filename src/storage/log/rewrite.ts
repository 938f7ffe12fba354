import type { ArchiveIndex } from '../index/archive-index.ts';
import { FRAME_KIND, HEADER_BYTES, makeChunkedFrame, makeFrame } from './frame.ts';
import type { LiveSources } from './live-sources.ts';
import { HEAD_BYTES, placeOf, readWhole, scanSegment, segmentName, type FoundFrame } from './segment.ts';
import { noteSegment } from './index-notes.ts';
import type { LogFiles } from './files.ts';
import type { Segment, Segments } from './segments.ts';
import { NO_NODE, type LeftEntry } from './stored.ts';

/** What the log is made of, as its parts know one another. */
export interface LogParts {
  readonly files: LogFiles;
  readonly segments: Segments;
  readonly live: LiveSources;
  readonly index: ArchiveIndex;
}

/**
 * Writes a segment anew without what nothing stands on any more; one of which nothing stays is deleted.
 * @param keepsErasures whether erasures that are noted in it are still to be carried out
 * @returns how many bytes that made free
 */
export function rewriteSegment(parts: LogParts, segment: Segment, keepsErasures: boolean): number {
  const { files, segments, live, index } = parts;
  const before = segment.bytes;
  const bytes = readWhole(files, segmentName(segment.number));
  const from = placeOf(segment.number, 0);
  const to = placeOf(segment.number + 1, 0);
  const archived = new Set([...index.recordsBetween(from, to), ...index.framesBetween(from, to)]);

  const written: Buffer[] = [];
  const moved = new Map<number, number>();
  const sources = new Set<string>();
  const chunks = new Map<number, number>();
  let offset = HEAD_BYTES;
  const put = (frame: Buffer): number => {
    written.push(frame);
    offset += frame.length;
    return offset - frame.length;
  };
  const chunkAt = (old: number): number => {
    const known = chunks.get(old);
    if (known !== undefined) return known;
    const length = bytes.readUInt32LE(old + 4);
    const placed = put(bytes.subarray(old, old + HEADER_BYTES + length));
    chunks.set(old, placed);
    return placed;
  };
  for (const found of scanSegment(bytes).frames) {
    const place = placeOf(segment.number, found.offset);
    const { header } = found;
    if (header.kind === FRAME_KIND.chunk) continue;
    if (header.kind === FRAME_KIND.erase) {
      if (keepsErasures) put(frameAt(bytes, found));
      continue;
    }
    const source = sourceAt(bytes, found);
    const isRecord = header.kind === FRAME_KIND.record;
    if (isRecord) sources.add(source);
    if (!(isRecord && live.has(source, place)) && !archived.has(place)) continue;
    const frame = isRecord ? frameAt(bytes, found) : withoutStale(frameAt(bytes, found), found, place, index);
    const at = header.isChunked ? put(withMovedChunks(frame, found, chunkAt)) : put(frame);
    moved.set(place, placeOf(segment.number, at));
  }

  if (written.length === 0) segments.remove(segment);
  else segments.replace(segment, written);
  index.transaction(() => {
    index.removeDead(from, to);
    if (written.length === 0) index.forgetSegment(segment.number);
    else index.move(moved);
    noteSegment(parts, segment);
  });
  for (const source of sources) live.move(source, segment.number, moved);
  return before - (written.length === 0 ? 0 : segment.bytes);
}

/** Of a node that was erased nothing stays; of one that left again since, that its records of then are dead. */
function withoutStale(frame: Buffer, { header }: FoundFrame, place: number, index: ArchiveIndex): Buffer {
  const start = HEADER_BYTES + header.sourceLength;
  const entries = JSON.parse(frame.toString('utf8', start)) as readonly LeftEntry[];
  const kept = entries.map((entry): LeftEntry => {
    if (entry.node.id === NO_NODE) return entry;
    const newest = index.frameOfNode(entry.node.id);
    if (newest?.place === place) return entry;
    return { node: { id: NO_NODE }, edges: [], sources: newest ? entry.sources : [] };
  });
  if (kept.every((entry, position) => entry === entries[position])) return frame;
  return makeFrame(header, frame.subarray(HEADER_BYTES, start), Buffer.from(JSON.stringify(kept)));
}

function frameAt(bytes: Buffer, { offset, header }: FoundFrame): Buffer {
  return bytes.subarray(offset, offset + HEADER_BYTES + header.length);
}

export function sourceAt(bytes: Buffer, { offset, header }: FoundFrame): string {
  const start = offset + HEADER_BYTES;
  return bytes.toString('utf8', start, start + header.sourceLength);
}

/** The chunks are put before the frame that names them. */
function withMovedChunks(frame: Buffer, { header }: FoundFrame, chunkAt: (old: number) => number): Buffer {
  const places = Buffer.from(frame.subarray(HEADER_BYTES + header.sourceLength));
  for (let at = 0; at < places.length; at += 4) places.writeUInt32LE(chunkAt(places.readUInt32LE(at)), at);
  return makeChunkedFrame(frame, header, places);
}
