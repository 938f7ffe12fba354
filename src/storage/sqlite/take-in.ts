import type { Facts } from '../../model/facts.ts';
import { recordKey, type RecordKey } from '../record-key.ts';
import type { LeavingNode } from '../record-store.ts';
import type { LeftItem, StoredItem, StoredRecord } from '../exported/stored-items.ts';
import type { Database } from './database.ts';
import { Records } from './records.ts';

/**
 * Takes what another store had. What is there already, from an earlier time or from a sender who came to both, stays as it is,
 * so that taking it once more changes nothing.
 */
export class TakeIn {
  private readonly database: Database;
  private readonly records: Records;
  private readonly keepsMarkers: boolean;
  /** Nodes here that left memory, by the sources of their records: on the disk there is no index of it. */
  private readonly leftBySource = new Map<string, number>();

  /**
   * @param keepsMarkers whether both stores have one redaction key: then a node that had left memory is taken as it was
   *   shown. Else its markers would be others than those of its texts from now on, so it is made anew from its records.
   */
  constructor(database: Database, keepsMarkers: boolean) {
    this.database = database;
    this.records = new Records(database);
    this.keepsMarkers = keepsMarkers;
    const rows = database
      .sql(
        `SELECT source, holder FROM record JOIN node ON node.id = holder JOIN task ON task.id = node.task
         WHERE holder > 0 AND node.name IS NOT NULL AND task.name IS NOT NULL`,
      )
      .iterate();
    for (const row of rows) this.leftBySource.set(String(row['source']), Number(row['holder']));
  }

  /** Keeps them, all or none. @throws Error of the file system or of SQLite */
  put(items: readonly StoredItem[], now: number): void {
    this.records.transaction(() => {
      this.database.sql('UPDATE content SET has_texts = 1 WHERE has_texts = 0').run();
      for (const item of items)
        if (item.kind === 'live') this.putLive(item, now);
        else this.putLeft(item, now);
    });
  }

  private putLeft({ task, json, ties, records }: LeftItem, now: number): void {
    const { node, sources } = JSON.parse(json) as LeavingNode;
    // What was made of another node's records is made again where that node is in memory.
    const owner = node.details?.['partOf'];
    const isNew =
      this.leftNode(node.id) === undefined &&
      [...sources, ...(typeof owner === 'string' ? [owner] : [])].every((source) => this.isNotLive(source)) &&
      sources.every((source) => !this.leftBySource.has(source));
    if (this.keepsMarkers && isNew) {
      for (const record of records) this.add(keyOf(record), record, now);
      this.records.put([task, node.id, sources, json, ties], now);
      const id = this.leftNode(node.id);
      if (id !== undefined) for (const record of records) this.leftBySource.set(keyOf(record).source, id);
    } else for (const record of records) this.putLive(record, now);
  }

  private putLive(record: StoredRecord, now: number): void {
    const key = keyOf(record);
    const left = this.leftBySource.get(key.source);
    if (left !== undefined) {
      if (this.has(left, key, record)) return;
      this.bringBack(left, now);
    }
    // Of what has no order but that of its coming, what is here counts.
    if (key.rank === Infinity && !this.isNotLive(key.source)) return;
    this.add(key, record, now);
  }

  private isNotLive(source: string): boolean {
    return this.records.idsOf(source).length === 0;
  }

  private add({ source, part, rank }: RecordKey, { facts, texts }: StoredRecord, now: number): void {
    this.records.put([source, part, rank, facts, texts], now);
  }

  private leftNode(name: string): number | undefined {
    const found = this.database
      .sql(
        'SELECT node.id AS id FROM node JOIN task ON task.id = node.task WHERE node.name = ? AND task.name IS NOT NULL',
      )
      .get(name);
    return found && Number(found['id']);
  }

  /** Whether a node that left memory has this state of a record, or one that counts more. */
  private has(node: number, { source, part, rank }: RecordKey, { facts, texts }: StoredRecord): boolean {
    const found = this.database
      .sql(
        `SELECT 1 FROM record JOIN body ON body.id = record.id WHERE holder = ? AND holder <> 0 AND source = ? AND part = ?
         AND (rank > ? OR rank = 9e999 OR (rank = ? AND facts = ? AND texts = ?))`,
      )
      .get(node, source, part, rank, rank, facts, texts);
    return found !== undefined;
  }

  /** A node that left memory is joined with what comes, when the service starts. */
  private bringBack(node: number, now: number): void {
    const sources = this.database
      .sql('SELECT DISTINCT source FROM record WHERE holder = ? AND holder <> 0')
      .all(node);
    for (const { source } of sources) this.leftBySource.delete(String(source));
    this.records.put([[node]], now);
  }
}

function keyOf({ facts }: StoredRecord): RecordKey {
  return recordKey(JSON.parse(facts) as Facts);
}
