import { BoundaryError } from '../../base/boundary-error.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { Facts, OverrideFacts } from '../../model/facts.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { dataDirProblem, makeDataDir } from '../data-dir.ts';
import { lockDataDir, type DataDirLock } from '../data-dir-lock.ts';
import { TaskSums, type TaskOverview } from '../../model/task-overview.ts';
import type { Tie } from '../../model/ties.ts';
import type {
  ArchivedNode,
  ArchivedVersions,
  ErasureOrder,
  LeavingNode,
  RecordStore,
  SourceRecord,
  TiedNodes,
  TiedQuery,
} from '../record-store.ts';
import type { SourceTexts } from '../text-store.ts';
import { TieFilter } from '../tie-filter.ts';
import { Appender } from './appender.ts';
import { withTitle } from './left-node.ts';
import { nodeRow, recordRow, type RecordRow } from './rows.ts';
import type { StoreCore } from './store-core.ts';
import { StoreThread } from './store-thread.ts';
import type { OnDropped } from './upkeep.ts';
import type { Method } from './worker-messages.ts';

export interface SqliteStoreOptions {
  /** Made, for its owner alone, when it does not exist. */
  readonly dataDir: string;
  readonly durability: 'log' | 'fsync';
  /** Of all files of the store. */
  readonly maxBytes: number;
  readonly persistRetentionDays: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Milliseconds to wait for a service that uses the folder and is going down. 0 if absent. */
  readonly lockWaitMs?: number;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  readonly onDropped?: OnDropped;
  /** Nothing that is appended holds a text: the store is marked so. */
  readonly withoutTexts?: boolean;
}

const MS_PER_DAY = 86_400_000;
/** So many are written at once, in a few milliseconds. */
const FEW_RECORDS = 256;
/** Nodes whose facts are asked for at once. */
const PAGE_NODES = 500;

/**
 * Opens the store in a folder, which is locked against other services.
 * @throws BoundaryError FAILED_PRECONDITION when the folder cannot be used, another service uses it, or a newer version
 * wrote the store; UNAVAILABLE when the disk is full
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { dataDir, logger } = options;
  await makeDataDir(dataDir, logger);
  try {
    return await openLocked(options);
  } catch (error) {
    throw dataDirProblem(dataDir, error);
  }
}

async function openLocked(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { dataDir, maxBytes, clock = systemClock, logger, onDropped = () => {} } = options;
  const lock = await lockDataDir({ dataDir, waitMs: options.lockWaitMs ?? 0, clock, logger });
  try {
    const thread = await StoreThread.start({
      dataDir,
      maxBytes,
      retentionMs: options.persistRetentionDays * MS_PER_DAY,
      durable: options.durability === 'fsync',
      withoutTexts: options.withoutTexts ?? false,
      now: clock.now(),
      logger,
      onDropped,
    });
    const store = new SqliteStore(thread, lock, { clock, pace: options.pace ?? new Pace(clock), logger });
    await store.readTies();
    return store;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A node that left memory as an administrator has had it shown. */
type ShowLeft = (node: ExplanationNode, override: OverrideFacts | undefined) => ExplanationNode;

/** An override as it is kept, whichever version kept it. */
export interface KeptOverride {
  readonly facts: OverrideFacts;
  /** Of the node that left memory with it. */
  readonly task?: string;
}

interface Parts {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly logger: Logger;
}

/** Records in a SQLite database, which a thread of its own writes and reads. */
export class SqliteStore implements RecordStore {
  private readonly thread: StoreThread;
  private readonly lock: DataDirLock;
  private readonly parts: Parts;
  private readonly appender: Appender;
  private readonly ties = new TieFilter();
  private closing: Promise<void> | undefined;
  private maxBytes: number | undefined;
  private show: ShowLeft = (node) => node;

  constructor(thread: StoreThread, lock: DataDirLock, parts: Parts) {
    this.thread = thread;
    this.lock = lock;
    this.parts = parts;
    this.appender = new Appender(thread, parts.clock, parts.logger);
  }

  /** Whether it was opened with texts in it, as they are kept without `withoutTexts`. */
  get heldTexts(): boolean {
    return this.thread.heldTexts;
  }

  /** Whether it was opened with records in it. */
  get heldRecords(): boolean {
    return this.thread.heldRecords;
  }

  /** Another one when the store was made anew. */
  get identity(): number {
    return this.thread.identity;
  }

  /** Whether another folder stands in place of the one that was opened: nothing is to be written into it. */
  get isReplaced(): boolean {
    return this.lock.isReplaced;
  }

