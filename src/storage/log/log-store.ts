import { mkdir } from 'node:fs/promises';
import { systemClock, type Clock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import type { Facts } from '../../model/facts.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { lockDataDir, type DataDirLock } from '../data-dir-lock.ts';
import { recordKey } from '../record-key.ts';
import type { ArchivedNode, ErasureOrder, LeavingNode, RecordStore, SourceRecord } from '../record-store.ts';
import type { SourceTexts } from '../text-store.ts';
import { Appender } from './appender.ts';
import { FrameWriter } from './frame-writer.ts';
import { LogThread, type LogThreadOptions } from './log-thread.ts';
import type { StoredNode } from './stored.ts';

export interface LogStoreOptions {
  /** Made, for its owner alone, when it does not exist. */
  readonly dataDir: string;
  readonly durability: 'log' | 'fsync';
  /** Of log and index together. */
  readonly maxBytes: number;
  readonly persistRetentionDays: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  readonly onDropped?: LogThreadOptions['onDropped'];
  /** Nothing that is appended holds a text: the log is marked so. */
  readonly withoutTexts?: boolean;
  readonly segmentBytes?: number;
  /** Keeps the index in memory, as where Node has no SQLite. */
  readonly index?: 'memory';
}

/**
 * Large enough that there are few of them, small enough that one is read or written anew in some fifty
 * milliseconds, during which nothing is appended.
 */
const SEGMENT_BYTES = 16 * 1024 * 1024;
/** A store has at least so many, since its bound is held by deleting whole ones. */
const MIN_SEGMENTS = 16;
const MS_PER_DAY = 86_400_000;
const OWNER_ONLY_FOLDER = 0o700;
/** Nodes in one frame: some hundred kilobytes, so that one node is read quickly. */
const NODES_PER_FRAME = 128;
/** So many are written at once, in a few milliseconds. */
const FEW_RECORDS = 256;

/**
 * Opens the log in a folder, which is locked against other services.
 * @throws BoundaryError FAILED_PRECONDITION when another service uses the folder, or a newer version wrote the log;
 * Error when the disk refuses
 */
export async function openLogStore(options: LogStoreOptions): Promise<LogStore> {
  const { dataDir, maxBytes, clock = systemClock, logger, onDropped = () => {} } = options;
  await mkdir(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const lock = await lockDataDir(dataDir);
  try {
    const thread = await LogThread.start({
      folder: dataDir,
      segmentBytes: options.segmentBytes ?? Math.min(SEGMENT_BYTES, Math.ceil(maxBytes / MIN_SEGMENTS)),
      maxBytes,
      retentionMs: options.persistRetentionDays * MS_PER_DAY,
      durable: options.durability === 'fsync',
      withoutTexts: options.withoutTexts ?? false,
      index: options.index,
      logger,
      onDropped,
    });
    return new LogStore(thread, lock, clock, options.pace ?? new Pace(clock));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Records in a log on the disk, written by a thread of its own. */
export class LogStore implements RecordStore {
  private readonly thread: LogThread;
  private readonly lock: DataDirLock;
  private readonly clock: Clock;
  private readonly pace: Pace;
  private readonly appender: Appender;
  private closing: Promise<void> | undefined;

  constructor(thread: LogThread, lock: DataDirLock, clock: Clock, pace: Pace) {
    this.thread = thread;
    this.lock = lock;
    this.clock = clock;
    this.pace = pace;
    this.appender = new Appender(thread, clock);
  }

  /** Whether it was opened with texts in it, as they are kept without `withoutTexts`. */
  get heldTexts(): boolean {
    return this.thread.heldTexts;
  }

  get problems(): readonly string[] {
    return [this.appender.problem, this.thread.indexProblem].filter((problem) => problem !== undefined);
  }

  get bytes(): number {
    return this.thread.bytes;
  }

  append(records: readonly SourceRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    if (records.length > FEW_RECORDS) return this.appendMany(records);
    return this.appender.append((writer) => {
      for (const record of records) writeRecord(writer, record);
    });
  }

  /** Written in pieces, and into the log as one: all of it is kept, or nothing. */
  private async appendMany(records: readonly SourceRecord[]): Promise<void> {
    const frames = new FrameWriter();
    for (const record of records) {
      if (this.pace.isOver) await this.pace.rest();
      writeRecord(frames, record);
    }
    return this.appender.append((writer) => writer.frames(frames.take()));
  }

  async *restore(): AsyncGenerator<readonly Facts[]> {
    for (;;) {
      const found = (await this.thread.call({ kind: 'restoreNext' })) as
        { readonly facts: string } | undefined;
      if (!found) return;
      yield JSON.parse(found.facts) as readonly Facts[];
    }
  }

  async texts(sources: readonly string[]): Promise<ReadonlyMap<string, SourceTexts>> {
    await this.settled();
    const found = (await this.thread.call({ kind: 'texts', sources })) as {
      readonly [source: string]: string;
    };
    return new Map(Object.entries(found).map(([source, json]) => [source, JSON.parse(json) as SourceTexts]));
  }

  async archive(taskId: string, nodes: readonly LeavingNode[]): Promise<void> {
    const written: Promise<void>[] = [];
    // All of them at once: what is taken in meanwhile comes after them.
    for (let at = 0; at < nodes.length; at += NODES_PER_FRAME) {
      const entries = JSON.stringify(nodes.slice(at, at + NODES_PER_FRAME));
      written.push(this.appender.appendAtOnce((writer) => writer.left(taskId, entries)));
    }
    // Where the disk refuses, the nodes are in memory again after a restart.
    await Promise.allSettled(written);
  }

  async archivedNode(id: string): Promise<ArchivedNode | undefined> {
    await this.settled();
    const found = (await this.thread.call({ kind: 'leftNode', nodeId: id })) as StoredNode | undefined;
    if (!found) return undefined;
    const records = found.records.map(({ facts, texts }) => ({
      facts: JSON.parse(facts) as Facts,
      ...(texts !== '' && { texts: JSON.parse(texts) as SourceTexts }),
    }));
    return { ...(found.entry as unknown as LeavingNode), records };
  }

  async *archivedTask(taskId: string): AsyncGenerator<readonly LeavingNode[]> {
    await this.settled();
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page = (await this.thread.call({ kind: 'leftPage', task: taskId, after })) as {
        readonly entries: string;
        readonly next: number | undefined;
      };
      after = page.next;
      const nodes = JSON.parse(page.entries) as readonly LeavingNode[];
      if (nodes.length > 0) yield nodes;
    }
  }

  async archivedTasks(): Promise<readonly string[]> {
    await this.settled();
    return (await this.thread.call({ kind: 'leftTasks' })) as readonly string[];
  }

  async erase(order: ErasureOrder): Promise<void> {
    await this.settled();
    await this.thread.call({ kind: 'erase', order, now: this.clock.now() });
    while ((await this.thread.call({ kind: 'eraseStep' })) === true);
  }

  async replaceAll(records: AsyncIterable<readonly SourceRecord[]>): Promise<void> {
    await this.settled();
    const before = (await this.thread.call({ kind: 'startAnew' })) as number;
    for await (const some of records) await this.append(some);
    await this.thread.call({ kind: 'dropBefore', segment: before });
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  private async shut(): Promise<void> {
    await this.appender.flush();
    await this.thread.stop();
    await this.lock.release();
  }

  /** What was appended before is asked for after it is there. */
  private settled(): Promise<void> {
    return this.appender.settled();
  }
}

function writeRecord(writer: FrameWriter, { facts, texts }: SourceRecord): void {
  const { source, rank, part } = recordKey(facts);
  writer.record(source, rank, part, JSON.stringify(facts), texts === undefined ? '' : textsJson(texts));
}

function textsJson(texts: SourceTexts): string {
  const json = JSON.stringify(texts);
  return json === '{}' ? '' : json;
}
