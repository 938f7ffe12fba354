import type { LiveSources } from './live-sources.ts';
import type { LogReads } from './log-reads.ts';

/** Records handed over at once at the start: some ten milliseconds of work for correlation. */
const RESTORE_RECORDS = 100;
const RESTORE_CHARS = 256 * 1024;

/** Goes once through the records that nodes in memory stand on, in the order of the log. */
export class Restoring {
  private readonly live: LiveSources;
  /** From the first call to the last one; places hold only as long as no segment is rewritten. */
  private places: Float64Array | undefined;
  private done = 0;

  /** @param live as it is at the first call; what comes later is not restored */
  constructor(live: LiveSources) {
    this.live = live;
  }

  /** Has it begun, and not come to its end? */
  get isUnderWay(): boolean {
    return this.places !== undefined;
  }

  /** The facts of the next records as a JSON array; undefined when all were given. */
  next(reads: LogReads): { readonly facts: string; readonly count: number } | undefined {
    const facts: string[] = [];
    let chars = 0;
    const places = (this.places ??= this.live.places());
    while (this.done < places.length && facts.length < RESTORE_RECORDS && chars < RESTORE_CHARS) {
      const record = reads.recordAt(places[this.done++] ?? 0);
      if (!record) continue;
      facts.push(record.facts);
      chars += record.facts.length;
    }
    if (facts.length === 0) {
      this.places = undefined;
      this.done = 0;
      return undefined;
    }
    return { facts: `[${facts.join(',')}]`, count: facts.length };
  }
}
