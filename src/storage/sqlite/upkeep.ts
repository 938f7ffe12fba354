import type { Database } from './database.ts';
import type { Dropped, Records } from './records.ts';
import type { Say } from './say.ts';

export interface Limits {
  /** Of all files of the store. */
  readonly maxBytes: number;
  readonly retentionMs: number;
}

/** Told of what was deleted because it was too old or too much. */
export type OnDropped = (reason: 'limit' | 'retention', tasks: number, records: number) => void;

/** Share of the bound from which on room is made: what comes until the next look has to fit as well. */
const FULL_SHARE = 0.95;
/** Share of the bound that is kept then, so that room is not made all the time. */
const KEEP_SHARE = 0.85;
/** About what a record takes beside its facts and texts. */
const ROW_BYTES = 100;
/** Free pages, as a share of those in use, that stay in the file to be written again; more are given back. */
const MAX_FREE_SHARE = 0.25;
const MIN_FREE_BYTES = 4 * 1024 * 1024;
/** Given back to the system in one step, which takes some ten milliseconds. */
const SHRINK_BYTES = 1024 * 1024;

/** Keeps the store small: what is too old goes, and the oldest goes when there is no room. */
export class Upkeep {
  private readonly database: Database;
  private readonly records: Records;
  private limits: Limits;
  private readonly say: Say;
  private readonly onDropped: OnDropped;
  /** Something was deleted since the write-ahead log was emptied, and may still stand there. */
  private hasSwept = true;
  /** What was deleted for want of room since this was last told. */
  private dropped: Dropped | undefined;

  constructor(database: Database, records: Records, limits: Limits, say: Say, onDropped: OnDropped) {
    this.database = database;
    this.records = records;
    this.limits = limits;
    this.say = say;
    this.onDropped = onDropped;
  }

  bound(maxBytes: number): void {
    this.limits = { ...this.limits, maxBytes };
  }

  /** Makes one step of some milliseconds. @returns whether there may be more to do */
  step(now: number): boolean {
    return this.sweep() || this.dropExpired(now) || this.makeRoom() || this.shrink();
  }

  /** Deletes some of what nobody sees any more, for good. @returns whether there is more of it */
  sweep(): boolean {
    if (this.records.transaction(() => this.records.sweep())) return (this.hasSwept = true);
    if (this.hasSwept && !this.dropped) {
      this.database.emptyLog();
      this.hasSwept = false;
    }
    return false;
  }

  /** @returns whether something was dropped */
  dropExpired(now: number): boolean {
    const limit = now - this.limits.retentionMs;
    const oldest = [
      'SELECT time FROM record ORDER BY id LIMIT 1',
      'SELECT time FROM task WHERE name IS NOT NULL ORDER BY id LIMIT 1',
    ].map((sql) => Number(this.database.sql(sql).get()?.['time'] ?? Infinity));
    if (Math.min(...oldest) >= limit) return false;
    const upTo = this.database.number('SELECT max(id) FROM record WHERE time < ?', limit);
    const { tasks, records } = this.drop(upTo, limit);
    if (tasks + records === 0) return false;
    this.say('info', { tasks, records }, 'deleted what is older than persistRetentionDays');
    this.onDropped('retention', tasks, records);
    return true;
  }

  private makeRoom(): boolean {
    const { maxBytes } = this.limits;
    const { used, free } = this.database.pages;
    // Free pages are written again before the file grows.
    const isFull = this.database.bytes - free > maxBytes * FULL_SHARE;
    const excess = used - maxBytes * KEEP_SHARE;
    if ((isFull || this.dropped) && excess > 0) {
      // By estimate, so half of it at a time: a few steps come close without dropping too much.
      const { tasks, records } = this.dropOldest(excess / 2);
      this.dropped = {
        tasks: (this.dropped?.tasks ?? 0) + tasks,
        records: (this.dropped?.records ?? 0) + records,
      };
      if (tasks + records > 0) return true;
    }
    this.sayDropped();
    return false;
  }

  /** Drops the oldest records that take about so many bytes, with their tasks. */
  private dropOldest(bytes: number): Dropped {
    const oldest = this.database
      .sql(
        `SELECT body.id AS id, time, octet_length(facts) + octet_length(texts) AS bytes
         FROM body JOIN record ON record.id = body.id ORDER BY body.id`,
      )
      .iterate();
    // Without records all tasks may go: what takes the room belongs to nobody.
    let [upTo, found, time] = [0, 0, Infinity];
    for (const row of oldest) {
      [upTo, time] = [Number(row['id']), Number(row['time'])];
      found += ROW_BYTES + Number(row['bytes']);
      if (found >= bytes) break;
    }
    return this.drop(upTo, time);
  }

  /** Records up to this one with their tasks, and tasks since before this time that have none. */
  private drop(upTo: number, before: number): Dropped {
    return this.records.transaction(() => {
      const { tasks, records } = this.records.buryUpTo(upTo);
      return { tasks: tasks + this.records.buryEmpty(before), records };
    });
  }

  private sayDropped(): void {
    if (!this.dropped) return;
    const { tasks, records } = this.dropped;
    this.dropped = undefined;
    const fields = { tasks, records, maxStoreBytes: this.limits.maxBytes };
    this.say('warn', fields, 'maxStoreBytes reached: the oldest tasks are deleted');
    this.onDropped('limit', tasks, records);
  }

  private shrink(): boolean {
    const { used, free } = this.database.pages;
    const isTooLarge = free > 0 && this.database.bytes > this.limits.maxBytes * FULL_SHARE;
    if (!isTooLarge && free <= Math.max(used * MAX_FREE_SHARE, MIN_FREE_BYTES)) return false;
    this.database.shrink(SHRINK_BYTES);
    this.database.emptyLog();
    return true;
  }
}
