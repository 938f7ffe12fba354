import type { Database } from './database.ts';

/** One state of one part of a source. */
export interface LiveRecord {
  readonly id: number;
  readonly part: number;
}

/** Most sources have one record, of part 0: that is its id. */
type Held = number | readonly LiveRecord[];

/**
 * The records of nodes in memory by source. An index in memory, made from the table at the start: one on the disk would be
 * half of what is written for a record, since sources come in no order.
 */
export class LiveRecords {
  private readonly bySource = new Map<string, Held>();
  /** What stood there before the transaction that is under way. */
  private readonly before = new Map<string, Held | undefined>();

  constructor(database: Database) {
    const rows = database.sql('SELECT id, source, part FROM record WHERE holder = 0 ORDER BY id').iterate();
    for (const row of rows)
      this.add(String(row['source']), { id: Number(row['id']), part: Number(row['part']) });
    this.commit();
  }

  of(source: string): readonly LiveRecord[] {
    const held = this.bySource.get(source);
    if (held === undefined) return [];
    return typeof held === 'number' ? [{ id: held, part: 0 }] : held;
  }

  add(source: string, record: LiveRecord): void {
    const held = this.of(source);
    this.set(source, held.length === 0 && record.part === 0 ? record.id : [...held, record]);
  }

  remove(source: string, id: number): void {
    const rest = this.of(source).filter((record) => record.id !== id);
    this.set(source, rest.length === 0 ? undefined : rest);
  }

  removeAll(source: string): void {
    this.set(source, undefined);
  }

  commit(): void {
    this.before.clear();
  }

  rollback(): void {
    for (const [source, held] of this.before) this.put(source, held);
    this.before.clear();
  }

  private set(source: string, held: Held | undefined): void {
    if (!this.before.has(source)) this.before.set(source, this.bySource.get(source));
    this.put(source, held);
  }

  private put(source: string, held: Held | undefined): void {
    if (held === undefined) this.bySource.delete(source);
    else this.bySource.set(source, held);
  }
}
