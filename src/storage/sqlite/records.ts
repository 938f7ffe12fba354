import type { ErasureOrder } from '../record-store.ts';
import type { Database } from './database.ts';
import { LiveRecords, type LiveRecord } from './live-records.ts';
import { isBackRow, isRecordRow, type NodeRow, type RecordRow, type Row } from './rows.ts';
import { HOLDER } from './schema.ts';

/** What was taken away from readers. */
export interface Dropped {
  readonly tasks: number;
  readonly records: number;
}

/** Rows that are deleted in one transaction: some milliseconds. */
const SWEEP_ROWS = 256;

/** A state of one part of a source: of several the one with the highest rank counts. */
interface State {
  readonly id: number;
  readonly rank: number;
}

/**
 * Changes of the tables, each a transaction. What is to go is taken from readers at once (`bury…`), as small writes, and
 * deleted in small steps later (`sweep`), also after a crash.
 */
export class Records {
  private readonly database: Database;
  private readonly live: LiveRecords;
  /** The id that was given last. */
  lastId: number;
  private lastTime: number;

  constructor(database: Database) {
    this.database = database;
    this.live = new LiveRecords(database);
    this.lastId = database.number('SELECT max(id) FROM record');
    this.lastTime = database.number('SELECT time FROM record ORDER BY id DESC LIMIT 1');
  }

  /** All of the work is kept, or nothing. @throws Error of SQLite */
  transaction<T>(work: () => T): T {
    try {
      const result = this.database.transaction(work);
      this.live.commit();
      return result;
    } catch (error) {
      this.live.rollback();
      throw error;
    }
  }

  put(row: Row, now: number): void {
    if (isBackRow(row)) for (const node of row[0]) this.comeBack(node);
    else if (isRecordRow(row)) this.add(row, now);
    else this.leave(row, now);
  }

  /** What will take the place of everything. */
  stage(row: Row, now: number): void {
    if (isRecordRow(row)) this.insert(row, HOLDER.staged, now);
  }

  /** The ids of the records that nodes in memory stand on. */
  idsOf(source: string): readonly number[] {
    return this.live.of(source).map(({ id }) => id);
  }

  /**
   * Tasks with all that left memory, records of nodes in memory, and nodes of the same name that left memory.
   * @returns how many nodes that left memory
   */
  bury({ tasks, sources }: ErasureOrder, now: number): number {
    const nodesIn =
      'SELECT count(*) FROM node JOIN task ON task.id = node.task WHERE task.name = ? AND node.name IS NOT NULL';
    const bury = this.database.sql('UPDATE task SET name = NULL WHERE name = ?');
    let nodes = 0;
    for (const task of tasks) {
      nodes += this.database.number(nodesIn, task);
      bury.run(task);
    }
    const trash = this.database
      .sql('INSERT INTO task (name, time) VALUES (NULL, ?)')
      .run(Math.trunc(now)).lastInsertRowid;
    const buryNode = this.database.sql('UPDATE node SET name = NULL, task = ? WHERE name = ?');
    for (const source of sources) {
      if (this.hasLeft(source)) nodes++;
      buryNode.run(trash, source);
      this.buryLive(source);
    }
    return nodes;
  }

  /** The records with ids up to this one, and all of the tasks and records that they belong to. */
  buryUpTo(id: number): Dropped {
    const tasks = this.database
      .sql(
        `SELECT DISTINCT task.id AS id FROM record JOIN node ON node.id = record.holder JOIN task ON task.id = node.task
         WHERE record.id <= ? AND record.holder > 0 AND task.name IS NOT NULL`,
      )
      .all(id)
      .map((row) => Number(row['id']));
    let records = 0;
    for (const task of tasks) records += this.buryTask(task);
    const sources = this.database
      .sql('SELECT DISTINCT source FROM record WHERE holder = 0 AND id <= ?')
      .all(id)
      .map((row) => String(row['source']));
    for (const source of sources) records += this.buryLive(source);
    return { tasks: tasks.length, records };
  }

  /** Tasks since before this time of which no node has a record any more. @returns how many */
  buryEmpty(before: number): number {
    const buried = this.database
      .sql(
        `UPDATE task SET name = NULL WHERE name IS NOT NULL AND time < ? AND NOT EXISTS
         (SELECT 1 FROM node JOIN record ON record.holder = node.id AND record.holder <> 0 WHERE node.task = task.id)`,
      )
      .run(before).changes;
    return Number(buried);
  }

