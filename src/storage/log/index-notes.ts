import type { PlacedFrame } from './batch.ts';
import type { LogParts } from './rewrite.ts';
import type { Segment } from './segments.ts';
import { NO_NODE, type LeftEntry } from './stored.ts';

/** Whether the index was made from this log, as it is now or was at an earlier end. */
export function isIndexOf({ index, segments }: LogParts): boolean {
  const { position } = index;
  if (!position || position.logId !== segments.logId || position.place > segments.end) return false;
  return index.segments().every(({ number, generation }) => segments.get(number)?.generation === generation);
}

/** What the index knows of a segment, so that the next start need not read one that no node in memory stands on. */
export function noteSegment({ segments, live, index }: Omit<LogParts, 'files'>, segment: Segment): void {
  if (segments.get(segment.number) !== segment) return;
  const { number, generation, bytes, deadBytes, lastTime } = segment;
  const isNeeded = segment === segments.active || live.countIn(number) > 0;
  const note = { number, generation, bytes, deadBytes, isNeeded, lastTime };
  const noted = JSON.stringify(note);
  if (segment.noted === noted) return;
  index.noteSegment(note);
  segment.noted = noted;
}

/**
 * What the index has to know so that it is up to date with the log.
 * @param end up to where it is: what stands behind that, a later start looks at
 */
export function noteAll(parts: LogParts, end = parts.segments.end): void {
  for (const segment of parts.segments.list()) noteSegment(parts, segment);
  parts.index.setPosition(parts.segments.logId, end);
}

/**
 * Nodes of a task left memory.
 * @returns the sources that they stand on, which are live no more once that is noted, and the places that are dead now
 */
export function noteLeft(
  parts: LogParts,
  { place, source: task, content }: PlacedFrame,
): { readonly sources: readonly string[]; readonly dead: readonly number[] } {
  const { index, live } = parts;
  const entries = JSON.parse(content.toString('utf8')) as readonly LeftEntry[];
  const held = entries.map(({ sources }) => sources.flatMap((source) => live.of(source).places));
  const records = held.map((places, position) => (entries[position]?.node.id === NO_NODE ? [] : places));
  const ids = entries.map(({ node }) => node.id).filter((id) => id !== NO_NODE);
  const sources = entries.flatMap((entry) => entry.sources);
  const ofNone = held.filter((_, position) => entries[position]?.node.id === NO_NODE).flat();
  const dead = [...ofNone, ...ids.flatMap((id) => recordsOfNode(parts, id))];
  index.addDead([...dead, ...sources.flatMap((source) => live.of(source).dead)]);
  index.addFrame({ place, task, records }, ids);
  return { sources, dead };
}

/** Places of the records behind a node as it left the last time. */
export function recordsOfNode({ index, segments }: LogParts, id: string): readonly number[] {
  const frame = index.frameOfNode(id);
  if (!frame) return [];
  const { content } = segments.read(frame.place);
  const entries = JSON.parse(content.toString('utf8')) as readonly LeftEntry[];
  return frame.records[entries.findIndex(({ node }) => node.id === id)] ?? [];
}
