import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { statSync } from 'node:fs';
import type { ArchiveIndex, LeftFrame, SegmentNote } from './archive-index.ts';

/** Raised with every change of the tables: an index of another version is made anew from the log. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE position (log_id REAL NOT NULL, place INTEGER NOT NULL);
  CREATE TABLE segment (
    number INTEGER PRIMARY KEY, generation INTEGER NOT NULL, bytes INTEGER NOT NULL, dead_bytes INTEGER NOT NULL,
    needed INTEGER NOT NULL, last_time REAL NOT NULL
  );
  CREATE TABLE frame (id INTEGER PRIMARY KEY, place INTEGER NOT NULL UNIQUE, task TEXT NOT NULL, records TEXT NOT NULL);
  CREATE INDEX frame_task ON frame (task, place);
  CREATE TABLE node (name TEXT PRIMARY KEY, frame INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX node_frame ON node (frame);
  -- Frame 0: a dead record.
  CREATE TABLE record (place INTEGER PRIMARY KEY, frame INTEGER NOT NULL);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;
const TABLES = ['position', 'segment', 'node', 'record', 'frame'];

/** Room for the upper pages of all trees; the rest is the operating system's. */
const CACHE_KIB = 16 * 1024;
/** The write-ahead log is emptied into the database about here, and earlier where the whole store is small. */
const MAX_WAL_BYTES = 4 * 1024 * 1024;
const MAX_WAL_SHARE = 1 / 32;
const PAGE_BYTES = 4096;
const MIN_WAL_PAGES = 8;
/** Another program that looks into the database holds it for a moment, not for longer. */
const BUSY_MS = 2000;

interface FrameRow {
  readonly id: number;
  readonly place: number;
  readonly task: string;
  readonly records: string;
}

type Open = (path: string) => DatabaseSync;