  get problems(): readonly string[] {
    return [this.appender.problem].filter((problem) => problem !== undefined);
  }

  /** Nothing can be written: what is sent is refused. */
  get isRefusing(): boolean {
    return this.appender.problem !== undefined;
  }

  get bytes(): number {
    return this.thread.bytes;
  }

  /** From now on nodes are read as readers see them. */
  showLeft(show: ShowLeft): void {
    this.show = show;
  }

  /** From now on the files of the store may take so many bytes. */
  async bound(maxBytes: number): Promise<void> {
    if (maxBytes === this.maxBytes || this.thread.gone) return;
    this.maxBytes = maxBytes;
    // A thread that is lost says so itself.
    await this.ask('bound', maxBytes).catch(() => {});
  }

  async append(records: readonly SourceRecord[], release?: () => void): Promise<void> {
    if (records.length === 0) return;
    // What is few is on its way at once.
    const rows = records.length > FEW_RECORDS ? await this.rowsOf(records) : records.map(recordRow);
    release?.();
    return this.appender.append(rows);
  }

  async *restore(): AsyncGenerator<readonly Facts[]> {
    const upTo = await this.ask('lastId');
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: Awaited<ReturnType<StoreCore['restore']>> = await this.ask('restore', after, upTo);
      after = page.next;
      const facts = this.factsIn(page.facts);
      if (facts.length > 0) yield facts;
    }
  }

  async leftThoughts(): Promise<readonly Facts[]> {
    return this.factsIn(await this.ask('leftThoughts'));
  }

  async texts(sources: readonly string[]): Promise<ReadonlyMap<string, SourceTexts>> {
    await this.appender.settled();
    const found = new Map<string, SourceTexts>();
    for (const [source, json] of Object.entries(await this.ask('texts', sources))) {
      const texts = this.parse(json) as SourceTexts | undefined;
      if (texts) found.set(source, texts);
    }
    return found;
  }

  async archive(taskId: string, nodes: readonly LeavingNode[]): Promise<void> {
    for (const { ties = [] } of nodes) for (const tie of ties) this.ties.add(tie);
    // All of them at once: what is taken in meanwhile comes after them.
    const written = this.appender.appendAtOnce(nodes.map((node) => nodeRow(taskId, node)));
    // Where the disk refuses, the nodes are in memory again after a restart.
    await written.catch(() => {});
  }

  async archivedNode(id: string): Promise<ArchivedNode | undefined> {
    await this.appender.settled();
    const found = await this.ask('leftNode', id);
    const node = found && this.leavingNode(found.json);
    if (!node) return undefined;
    const records: SourceRecord[] = [];
    for (const { facts: json, texts } of found.records) {
      const facts = this.parse(json) as Facts | undefined;
      if (facts) records.push({ facts, ...(texts !== '' && { texts: this.parse(texts) as SourceTexts }) });
    }
    return { ...node, records };
  }

  /** The newest overrides, wherever they are kept. */
  async overrides(): Promise<readonly KeptOverride[]> {
    await this.appender.settled();
    return (await this.ask('overrides')).flatMap(({ facts: json, task }) => {
      const facts = this.parse(json) as OverrideFacts | undefined;
      return facts ? [{ facts, ...(task !== undefined && { task }) }] : [];
    });
  }

  async *archivedTask(taskId: string): AsyncGenerator<readonly LeavingNode[]> {
    await this.appender.settled();
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: Awaited<ReturnType<StoreCore['leftPage']>> = await this.ask('leftPage', taskId, after);
      after = page.next;
      const nodes = page.nodes.map((json) => this.leavingNode(json)).filter((node) => node !== undefined);
      if (nodes.length > 0) yield nodes;
    }
  }

  async archivedTasks(): Promise<readonly string[]> {
    await this.appender.settled();
    return this.ask('leftTasks');
  }

  async *archivedUnder(prefix: string): AsyncGenerator<readonly LeavingNode[]> {
    await this.appender.settled();
    for (let after: string | undefined = prefix; after !== undefined;) {
      const page: Awaited<ReturnType<StoreCore['leftBetween']>> = await this.ask(
        'leftBetween',
        after,
        `${prefix}\uffff`,
      );
      after = page.next;
      yield page.nodes.map((json) => this.leavingNode(json)).filter((node) => node !== undefined);
    }
  }

  async archivedVersions(after: number): Promise<ArchivedVersions> {
    await this.appender.settled();
    return this.ask('leftVersions', after);
  }

  async archivedOverviews(names: readonly string[]): Promise<readonly (TaskOverview | undefined)[]> {
    const overviews = await this.ask('leftOverviews', names);
    if (overviews.length > 0) return overviews;
    // The first one is large: its nodes come in pages, so that nobody else waits for the thread.
    const [name] = names;
    if (name === undefined) return [];
    const sums = new TaskSums();
    for await (const page of this.archivedTask(name)) for (const { node } of page) sums.add(node);
    return [sums.nodes === 0 ? undefined : sums.overview(name, true)];
  }

  get hasNoTies(): boolean {
    return this.ties.isEmpty;
  }

  mayBeTied(ties: readonly Tie[]): boolean {
    return ties.some((tie) => this.ties.has(tie));
  }

  async isTied(ties: readonly Tie[]): Promise<boolean> {
    await this.appender.settled();
    return this.ask(
      'isTied',
      ties.filter((tie) => this.ties.has(tie)),
    );
  }

  async tied({ ties, room, without }: TiedQuery): Promise<TiedNodes> {
    await this.appender.settled();
    const known = ties.map((some) => some.filter((tie) => this.ties.has(tie)));
    const found = await this.ask('tied', known, room, [...without]);
    const ids = found.nodes.map(({ id }) => id);
    const facts: Facts[] = [];
    for (let at = 0; at < ids.length; at += PAGE_NODES) {
      facts.push(...this.factsIn(await this.ask('factsOf', ids.slice(at, at + PAGE_NODES))));
      if (this.parts.pace.isOver) await this.parts.pace.rest();
    }
    const takeBack = async (): Promise<void> => {
      await this.appender.append([[ids]]);
      for (const tie of found.ties) this.ties.delete(tie);
    };
    return {
      answered: found.answered,
      ids: found.nodes.map(({ name }) => name),
      tasks: found.tasks,
      facts,
      takeBack,
    };
  }

  /** Which ties the nodes have that left memory: read once, before anything else is done. */
  async readTies(): Promise<void> {
    for (let after: readonly [Tie, number] | undefined = [-1, -1]; after;) {
      const page: Awaited<ReturnType<StoreCore['ties']>> = await this.ask('ties', after);
      for (const [tie] of page) this.ties.add(tie);
      after = page.at(-1);
    }
  }

  async erase(order: ErasureOrder): Promise<number> {
    await this.appender.settled();
    return this.ask('erase', order, this.parts.clock.now());
  }

  async sweep(): Promise<void> {
    while (await this.ask('sweep'));
  }

  async replaceAll(records: AsyncIterable<readonly SourceRecord[]>): Promise<void> {
    await this.appender.settled();
    const upTo = await this.ask('startAnew');
    for await (const some of records)
      await this.ask('stage', await this.rowsOf(some), this.parts.clock.now());
    await this.ask('replace', upTo);
    await this.sweep();
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  private async shut(): Promise<void> {
    this.appender.stop();
    await this.appender.flush();
    await this.thread.stop();
    this.lock.release();
  }

  /** Made in pieces: all of it is appended as one. */
  private async rowsOf(records: readonly SourceRecord[]): Promise<readonly RecordRow[]> {
    const rows: RecordRow[] = [];
    for (const record of records) {
      if (this.parts.pace.isOver) await this.parts.pace.rest();
      rows.push(recordRow(record));
    }
    return rows;
  }

  private factsIn(rows: readonly string[]): readonly Facts[] {
    return rows.map((json) => this.parse(json) as Facts | undefined).filter((fact) => fact !== undefined);
  }

  private leavingNode(json: string): LeavingNode | undefined {
    const left = this.parse(json) as LeavingNode | undefined;
    if (!left) return undefined;
    const node = withTitle(left.node);
    return { ...left, node: this.show(node, left.override) };
  }

  /** Undefined, and said, for what was changed on the disk: SQLite does not look into its texts. */
  private parse(json: string): unknown {
    try {
      return JSON.parse(json) as unknown;
    } catch {
      this.parts.logger.error({}, 'an entry of the store cannot be read: it is left out');
      return undefined;
    }
  }

  /** @throws StoreFailure, BoundaryError UNAVAILABLE while the store closes */
  private async ask<M extends Method>(
    method: M,
    ...args: Parameters<StoreCore[M]>
  ): Promise<ReturnType<StoreCore[M]>> {
    try {
      return await this.thread.call(method, ...args);
    } catch (error) {
      if (!this.closing) throw error;
      const message = 'the service is shutting down: ask again when it is back';
      throw new BoundaryError('UNAVAILABLE', message, { cause: error });
    }
  }
}
