import { FRAME_KIND, HEADER_BYTES } from './frame.ts';
import { bytesOf } from './live-sources.ts';
import { rewriteSegment, sourceAt, type LogParts } from './rewrite.ts';
import type { Say } from './say.ts';
import { placeOf, segmentOf } from './segment.ts';
import type { Segment } from './segments.ts';

export interface UpkeepLimits {
  /** Of log and index together. */
  readonly maxBytes: number;
  readonly retentionMs: number;
  readonly segmentBytes: number;
}

/** A segment is written anew when more than this share of it is dead. */
const DEAD_SHARE = 0.5;
/** What stays when the bound is reached, so that not every segment has to make room anew. */
const KEEP_SHARE = 0.9;

const NOWHERE: ReadonlyMap<number, number> = new Map();

/** Told of what was deleted because it was too old or too much. */
export type OnDropped = (reason: 'limit' | 'retention', tasks: number, records: number) => void;

/** Keeps the store small: what is too old goes, what is dead is taken out, and the oldest goes when there is no room. */
export class Upkeep {
  private readonly parts: LogParts;
  private readonly limits: UpkeepLimits;
  private readonly say: Say;
  private readonly onDropped: OnDropped;

  constructor(parts: LogParts, limits: UpkeepLimits, say: Say, onDropped: OnDropped) {
    this.parts = parts;
    this.limits = limits;
    this.say = say;
    this.onDropped = onDropped;
  }

  /** Makes one step, of at most a few segments. @returns whether there may be more to do */
  step(now: number): boolean {
    return this.dropExpired(now) || this.makeRoom() || this.compact();
  }

  /** A record is still in the log, but nothing stands on it any more. */
  countDead(place: number): void {
    const segment = this.parts.segments.get(segmentOf(place));
    const header = segment && this.parts.segments.headerAt(place);
    if (segment && header) segment.deadBytes += bytesOf(header);
  }

  private get bytes(): number {
    return this.parts.segments.bytes + this.parts.index.bytes;
  }

  private dropExpired(now: number): boolean {
    const { segments } = this.parts;
    const limit = now - this.limits.retentionMs;
    const isExpired = ({ lastTime }: Segment): boolean => lastTime > 0 && lastTime < limit;
    // What is written to now is given an end, so that it can go as a whole.
    if (segments.active && isExpired(segments.active)) segments.rotate();
    const expired = segments.list().find((segment) => segment !== segments.active && isExpired(segment));
    if (!expired) return false;
    const { tasks, records } = this.dropSegment(expired);
    this.say('info', { tasks, records }, 'deleted what is older than persistRetentionDays');
    this.onDropped('retention', tasks, records);
    return true;
  }

  private makeRoom(): boolean {
    const { maxBytes } = this.limits;
    if (this.bytes <= maxBytes) return false;
    // First what costs nobody anything.
    if (this.compact()) return true;
    let tasks = 0;
    let records = 0;
    while (this.bytes > maxBytes * KEEP_SHARE) {
      const oldest = this.oldest();
      if (!oldest) break;
      const dropped = this.dropSegment(oldest);
      tasks += dropped.tasks;
      records += dropped.records;
    }
    if (records === 0) return false;
    const fields = { tasks, records, maxStoreBytes: maxBytes };
    this.say('warn', fields, 'maxStoreBytes reached: the oldest tasks are deleted');
    this.onDropped('limit', tasks, records);
    return true;
  }

  /** Undefined when only the one is left that is written to, and there is not much in it. */
  private oldest(): Segment | undefined {
    const { segments } = this.parts;
    const [oldest] = segments.list();
    if (oldest !== segments.active) return oldest;
    if (!oldest || oldest.bytes <= this.limits.segmentBytes / 2) return undefined;
    segments.rotate();
    return oldest;
  }

  /** Of tasks that left memory everything goes with it; of nodes in memory the records that stand here. */
  private dropSegment(segment: Segment): { readonly tasks: number; readonly records: number } {
    const { index, live, segments } = this.parts;
    const from = placeOf(segment.number, 0);
    const to = placeOf(segment.number + 1, 0);
    const { bytes, scan } = segments.scan(segment, this.say);
    const places: number[] = [];
    const dropped: string[] = [];
    const sources = new Set<string>();
    const tasks = index.tasksBetween(from, to);
    // The file goes first: were the index ahead of it, what is in the file would come back after a crash.
    segments.remove(segment);
    index.transaction(() => {
      for (const task of tasks) {
        const removed = index.removeTask(task);
        places.push(...removed.records, ...removed.frames);
      }
      for (const found of scan.frames) {
        if (found.header.kind !== FRAME_KIND.record) continue;
        const source = sourceAt(bytes, found);
        sources.add(source);
        if (!live.has(source, placeOf(segment.number, found.offset))) continue;
        const of = live.of(source);
        places.push(...of.places);
        index.addDead([...of.places, ...of.dead]);
        dropped.push(source);
      }
      index.removeDead(from, to);
      index.forgetSegment(segment.number);
    });
    for (const source of dropped) live.remove(source);
    for (const source of sources) live.move(source, segment.number, NOWHERE);
    for (const place of places) this.countDead(place);
    return { tasks: tasks.length, records: places.length };
  }

  private compact(): boolean {
    const { segments } = this.parts;
    const isWorthIt = ({ deadBytes, bytes }: Segment): boolean =>
      deadBytes > (bytes - HEADER_BYTES) * DEAD_SHARE;
    const worst = segments.list().find((segment) => segment !== segments.active && isWorthIt(segment));
    if (!worst) return false;
    worst.deadBytes = 0;
    rewriteSegment(this.parts, worst, false);
    return true;
  }
}