/** Undefined where Node has no `node:sqlite` (before 22.5). */
export async function loadSqlite(): Promise<Open | undefined> {
  try {
    const { DatabaseSync: Database } = await import('node:sqlite');
    return (path) => new Database(path);
  } catch {
    return undefined;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; the rest of a code is details. */
const DAMAGE = new Set([11, 26]);

/** Says whether a database that failed so does no good any more, however long one waits. */
export function isDamage(error: unknown): error is Error {
  if (error instanceof SyntaxError) return true;
  const code = (error as { readonly errcode?: unknown }).errcode;
  return error instanceof Error && typeof code === 'number' && DAMAGE.has(code & 0xff);
}

/** The index as a SQLite database. Everything in it is derived from the log, so what it cannot read it throws away. */
export class SqliteArchiveIndex implements ArchiveIndex {
  private readonly database: DatabaseSync;
  private readonly path: string;
  private readonly statements = new Map<string, StatementSync>();

  /**
   * @param maxBytes of the whole store
   * @throws Error when the file is no database, is damaged, or is locked
   */
  constructor(open: Open, path: string, maxBytes: number) {
    this.path = path;
    this.database = open(path);
    try {
      this.prepare(Math.min(MAX_WAL_BYTES, maxBytes * MAX_WAL_SHARE));
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  get position(): { readonly logId: number; readonly place: number } | undefined {
    const row = this.statement('SELECT log_id AS logId, place FROM position').get();
    return row && { logId: Number(row['logId']), place: Number(row['place']) };
  }

  get bytes(): number {
    return [this.path, `${this.path}-wal`].reduce(
      (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  segments(): readonly SegmentNote[] {
    return this.statement('SELECT * FROM segment ORDER BY number')
      .all()
      .map((row) => ({
        number: Number(row['number']),
        generation: Number(row['generation']),
        bytes: Number(row['bytes']),
        deadBytes: Number(row['dead_bytes']),
        isNeeded: row['needed'] === 1,
        lastTime: Number(row['last_time']),
      }));
  }

  transaction(work: () => void): void {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.database.exec('COMMIT');
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  setPosition(logId: number, place: number): void {
    const changed = this.statement('UPDATE position SET log_id = ?, place = ?').run(logId, place).changes;
    if (Number(changed) === 0) this.statement('INSERT INTO position VALUES (?, ?)').run(logId, place);
  }

  noteSegment({ number, generation, bytes, deadBytes, isNeeded, lastTime }: SegmentNote): void {
    this.statement('INSERT OR REPLACE INTO segment VALUES (?, ?, ?, ?, ?, ?)').run(
      number,
      generation,
      bytes,
      deadBytes,
      isNeeded ? 1 : 0,
      lastTime,
    );
  }

  forgetSegment(number: number): void {
    this.statement('DELETE FROM segment WHERE number = ?').run(number);
  }

  addFrame({ place, task, records }: LeftFrame, nodeIds: readonly string[]): void {
    const added = this.statement('INSERT INTO frame (place, task, records) VALUES (?, ?, ?)').run(
      place,
      task,
      JSON.stringify(records),
    );
    const id = added.lastInsertRowid;
    const node = this.statement('INSERT OR REPLACE INTO node VALUES (?, ?)');
    // In the order of the tree: neighbours stand in one page.
    for (const name of [...nodeIds].sort()) node.run(name, id);
    const record = this.statement('INSERT OR REPLACE INTO record VALUES (?, ?)');
    for (const of of records) for (const at of of) record.run(at, id);
  }

  forgetNode(nodeId: string): void {
    this.statement('DELETE FROM node WHERE name = ?').run(nodeId);
  }

  frameOfNode(nodeId: string): LeftFrame | undefined {
    const row = this.statement(
      'SELECT frame.* FROM node JOIN frame ON frame.id = node.frame WHERE node.name = ?',
    ).get(nodeId);
    return row && frameOf(row as unknown as FrameRow);
  }

  framesOfTask(task: string): LeftFrame[] {
    return this.frameRows(task).map(frameOf);
  }

  hasTask(task: string): boolean {
    return this.statement('SELECT 1 FROM frame WHERE task = ? LIMIT 1').get(task) !== undefined;
  }

  tasks(): string[] {
    return this.statement('SELECT DISTINCT task FROM frame')
      .all()
      .map((row) => String(row['task']));
  }

  tasksBetween(from: number, to: number): string[] {
    return this.statement(
      `SELECT task FROM frame WHERE place >= ?1 AND place < ?2 UNION
       SELECT task FROM frame WHERE id IN (SELECT DISTINCT frame FROM record WHERE place >= ?1 AND place < ?2)`,
    )
      .all(from, to)
      .map((row) => String(row['task']));
  }

  recordsBetween(from: number, to: number): number[] {
    return this.statement(
      'SELECT place FROM record WHERE place >= ? AND place < ? AND frame > 0 ORDER BY place',
    )
      .all(from, to)
      .map((row) => Number(row['place']));
  }

  addDead(places: readonly number[]): void {
    const record = this.statement('INSERT OR REPLACE INTO record VALUES (?, 0)');
    for (const place of places) record.run(place);
  }

  deadBetween(from: number, to: number): number[] {
    return this.statement(
      'SELECT place FROM record WHERE place >= ? AND place < ? AND frame = 0 ORDER BY place',
    )
      .all(from, to)
      .map((row) => Number(row['place']));
  }

  removeDead(from: number, to: number): void {
    this.statement('DELETE FROM record WHERE place >= ? AND place < ? AND frame = 0').run(from, to);
  }

  framesBetween(from: number, to: number): number[] {
    return this.statement('SELECT place FROM frame WHERE place >= ? AND place < ? ORDER BY place')
      .all(from, to)
      .map((row) => Number(row['place']));
  }

  removeTask(task: string): { readonly records: readonly number[]; readonly frames: readonly number[] } {
    const rows = this.frameRows(task);
    const records: number[] = [];
    const bury = this.statement('UPDATE record SET frame = 0 WHERE place = ? AND frame = ?');
    for (const { id, records: json } of rows) {
      for (const place of (JSON.parse(json) as number[][]).flat())
        if (Number(bury.run(place, id).changes) > 0) records.push(place);
      this.statement('DELETE FROM node WHERE frame = ?').run(id);
    }
    this.statement('DELETE FROM frame WHERE task = ?').run(task);
    return { records, frames: rows.map(({ place }) => place) };
  }

  move(places: ReadonlyMap<number, number>): void {
    const affected = new Set<number>();
    const moved: { readonly to: number; readonly frame: number }[] = [];
    const find = this.statement('SELECT frame FROM record WHERE place = ?');
    const drop = this.statement('DELETE FROM record WHERE place = ?');
    for (const [from, to] of places) {
      const frame = Number(find.get(from)?.['frame'] ?? 0);
      if (frame === 0) continue;
      drop.run(from);
      moved.push({ to, frame });
      affected.add(frame);
    }
    const insert = this.statement('INSERT INTO record VALUES (?, ?)');
    for (const { to, frame } of moved) insert.run(to, frame);
    for (const id of affected) this.moveInFrame(id, places);
    // First out of the way of one another: places within a segment move towards its beginning.
    const moveFrame = this.statement('UPDATE frame SET place = ? WHERE place = ?');
    for (const [from] of places) moveFrame.run(-from, from);
    for (const [from, to] of places) moveFrame.run(to, -from);
  }

  /** The tables are overwritten as they change; the write-ahead log still has the pages as they were. */
  scrub(): void {
    const answer = this.statement('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (answer?.['busy'] !== 0) throw new Error('another program reads the index: its log cannot be emptied');
  }

  clear(): void {
    this.transaction(() => {
      for (const table of TABLES) this.database.exec(`DELETE FROM ${table}`);
    });
  }

  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private moveInFrame(id: number, places: ReadonlyMap<number, number>): void {
    const json = String(this.statement('SELECT records FROM frame WHERE id = ?').get(id)?.['records']);
    const records = (JSON.parse(json) as number[][]).map((of) => of.map((at) => places.get(at) ?? at));
    this.statement('UPDATE frame SET records = ? WHERE id = ?').run(JSON.stringify(records), id);
  }

  private frameRows(task: string): readonly FrameRow[] {
    return this.statement('SELECT * FROM frame WHERE task = ? ORDER BY place').all(
      task,
    ) as unknown as FrameRow[];
  }

  private statement(sql: string): StatementSync {
    const held = this.statements.get(sql);
    if (held) return held;
    const made = this.database.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }

  private prepare(maxWalBytes: number): void {
    const { database } = this;
    const walPages = Math.max(MIN_WAL_PAGES, Math.floor(maxWalBytes / PAGE_BYTES));
    database.exec(`
      PRAGMA busy_timeout = ${BUSY_MS};
      PRAGMA auto_vacuum = FULL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA wal_autocheckpoint = ${walPages};
      PRAGMA journal_size_limit = ${walPages * PAGE_BYTES};
      PRAGMA secure_delete = ON;
    `);
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version === SCHEMA_VERSION) return;
    if (version !== 0) throw new Error('the index has another version');
    database.exec(`BEGIN; ${SCHEMA} COMMIT;`);
  }
}

function frameOf({ place, task, records }: FrameRow): LeftFrame {
  return { place, task, records: JSON.parse(records) as number[][] };
}
