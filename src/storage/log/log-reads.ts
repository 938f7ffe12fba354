import type { ErasureOrder } from './erasure.ts';
import { FRAME_KIND, type FrameHeader } from './frame.ts';
import { sourceAt, type LogParts } from './rewrite.ts';
import type { Say } from './say.ts';
import { placeOf, segmentOf } from './segment.ts';
import type { Segments } from './segments.ts';
import type { LeftEntry, StoredNode, StoredRecord } from './stored.ts';

/** Some nodes of a task that left memory, as a JSON array, and where to go on; undefined after the last. */
export interface LeftPage {
  readonly entries: string;
  readonly next: number | undefined;
}

/** Nodes that left are handed over in answers of about this size. */
const PAGE_CHARS = 4 * 1024 * 1024;

/** What is asked of the log. What cannot be read is said and left out. @throws Error when the index fails */
export class LogReads {
  private readonly parts: LogParts;
  private readonly say: Say;

  constructor(parts: LogParts, say: Say) {
    this.parts = parts;
    this.say = say;
  }

  /** The texts of records that nodes in memory stand on, as JSON; absent where there are none. */
  texts(sources: readonly string[]): { readonly [source: string]: string } {
    const found: Record<string, string> = {};
    for (const source of sources) {
      for (const place of this.parts.live.of(source).places) {
        const texts = this.recordAt(place)?.texts;
        if (texts !== undefined && texts !== '') found[source] = texts;
      }
    }
    return found;
  }

  /** A node that left memory, and the records behind it. */
  leftNode(id: string): StoredNode | undefined {
    const frame = this.parts.index.frameOfNode(id);
    if (!frame) return undefined;
    const entries = this.entriesAt(frame.place);
    const position = entries.findIndex(({ node }) => node.id === id);
    const entry = entries[position];
    if (!entry) return undefined;
    const records = (frame.records[position] ?? []).map((place) => this.recordAt(place));
    return { entry, records: records.filter((record) => record !== undefined) };
  }

  /**
   * Nodes of a task that left memory, each as it was the last time; as a JSON array, with where to go on.
   * @param after where the page before ended; 0 at first
   */
  leftPage(task: string, after: number): LeftPage {
    const entries: string[] = [];
    let chars = 0;
    const frames = this.parts.index.framesOfTask(task);
    for (const { place } of frames) {
      if (place <= after) continue;
      if (chars > PAGE_CHARS) return { entries: `[${entries.join(',')}]`, next: after };
      after = place;
      for (const entry of this.entriesAt(place)) {
        if (this.parts.index.frameOfNode(entry.node.id)?.place !== place) continue;
        const json = JSON.stringify(entry);
        entries.push(json);
        chars += json.length;
      }
    }
    return { entries: `[${entries.join(',')}]`, next: undefined };
  }

  /** Every record that the log keeps, live or left, in its order. For looking into it, not for every day. */
  *records(): Generator<StoredRecord> {
    for (const segment of this.parts.segments.list()) {
      const { number } = segment;
      const left = new Set(this.parts.index.recordsBetween(placeOf(number, 0), placeOf(number + 1, 0)));
      const { bytes, scan } = this.parts.segments.scan(segment, this.say);
      for (const found of scan.frames) {
        const place = placeOf(number, found.offset);
        if (found.header.kind !== FRAME_KIND.record) continue;
        if (!left.has(place) && !this.parts.live.has(sourceAt(bytes, found), place)) continue;
        const record = this.recordAt(place);
        if (record) yield record;
      }
    }
  }

  /** Undefined when it cannot be read, which is said. */
  recordAt(place: number): StoredRecord | undefined {
    try {
      const { header, source, content } = this.parts.segments.read(place);
      return {
        source,
        facts: content.toString('utf8', 0, header.factsLength),
        texts: content.toString('utf8', header.factsLength),
      };
    } catch {
      this.sayUnreadable(place, 'a record of the log cannot be read: it is left out');
      return undefined;
    }
  }

  entriesAt(place: number): readonly LeftEntry[] {
    try {
      return JSON.parse(this.parts.segments.read(place).content.toString('utf8')) as readonly LeftEntry[];
    } catch {
      this.sayUnreadable(place, 'nodes in the log cannot be read: they are left out');
      return [];
    }
  }

  /** With what the index knows now of what is to be erased: after a crash it may have forgotten it. */
  wholeOrder(order: ErasureOrder): ErasureOrder {
    const { index } = this.parts;
    const places = order.tasks.flatMap((task) => index.framesOfTask(task).map(({ place }) => place));
    const entries = places.flatMap((place) => this.entriesAt(place).map((entry) => ({ place, ...entry })));
    const newest = entries.filter(({ node, place }) => index.frameOfNode(node.id)?.place === place);
    return {
      ...order,
      left: entries.flatMap(({ sources }) => sources),
      nodes: newest.map(({ node }) => node.id),
    };
  }

  private sayUnreadable(place: number, message: string): void {
    this.say('error', { segment: segmentOf(place) }, message);
  }
}

/** Of the header of a record that cannot be read: whatever comes replaces it. */
const UNREADABLE = { part: NaN, rank: -Infinity, contentLength: 0, contentCrc: 0 };

/** What decides between the states of a record. */
export function headerOf(
  place: number,
  segments: Segments,
  say: Say,
): Pick<FrameHeader, keyof typeof UNREADABLE> {
  const header = segments.headerAt(place);
  if (!header)
    say('error', { segment: segmentOf(place) }, 'a record of the log cannot be read: it is left out');
  return header ?? UNREADABLE;
}
