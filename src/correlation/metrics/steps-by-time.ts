/** A stretch of time; the end is open while the step runs. */
export interface Timed {
  readonly start: number;
  readonly end: number;
}

const BUCKET_MS = 10_000;
/** Longer ones, and those that still run, stand in a list of their own: agents and roots, a few at a time. */
const MAX_BUCKETED_MS = 60_000;
/** A change over a longer time is looked for in all buckets. */
const MAX_BUCKETS_WALKED = 60;

/** Finds what ran at a time. */
export class StepsByTime<T extends Timed> {
  private readonly buckets = new Map<number, Set<T>>();
  private readonly long = new Set<T>();

  get isEmpty(): boolean {
    return this.buckets.size === 0 && this.long.size === 0;
  }

  add(step: T): void {
    if (isLong(step)) {
      this.long.add(step);
      return;
    }
    for (let at = bucketOf(step.start); at <= bucketOf(step.end); at++) {
      const bucket = this.buckets.get(at);
      if (bucket) bucket.add(step);
      else this.buckets.set(at, new Set([step]));
    }
  }

  delete(step: T): void {
    if (isLong(step)) {
      this.long.delete(step);
      return;
    }
    for (let at = bucketOf(step.start); at <= bucketOf(step.end); at++) {
      const bucket = this.buckets.get(at);
      if (bucket?.delete(step) === true && bucket.size === 0) this.buckets.delete(at);
    }
  }

  /** Those of which a part lies in [from, to]; one may come more than once. */
  *overlapping(from: number, to: number): Generator<T> {
    for (const step of this.long) if (overlaps(step, from, to)) yield step;
    for (const bucket of this.bucketsWithin(bucketOf(from), bucketOf(to))) {
      for (const step of bucket) if (overlaps(step, from, to)) yield step;
    }
  }

  private *bucketsWithin(from: number, to: number): Generator<Set<T>> {
    if (to - from > MAX_BUCKETS_WALKED) {
      yield* this.buckets.values();
      return;
    }
    for (let at = from; at <= to; at++) {
      const bucket = this.buckets.get(at);
      if (bucket) yield bucket;
    }
  }
}

function isLong({ start, end }: Timed): boolean {
  return end - start > MAX_BUCKETED_MS;
}

function overlaps({ start, end }: Timed, from: number, to: number): boolean {
  return start <= to && end >= from;
}

function bucketOf(time: number): number {
  return Math.floor(time / BUCKET_MS);
}
