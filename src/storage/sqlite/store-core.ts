import { requestNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { TaskSums, type TaskOverview } from '../../model/task-overview.ts';
import type { Tie } from '../../model/ties.ts';
import { overrideKey } from '../record-key.ts';
import type { ArchivedVersions, ErasureOrder, TiedRoom } from '../record-store.ts';
import type { Database } from './database.ts';
import { recordsToRead, withTitle, type StoredNode } from './left-node.ts';
import { Records } from './records.ts';
import type { Row } from './rows.ts';
import type { Say } from './say.ts';
import { factsOf, isTied, tiedNodes, type TiedRows } from './tied-nodes.ts';
import { Upkeep, type Limits, type OnDropped } from './upkeep.ts';

export interface CoreOptions extends Limits {
  /** Nothing that is appended holds a text. */
  readonly withoutTexts: boolean;
  readonly say: Say;
  readonly onDropped: OnDropped;
}

/** Facts of records, as JSON, and where to go on; undefined after the last. */
export interface FactsPage {
  readonly facts: readonly string[];
  readonly next: number | undefined;
}

/** Nodes that left memory, as JSON, and where to go on; undefined after the last. */
export interface LeftBetween {
  readonly nodes: readonly string[];
  /** The id of the last one; undefined at the end. */
  readonly next: string | undefined;
}

export interface NodesPage {
  readonly nodes: readonly string[];
  readonly next: number | undefined;
}

/** Records handed over at once at the start: some ten milliseconds of work for correlation. */
const RESTORE_RECORDS = 100;
const RESTORE_CHARS = 256 * 1024;
/**
 * Of thoughts that left memory so long before the last record, so many states and bytes, it is known after a restart that
 * they may go on: as long as steps are waited for by default. A state may be as large as an entry, and all of them are handed
 * over at once.
 */
const LEFT_THOUGHT_MS = 15 * 60_000;
const LEFT_THOUGHT_STATES = 2000;
const LEFT_THOUGHT_BYTES = 16 * 1024 * 1024;
/** Ties handed over at once. */
const PAGE_TIES = 50_000;
/** Nodes that left are handed over in answers of about this size. */
const PAGE_CHARS = 4 * 1024 * 1024;

/** Tasks that are listed at once, and nodes that are summed up at once: some milliseconds. */
const TASKS_A_PAGE = 2000;
const SUMMED_NODES = 500;

/** The store as its thread has it: everything is synchronous, texts are JSON. */
export class StoreCore {
  /** Whether it was opened with records that may hold texts. */
  readonly heldTexts: boolean;
  /** Whether it was opened with records. */
  readonly heldRecords: boolean;
  /** Another one when the store was made anew, with nothing or with what was left of a damaged one. */
  readonly identity: number;
  private readonly database: Database;
  private readonly records: Records;
  private readonly upkeep: Upkeep;
  private readonly withoutTexts: boolean;
  private isMarked: boolean;

  constructor(database: Database, options: CoreOptions) {
    const { say, onDropped } = options;
    this.database = database;
    this.withoutTexts = options.withoutTexts;
    this.records = new Records(database);
    this.upkeep = new Upkeep(database, this.records, options, say, onDropped);
    this.isMarked = database.number('SELECT has_texts FROM content') === 1;
    this.heldTexts = this.isMarked;
    this.identity = database.identity;
    this.heldRecords = database.number('SELECT EXISTS (SELECT 1 FROM record)') > 0;
  }

  get bytes(): number {
    return this.database.bytes;
  }

  /** From now on the files may take so many bytes. */
  bound(maxBytes: number): void {
    this.upkeep.bound(maxBytes);
  }

  /** Keeps rows, all of them or none. @throws Error of the file system or of SQLite */
  append(rows: readonly Row[], now: number): void {
    this.database.assertInPlace();
    this.records.transaction(() => {
      if (!this.withoutTexts && !this.isMarked) this.database.sql('UPDATE content SET has_texts = 1').run();
      for (const row of rows) this.records.put(row, now);
    });
    this.isMarked ||= !this.withoutTexts;
  }

  /** Whether so many bytes could be appended. @throws Error when they could not */
  probe(bytes: number): void {
    this.database.assertInPlace();
    if (bytes === 0) return;
    this.database.transaction(() => this.database.sql('INSERT INTO probe VALUES (zeroblob(?))').run(bytes));
    this.database.transaction(() => this.database.sql('DELETE FROM probe').run());
  }

  /** The id of the last record. */
  lastId(): number {
    return this.records.lastId;
  }

  /** Records that nodes in memory stand on, in the order in which they came. @param after id of the last one; 0 at first */
  restore(after: number, upTo: number): FactsPage {
    const facts: string[] = [];
    let chars = 0;
    const rows = this.database
      .sql(
        `SELECT record.id AS id, facts FROM record JOIN body ON body.id = record.id
         WHERE record.id > ? AND record.id <= ? AND holder = 0 ORDER BY record.id LIMIT ?`,
      )
      .iterate(after, upTo, RESTORE_RECORDS);
    for (const row of rows) {
      const text = String(row['facts']);
      facts.push(text);
      chars += text.length;
      after = Number(row['id']);
      if (chars > RESTORE_CHARS) return { facts, next: after };
    }
    return { facts, next: facts.length < RESTORE_RECORDS ? undefined : after };
  }

  /** States of parts of thoughts whose nodes left memory, the last ones, in the order in which they came. */
  leftThoughts(): readonly string[] {
    // Sorted without their facts: SQLite would hold all of these.
    const last = this.database
      .sql(
        `SELECT record.id AS id, octet_length(facts) AS bytes FROM record JOIN node ON node.id = holder JOIN task ON task.id = node.task
         JOIN body ON body.id = record.id
         WHERE holder > 0 AND task.name IS NOT NULL AND source GLOB ? AND record.id >
           coalesce((SELECT id FROM record WHERE time < (SELECT time FROM record ORDER BY id DESC LIMIT 1) - ?
           ORDER BY id DESC LIMIT 1), 0)
         ORDER BY record.id DESC LIMIT ?`,
      )
      .all(`${requestNodeId('')}*`, LEFT_THOUGHT_MS, LEFT_THOUGHT_STATES);
    let bytes = 0;
    const over = last.findIndex((row) => (bytes += Number(row['bytes'])) > LEFT_THOUGHT_BYTES);
    const facts = this.database.sql('SELECT facts FROM body WHERE id = ?');
    return (over < 0 ? last : last.slice(0, over))
      .reverse()
      .map(({ id }) => String(facts.get(Number(id))?.['facts']));
  }

  /** The facts of overrides, as JSON, and the task that left memory with it. */
  overrides(): readonly { readonly facts: string; readonly task?: string }[] {
    return this.database
      .sql(
        `SELECT facts, task.name AS task FROM record JOIN body ON body.id = record.id
         LEFT JOIN node ON node.id = holder AND holder > 0 LEFT JOIN task ON task.id = node.task
         WHERE source GLOB ? AND (holder = 0 OR task.name IS NOT NULL) ORDER BY record.id`,
      )
      .all(`${overrideKey('')}*`)
      .map(({ facts, task }) => ({ facts: String(facts), ...(task !== null && { task: String(task) }) }));
  }

  /** The texts of records that nodes in memory stand on; absent where there are none. */
  texts(sources: readonly string[]): { readonly [source: string]: string } {
    const found: Record<string, string> = {};
    const texts = this.database.sql('SELECT texts FROM body WHERE id = ?');
    for (const source of sources)
      for (const id of this.records.idsOf(source)) {
        const json = String(texts.get(id)?.['texts'] ?? '');
        if (json !== '') found[source] = json;
      }
    return found;
  }

  leftNode(id: string): StoredNode | undefined {
    const node = this.database
      .sql(
        `SELECT node.id AS id, json FROM node JOIN task ON task.id = node.task
         WHERE node.name = ? AND task.name IS NOT NULL`,
      )
      .get(id);
    if (!node) return undefined;
    const records = recordsToRead(this.database, Number(node['id']));
    return { json: String(node['json']), records };
  }

  /** Nodes of a task that left memory. @param after where the page before ended; 0 at first */
  leftPage(task: string, after: number): NodesPage {
    const nodes: string[] = [];
    let chars = 0;
    const rows = this.database
      .sql(
        `SELECT id, json FROM node
         WHERE task = (SELECT id FROM task WHERE name = ?) AND id > ? AND name IS NOT NULL ORDER BY id`,
      )
      .iterate(task, after);
    for (const row of rows) {
      const json = String(row['json']);
      nodes.push(json);
      chars += json.length;
      if (chars > PAGE_CHARS) return { nodes, next: Number(row['id']) };
    }
    return { nodes, next: undefined };
  }

  /** Nodes that left memory with an id between these two, in their order. */
  leftBetween(after: string, before: string): LeftBetween {
    const nodes: string[] = [];
    let chars = 0;
    const rows = this.database
      .sql(
        `SELECT node.name AS name, json FROM node JOIN task ON task.id = node.task
         WHERE node.name > ? AND node.name < ? AND task.name IS NOT NULL ORDER BY node.name`,
      )
      .iterate(after, before);
    for (const row of rows) {
      const json = String(row['json']);
      nodes.push(json);
      chars += json.length;
      if (chars > PAGE_CHARS) return { nodes, next: String(row['name']) };
    }
    return { nodes, next: undefined };
  }

  leftTasks(): readonly string[] {
    return this.database
      .sql(
        'SELECT name FROM task WHERE name IS NOT NULL AND EXISTS (SELECT 1 FROM node WHERE node.task = task.id)',
      )
      .all()
      .map((row) => String(row['name']));
  }

  /** Tasks of which nodes left memory, each with the id of the last of these. @param after where the page before ended */
  leftVersions(after: number): ArchivedVersions {
    const rows = this.database
      .sql(
        `SELECT id, name, (SELECT max(node.id) FROM node WHERE node.task = task.id) AS last FROM task
         WHERE id > ? AND name IS NOT NULL ORDER BY id LIMIT ?`,
      )
      .all(after, TASKS_A_PAGE);
    return {
      tasks: rows
        .filter(({ last }) => last !== null)
        .map(({ name, last }) => [String(name), Number(last)] as const),
      next: rows.length < TASKS_A_PAGE ? undefined : Number(rows.at(-1)?.['id']),
    };
  }

  /** As many of these tasks, from the first on, as can be summed up in some milliseconds; undefined for one that is gone. */
  leftOverviews(names: readonly string[]): readonly (TaskOverview | undefined)[] {
    const overviews: (TaskOverview | undefined)[] = [];
    let left = SUMMED_NODES;
    for (const name of names) {
      const sums = new TaskSums();
      const nodes = this.database
        .sql(
          'SELECT json FROM node WHERE task = (SELECT id FROM task WHERE name = ?) AND name IS NOT NULL ORDER BY id',
        )
        .iterate(name);
      for (const { json } of nodes) {
        if (left-- === 0) return overviews;
        const node = nodeIn(String(json));
        if (node) sums.add(node);
      }
      overviews.push(sums.nodes === 0 ? undefined : sums.overview(name, true));
    }
    return overviews;
  }

  /** The ties of all nodes that left memory, in pages. @param after where the page before ended: tie and node */
  ties(after: readonly [Tie, number]): readonly (readonly [Tie, number])[] {
    return this.database
      .sql('SELECT tie, node FROM tie WHERE (tie, node) > (?, ?) ORDER BY tie, node LIMIT ?')
      .all(...after, PAGE_TIES)
      .map((row) => [Number(row['tie']), Number(row['node'])]);
  }

  /** Has anything that left memory one of these ties, or one of their groups? */
  isTied(ties: readonly Tie[]): boolean {
    return isTied(this.database, ties);
  }

  /** What left memory and is tied to what came. @param without tasks of which nothing comes */
  tied(asked: readonly (readonly Tie[])[], room: TiedRoom, without: readonly string[]): TiedRows {
    return tiedNodes(this.database, asked, room, without);
  }

  /** Facts of the records behind nodes that left memory, as JSON. */
  factsOf(nodes: readonly number[]): readonly string[] {
    return nodes.flatMap((node) => factsOf(this.database, node));
  }

  /** Nobody sees it any more, whatever happens; `sweep` deletes it. @returns how many nodes had left memory */
  erase(order: ErasureOrder, now: number): number {
    this.database.assertInPlace();
    return this.records.transaction(() => this.records.bury(order, now));
  }

  /** Deletes some of what nobody sees any more, for good. @returns whether there is more of it */
  sweep(): boolean {
    return this.upkeep.sweep();
  }

  /** Makes ready for records that will take the place of all there are now. @returns for `replace` */
  startAnew(): number {
    this.records.transaction(() => this.records.buryStaged());
    return this.records.lastId;
  }

  stage(rows: readonly Row[], now: number): void {
    this.records.transaction(() => rows.forEach((row) => this.records.stage(row, now)));
  }

  /** What was staged takes the place of everything that was there before. */
  replace(upTo: number): void {
    this.records.transaction(() => {
      this.records.replace(upTo);
      this.database.sql('UPDATE content SET has_texts = 0').run();
    });
    this.isMarked = false;
  }

  /** Of records that expired nothing is seen from now on. */
  dropExpired(now: number): boolean {
    return this.upkeep.dropExpired(now);
  }

  /** One step of what has to be done from time to time. @returns whether there is more to do */
  maintain(now: number): boolean {
    return this.upkeep.step(now);
  }

  close(): void {
    this.database.close();
  }
}

/** Undefined for what was changed on the disk. */
function nodeIn(json: string): ExplanationNode | undefined {
  try {
    return withTitle((JSON.parse(json) as { readonly node: ExplanationNode }).node);
  } catch {
    return undefined;
  }
}