  /** Everything but what was staged, which takes its place. @param upTo the last record that goes */
  replace(upTo: number): void {
    this.database.sql('UPDATE task SET name = NULL').run();
    const old = this.database.sql('SELECT id, source FROM record WHERE holder = 0 AND id <= ?').all(upTo);
    for (const row of old) {
      this.live.remove(String(row['source']), Number(row['id']));
      this.give(Number(row['id']), HOLDER.nobody);
    }
    const staged = this.database
      .sql('SELECT id, source, part FROM record WHERE holder = ? AND holder <> 0')
      .all(HOLDER.staged);
    for (const row of staged) {
      this.live.add(String(row['source']), { id: Number(row['id']), part: Number(row['part']) });
      this.give(Number(row['id']), HOLDER.memory);
    }
  }

  /** What was staged and never took the place of anything. */
  buryStaged(): void {
    this.database
      .sql('UPDATE record SET holder = ? WHERE holder = ? AND holder <> 0')
      .run(HOLDER.nobody, HOLDER.staged);
  }

  /** Deletes some of what was buried. @returns whether there may be more */
  sweep(): boolean {
    const buried = this.database
      .sql('SELECT id FROM record WHERE holder = ? AND holder <> 0 LIMIT ?')
      .all(HOLDER.nobody, SWEEP_ROWS);
    for (const { id } of buried) this.remove(Number(id));
    if (buried.length > 0) return true;
    const task = this.database.sql('SELECT id FROM task WHERE name IS NULL LIMIT 1').get()?.['id'];
    if (task === undefined) return false;
    const nodes = this.database.sql('SELECT id FROM node WHERE task = ? LIMIT ?').all(task, SWEEP_ROWS);
    for (const { id } of nodes) {
      this.database
        .sql('UPDATE record SET holder = ? WHERE holder = ? AND holder <> 0')
        .run(HOLDER.nobody, id ?? 0);
      this.removeNode(Number(id));
    }
    if (nodes.length === 0) this.database.sql('DELETE FROM task WHERE id = ?').run(task);
    return true;
  }

  /**
   * Of the states of one part of a source those with the highest rank are kept; of two that are alike the first one,
   * since the other is a redelivery.
   */
  private add(row: RecordRow, now: number): void {
    const [source, part, rank] = row;
    const others = this.live.of(source).filter((other) => other.part === part);
    const id = this.insert(row, HOLDER.memory, now);
    this.live.add(source, { id, part });
    for (const other of others) {
      const gone = this.settle(this.stateOf(other), { id, rank });
      if (gone !== undefined) this.live.remove(source, gone);
      if (gone === id) return;
    }
  }

  /**
   * A node leaves memory with its records; one that left before keeps those of then, but for states that are replaced. One
   * whose records were deleted meanwhile is not kept.
   */
  private leave([task, name, sources, json, ties = []]: NodeRow, now: number): void {
    const isGone = sources.length > 0 && sources.every((source) => this.live.of(source).length === 0);
    if (isGone && !this.hasLeft(name)) return;
    const node = this.nodeId(name, this.taskId(task, now), json);
    for (const tie of ties) this.database.sql('INSERT OR IGNORE INTO tie VALUES (?, ?)').run(tie, node);
    const earlier = this.statesOf(node);
    for (const source of sources) {
      for (const record of this.live.of(source)) {
        this.give(record.id, node);
        const others = earlier.get(keyOf(source, record.part)) ?? [];
        for (const other of others) if (this.settle(other, this.stateOf(record)) === record.id) break;
      }
      this.live.removeAll(source);
    }
  }

  /** A node that left memory is there again with its records, unless it was erased since. */
  private comeBack(node: number): void {
    const task = this.database
      .sql(
        `SELECT task FROM node JOIN task ON task.id = node.task
         WHERE node.id = ? AND node.name IS NOT NULL AND task.name IS NOT NULL`,
      )
      .get(node)?.['task'];
    if (task === undefined) return;
    const records = this.database
      .sql('SELECT id, source, part, rank FROM record WHERE holder = ? AND holder <> 0 ORDER BY id')
      .all(node);
    for (const row of records)
      this.revive(
        String(row['source']),
        { id: Number(row['id']), part: Number(row['part']) },
        Number(row['rank']),
      );
    this.removeNode(node);
    this.database
      .sql('DELETE FROM task WHERE id = ? AND NOT EXISTS (SELECT 1 FROM node WHERE node.task = task.id)')
      .run(task);
  }

  /** A record is one of a node in memory again; a newer state of it may be there already. */
  private revive(source: string, record: LiveRecord, rank: number): void {
    for (const other of this.live.of(source).filter(({ part }) => part === record.part)) {
      const gone = this.settle({ id: record.id, rank }, this.stateOf(other));
      if (gone === record.id) return;
      if (gone !== undefined) this.live.remove(source, gone);
    }
    this.give(record.id, HOLDER.memory);
    this.live.add(source, record);
  }

