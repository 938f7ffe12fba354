import type { MetricRecord } from '../../model/records.ts';
import type { MetricClass } from './metric-classes.ts';
import { seriesId } from './metric-label.ts';
import { Series } from './series.ts';

/** Senders at a time; of more the one that has been silent longest goes. */
const MAX_RESOURCES = 256;
/** Series of one resource. CPU, memory, GPU and queue figures of one program are a few dozen. */
const MAX_SERIES = 64;
/** Points of one resource: 30 series every 10 s are kept for 20 minutes, longer than nearly all steps take. */
const MAX_POINTS = 4096;
/** Points of all resources: about 12 MB. */
const MAX_ALL_POINTS = 250_000;
/** A series that has had no point for so long makes room for a new one. */
const SILENT_MS = 5 * 60_000;
/** 6 doubles, in an array that grows by half. */
const BYTES_PER_POINT = 72;
const BYTES_PER_SERIES = 1000;

/** What one resource has measured. */
export class ResourcePoints {
  readonly series = new Map<string, Series>();
  size = 0;
  /** What was measured at or before this time is not all there any more. */
  forgottenThrough: number;
  private sorted: readonly Series[] | undefined;

  constructor(forgottenThrough: number) {
    this.forgottenThrough = forgottenThrough;
  }

  /** In an order of content, so that sums of doubles come out the same. */
  inOrder(): readonly Series[] {
    this.sorted ??= [...this.series.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    return this.sorted;
  }

  /** The series of a record; undefined when there are too many. */
  seriesOf(record: MetricRecord, metric: MetricClass): Series | undefined {
    const id = seriesId(record);
    const held = this.series.get(id);
    if (held !== undefined) return held;
    if (this.series.size >= MAX_SERIES && !this.makeRoom(record.time)) return undefined;
    const made = new Series(id, record, metric);
    this.series.set(id, made);
    this.sorted = undefined;
    return made;
  }

  /** The oldest point of the series that has the most of them. */
  dropOne(): void {
    let largest: Series | undefined;
    for (const series of this.series.values()) {
      if (largest === undefined || series.size > largest.size) largest = series;
    }
    if (largest === undefined) return;
    this.forgottenThrough = Math.max(this.forgottenThrough, largest.dropFirst());
    this.size--;
  }

  private makeRoom(now: number): boolean {
    let oldest: Series | undefined;
    for (const series of this.series.values()) {
      if (oldest === undefined || series.last < oldest.last) oldest = series;
    }
    if (oldest === undefined || oldest.last > now - SILENT_MS) return false;
    this.series.delete(oldest.id);
    this.size -= oldest.size;
    this.forgottenThrough = Math.max(this.forgottenThrough, oldest.last);
    return true;
  }
}

/** The latest points of each resource. Bounded whatever arrives: see the constants above. */
export class PointStore {
  private readonly resources = new Map<string, ResourcePoints>();
  private size = 0;
  private seriesCount = 0;
  /** The latest time of a resource that had to go: what a new one of the same name can't know. */
  private forgottenThrough = -Infinity;
  private restoredThrough = -Infinity;

  get bytes(): number {
    return this.size * BYTES_PER_POINT + this.seriesCount * BYTES_PER_SERIES;
  }

  get(key: string): ResourcePoints | undefined {
    return this.resources.get(key);
  }

  /** After a restart: what was measured until then is known only as far as it was joined. */
  forgetThrough(time: number): void {
    this.restoredThrough = Math.max(this.restoredThrough, time);
  }

  /** Is everything known that this resource has measured since then? */
  isCompleteSince(key: string, time: number): boolean {
    const forgotten = this.resources.get(key)?.forgottenThrough ?? this.forgottenThrough;
    return Math.max(forgotten, this.restoredThrough) < time;
  }

  /** @returns until when what is known has changed, from the time of the record on; undefined: nothing has */
  add(key: string, record: MetricRecord, metric: MetricClass): number | undefined {
    const points = this.touch(key);
    const [size, seriesCount] = [points.size, points.series.size];
    const until = this.addTo(points, record, metric);
    this.size += points.size - size;
    this.seriesCount += points.series.size - seriesCount;
    while (this.size > MAX_ALL_POINTS) this.dropOldest();
    return until;
  }

  private addTo(points: ResourcePoints, record: MetricRecord, metric: MetricClass): number | undefined {
    const series = points.seriesOf(record, metric);
    if (series === undefined) return undefined;
    // It would be the next to go.
    if (points.size >= MAX_POINTS && series.size > 0 && record.time < series.first) return undefined;
    const before = series.size;
    const until = series.add(record);
    points.size += series.size - before;
    while (points.size > MAX_POINTS) points.dropOne();
    return until;
  }

  private touch(key: string): ResourcePoints {
    const held = this.resources.get(key);
    if (held !== undefined) {
      // Map order is the order of use.
      this.resources.delete(key);
      this.resources.set(key, held);
      return held;
    }
    if (this.resources.size >= MAX_RESOURCES) this.dropOldest();
    const made = new ResourcePoints(this.forgottenThrough);
    this.resources.set(key, made);
    return made;
  }

  private dropOldest(): void {
    for (const [key, points] of this.resources) {
      this.resources.delete(key);
      this.size -= points.size;
      this.seriesCount -= points.series.size;
      for (const { last } of points.series.values()) {
        this.forgottenThrough = Math.max(this.forgottenThrough, last);
      }
      return;
    }
  }
}
