import { HEADER_BYTES, type FrameHeader } from './frame.ts';
import { segmentOf } from './segment.ts';

/** One state of a record in the log. */
interface Version {
  readonly place: number;
  readonly part: number;
  readonly rank: number;
  readonly length: number;
  readonly crc: number;
}

type VersionFields = Pick<FrameHeader, 'part' | 'rank' | 'contentLength' | 'contentCrc'>;

/** A source of which the log holds more than one frame. */
interface Several {
  versions: Version[];
  /** Places of states that were replaced and are still in the log. */
  dead: number[];
}

/**
 * The records that nodes in memory stand on, by source key. Of the states of one part of a source those with the
 * highest rank count; of two that are alike the one that came first, since the other is a redelivery.
 */
export class LiveSources {
  private readonly bySource = new Map<string, number | Several>();
  private readonly counts = new Map<number, number>();
  private readonly headerAt: (place: number) => VersionFields;

  /** @param headerAt of the header of the frame at a place; asked when a source comes again */
  constructor(headerAt: (place: number) => VersionFields) {
    this.headerAt = headerAt;
  }

  get size(): number {
    return this.bySource.size;
  }

  countIn(segment: number): number {
    return this.counts.get(segment) ?? 0;
  }

  sources(): Iterable<string> {
    return this.bySource.keys();
  }

  /** All places, in the order of the log. */
  places(): Float64Array {
    const places: number[] = [];
    for (const held of this.bySource.values()) {
      if (typeof held === 'number') places.push(held);
      else for (const { place } of held.versions) places.push(place);
    }
    return Float64Array.from(places).sort();
  }

  /** Where the records of a source are, and where those are that were replaced and are still in the log. */
  of(source: string): { readonly places: readonly number[]; readonly dead: readonly number[] } {
    const held = this.bySource.get(source);
    if (held === undefined) return { places: NONE, dead: NONE };
    if (typeof held === 'number') return { places: [held], dead: NONE };
    return { places: held.versions.map(({ place }) => place), dead: held.dead };
  }

  has(source: string, place: number): boolean {
    const held = this.bySource.get(source);
    if (held === undefined || typeof held === 'number') return held === place;
    return held.versions.some((version) => version.place === place);
  }

  /**
   * @param frame asked for its header when the source is there already
   * @returns the places of records that are dead now, the new one perhaps among them
   */
  add(source: string, place: number, frame: { readonly header: VersionFields }): readonly number[] {
    const held = this.bySource.get(source);
    if (held === undefined) {
      this.bySource.set(source, place);
      this.count(place, 1);
      return NONE;
    }
    const several = typeof held === 'number' ? this.several(source, held) : held;
    const added = versionOf(place, frame.header);
    const dead: number[] = [];
    const isReplaced = added.rank < Infinity && several.versions.some((other) => replaces(other, added));
    if (isReplaced) dead.push(place);
    else {
      for (const other of several.versions) if (replaces(added, other)) dead.push(other.place);
      several.versions = several.versions.filter((other) => !replaces(added, other));
      several.versions.push(added);
      this.count(place, 1);
      for (const other of dead) this.count(other, -1);
    }
    several.dead.push(...dead);
    return dead;
  }

  remove(source: string): void {
    for (const place of this.of(source).places) this.count(place, -1);
    this.bySource.delete(source);
  }

  /** A segment was rewritten: what was dead in it is gone, and the rest has other places. */
  move(source: string, segment: number, places: ReadonlyMap<number, number>): void {
    const held = this.bySource.get(source);
    if (held === undefined) return;
    if (typeof held === 'number') {
      this.bySource.set(source, places.get(held) ?? held);
      return;
    }
    held.versions = held.versions.map((version) => ({
      ...version,
      place: places.get(version.place) ?? version.place,
    }));
    held.dead = held.dead.filter((place) => segmentOf(place) !== segment);
  }

  clear(): void {
    this.bySource.clear();
    this.counts.clear();
  }

  private several(source: string, place: number): Several {
    const several: Several = { versions: [versionOf(place, this.headerAt(place))], dead: [] };
    this.bySource.set(source, several);
    return several;
  }

  private count(place: number, by: number): void {
    const segment = segmentOf(place);
    this.counts.set(segment, this.countIn(segment) + by);
  }
}

const NONE: readonly number[] = [];

function versionOf(place: number, { part, rank, contentLength, contentCrc }: VersionFields): Version {
  return { place, part, rank, length: contentLength, crc: contentCrc };
}

function replaces(a: Version, b: Version): boolean {
  if (a.part !== b.part && !Number.isNaN(b.part)) return false;
  if (a.rank < b.rank) return false;
  // Of records of which the newest counts, `a` is the newer one.
  if (a.rank > b.rank || a.rank === Infinity) return true;
  return a.length === b.length && a.crc === b.crc;
}

/** What a record takes on the disk, its chunks counted as if no other shared them. */
export function bytesOf({ length, isChunked, contentLength }: FrameHeader): number {
  return HEADER_BYTES + length + (isChunked ? contentLength : 0);
}