  private removeNode(id: number): void {
    this.database.sql('DELETE FROM tie WHERE node = ?').run(id);
    this.database.sql('DELETE FROM node WHERE id = ?').run(id);
  }

  private hasLeft(name: string): boolean {
    const left =
      'SELECT 1 FROM node JOIN task ON task.id = node.task WHERE node.name = ? AND task.name IS NOT NULL';
    return this.database.sql(left).get(name) !== undefined;
  }

  private insert([source, part, rank, facts, texts]: RecordRow, holder: number, now: number): number {
    // A clock that was set back does not bring the records out of order.
    this.lastTime = Math.max(this.lastTime, Math.trunc(now));
    const id = ++this.lastId;
    this.database
      .sql('INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, source, part, rank, holder, this.lastTime);
    this.database.sql('INSERT INTO body VALUES (?, ?, ?)').run(id, facts, texts);
    return id;
  }

  /**
   * Two states of one part of a source in one place: the one that does not count is removed.
   * @returns its id; undefined when both stay
   */
  private settle(older: State, newer: State): number | undefined {
    const isNewest = newer.rank > older.rank || newer.rank === Infinity;
    if (!isNewest && newer.rank === older.rank && !this.isSame(older.id, newer.id)) return undefined;
    const gone = isNewest ? older.id : newer.id;
    this.remove(gone);
    return gone;
  }

  private isSame(one: number, other: number): boolean {
    const same = `SELECT 1 FROM body AS a JOIN body AS b ON a.facts = b.facts AND a.texts = b.texts WHERE a.id = ? AND b.id = ?`;
    return this.database.sql(same).get(one, other) !== undefined;
  }

  private stateOf({ id }: LiveRecord): State {
    return { id, rank: this.database.number('SELECT rank FROM record WHERE id = ?', id) };
  }

  /** Of a node that left memory before. */
  private statesOf(node: number): ReadonlyMap<string, readonly State[]> {
    const rows = this.database
      .sql('SELECT id, source, part, rank FROM record WHERE holder = ? AND holder <> 0')
      .all(node);
    return Map.groupBy(
      rows.map((row) => ({
        id: Number(row['id']),
        rank: Number(row['rank']),
        key: keyOf(row['source'], row['part']),
      })),
      ({ key }) => key,
    );
  }

  private buryLive(source: string): number {
    const records = this.live.of(source);
    for (const { id } of records) this.give(id, HOLDER.nobody);
    if (records.length > 0) this.live.removeAll(source);
    return records.length;
  }

  private give(id: number, holder: number): void {
    this.database.sql('UPDATE record SET holder = ? WHERE id = ?').run(holder, id);
  }

  private remove(id: number): void {
    this.database.sql('DELETE FROM body WHERE id = ?').run(id);
    this.database.sql('DELETE FROM record WHERE id = ?').run(id);
  }

  private taskId(name: string, now: number): number {
    const found = this.database.sql('SELECT id FROM task WHERE name = ?').get(name);
    if (found) return Number(found['id']);
    const made = this.database.sql('INSERT INTO task (name, time) VALUES (?, ?)').run(name, Math.trunc(now));
    return Number(made.lastInsertRowid);
  }

  /**
   * The row of a node that is as it left now; one that was buried with its task is no such row. It is looked for first: for a
   * statement that does both SQLite copies each page before it writes to it.
   */
  private nodeId(name: string, task: number, json: string): number {
    const held = this.database
      .sql(
        'SELECT node.id AS id, task.name AS task FROM node JOIN task ON task.id = node.task WHERE node.name = ?',
      )
      .get(name);
    const id = Number(held?.['id']);
    if (held && held['task'] !== null) {
      this.database.sql('UPDATE node SET task = ?, json = ? WHERE id = ?').run(task, json, id);
      return id;
    }
    if (held) this.database.sql('UPDATE node SET name = NULL WHERE id = ?').run(id);
    const made = this.database
      .sql('INSERT INTO node (name, task, json) VALUES (?, ?, ?)')
      .run(name, task, json);
    return Number(made.lastInsertRowid);
  }

  private buryTask(id: number): number {
    const records = this.database.number(
      'SELECT count(*) FROM record WHERE holder IN (SELECT id FROM node WHERE task = ?) AND holder <> 0',
      id,
    );
    this.database.sql('UPDATE task SET name = NULL WHERE id = ?').run(id);
    return records;
  }
}

function keyOf(source: unknown, part: unknown): string {
  return `${String(part)} ${String(source)}`;
}
