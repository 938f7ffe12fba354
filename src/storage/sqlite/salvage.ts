import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Facts } from '../../model/facts.ts';
import { recordKey } from '../record-key.ts';
import { PAGE_BYTES, type Database } from './database.ts';
import { makeTies } from './tied-nodes.ts';

type Value = null | number | bigint | string;
type Row = Readonly<Record<string, Value>>;

/** Rows copied in one transaction. */
const BATCH = 512;
/** Beyond every id. */
const END = 2 ** 52;

/**
 * Copies what can still be read of a damaged database into an empty one. A record of which no more than facts and texts
 * can be read, or whose node cannot, is one of a node in memory.
 * @returns how many records that were
 */
export function salvage(damaged: string, into: Database): number {
  if (!hasTables(damaged)) renewFirstPage(damaged, into);
  if (!hasTables(damaged)) return 0;
  const from = new DatabaseSync(damaged);
  try {
    const key = from.prepare('SELECT source, part, rank, holder, time FROM record WHERE id = ?');
    copy(rowsOf(from, 'task'), into, (row) => insert(into, 'task', [row['id'], row['name'], row['time']]));
    copy(rowsOf(from, 'node'), into, (row) =>
      insert(into, 'node', [row['id'], row['name'], row['task'], row['json']]),
    );
    const records = copy(rowsOf(from, 'body'), into, (body) => {
      const { id, facts, texts } = body;
      const known = attempt(() => key.get(id ?? 0) as Row | undefined) ?? keyOf(String(facts));
      if (!known) return;
      const { source, part, rank, holder, time } = known;
      insert(into, 'record', [id, source, part, rank, holder, time]);
      insert(into, 'body', [id, facts, texts]);
    });
    into.transaction(() => {
      into.sql('UPDATE content SET has_texts = 1').run();
      into.sql('DELETE FROM node WHERE task NOT IN (SELECT id FROM task)').run();
      into.sql('UPDATE record SET holder = 0 WHERE holder > 0 AND holder NOT IN (SELECT id FROM node)').run();
      makeTies(into);
    });
    return records;
  } finally {
    from.close();
  }
}

function hasTables(path: string): boolean {
  const database = new DatabaseSync(path);
  const found = attempt(() => database.prepare('SELECT id FROM record').columns());
  database.close();
  return found !== undefined;
}

/** Where the tables begin stands in the first page, and is the same in every store. Free pages are not looked for. */
function renewFirstPage(path: string, like: Database): void {
  like.emptyLog();
  const page = Buffer.alloc(PAGE_BYTES);
  const source = openSync(like.path, 'r');
  readSync(source, page, 0, PAGE_BYTES, 0);
  closeSync(source);
  // The number of pages of the file.
  page.writeUInt32BE(Math.max(1, Math.floor(statSync(path).size / PAGE_BYTES)), 28);
  const target = openSync(path, 'r+');
  writeSync(target, page, 0, PAGE_BYTES, 0);
  closeSync(target);
}

function copy(rows: Iterable<Row>, into: Database, put: (row: Row) => void): number {
  let count = 0;
  let batch: Row[] = [];
  const flush = (): void => into.transaction(() => batch.forEach(put));
  for (const row of rows) {
    count++;
    batch.push(row);
    if (batch.length < BATCH) continue;
    flush();
    batch = [];
  }
  flush();
  return count;
}

function insert(into: Database, table: string, values: readonly (Value | undefined)[]): void {
  const marks = values.map(() => '?').join(', ');
  into.sql(`INSERT OR IGNORE INTO ${table} VALUES (${marks})`).run(...values.map((value) => value ?? null));
}

/** By what it says itself; undefined when that cannot be read either. */
function keyOf(facts: string): Row | undefined {
  return attempt(() => ({ ...recordKey(JSON.parse(facts) as Facts), holder: 0, time: Date.now() }));
}

/** In the order of their ids; rows on pages that cannot be read are passed over. */
function* rowsOf(from: DatabaseSync, table: string): Generator<Row> {
  const statement = attempt(() => from.prepare(`SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT 1`));
  // A list, so that there being none is told from there being no answer.
  const after = (id: number): readonly Row[] | undefined =>
    attempt(() => statement?.all(id) as readonly Row[]);
  for (let last = 0; last < END;) {
    const row = after(last)?.[0];
    if (row) {
      last = Number(row['id']);
      yield row;
    } else if (after(last)) return;
    else last = endOfGap(last, (id) => after(id) !== undefined);
  }
}

/** The first id from which on something can be read, as far as that is seen without looking at each. */
function endOfGap(from: number, isReadable: (id: number) => boolean): number {
  let good = from + 1;
  let bad = from;
  while (good < END && !isReadable(good)) {
    bad = good;
    good = from + (good - from) * 2;
  }
  while (good - bad > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
