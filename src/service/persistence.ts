import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { FairShares, Share } from '../base/fair-shares.ts';
import type { Pace } from '../base/pace.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { CotText, Facts } from '../model/facts.ts';
import { metricKey } from '../model/metric-facts.ts';
import type { Journal } from '../correlation/journal.ts';
import { withoutText } from '../redaction/without-text.ts';
import { deleteExpired } from '../storage/json/retention.ts';
import { assertOwnFormat } from '../storage/json/snapshot-format.ts';
import { LruTextStore } from '../storage/lru-text-store.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { SourceRecord } from '../storage/record-store.ts';
import { openSqliteStore, type SqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { noTextStore, type TextStore } from '../storage/text-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { CachedTexts } from './cached-texts.ts';
import type { Engine, LeavingNode } from './engine.ts';

/** Of `maxStoreBytes` the readable snapshot may have this share; the store is worth more, since it makes the graph. */
const SNAPSHOT_SHARE = 1 / 8;

export interface PersistenceOptions {
  readonly config: ServiceConfig;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly logger: Logger;
  /** Milliseconds to wait for a service that uses the folder and is going down. 0 if absent. */
  readonly lockWaitMs?: number;
  readonly onDropped: (reason: 'limit' | 'retention', tasks: number, records: number) => void;
  /** `maxStoreBytes` is what several have together. */
  readonly shares?: FairShares | undefined;
}

/** What outlives the process: the store, and how the engine is joined to it. */
export class Persistence {
  /** Absent with `durability: "memory"`. */
  readonly store: SqliteStore | undefined;
  readonly texts: TextStore;
  /** Of what is kept: another one when there is nothing left of it. */
  readonly dataId: string;
  private readonly options: PersistenceOptions;
  private readonly cache: CachedTexts | undefined;
  private restoredRecords: number | undefined;
  /** Of the disk that several have together. */
  private share: Share | undefined;

  private constructor(options: PersistenceOptions, store: SqliteStore | undefined) {
    const { zeroDataRetention, maxCachedTextBytes } = options.config;
    this.options = options;
    this.store = store;
    this.dataId = store ? `store-${store.identity}` : randomUUID();
    this.cache = store && !zeroDataRetention ? new CachedTexts(store, maxCachedTextBytes) : undefined;
    this.texts = this.cache ?? (zeroDataRetention ? noTextStore : new LruTextStore(maxCachedTextBytes));
  }

  /** @throws BoundaryError FAILED_PRECONDITION when another service uses the folder, or a newer version wrote it */
  static async open(options: PersistenceOptions): Promise<Persistence> {
    const { config, clock, pace, logger, lockWaitMs, onDropped } = options;
    const { dataDir, durability, maxStoreBytes, persistRetentionDays, zeroDataRetention } = config;
    if (durability === 'memory') return new Persistence(options, undefined);
    const store = await openSqliteStore({
      dataDir,
      durability,
      maxBytes: storeBytes(options.shares?.forNext ?? maxStoreBytes),
      persistRetentionDays,
      withoutTexts: zeroDataRetention,
      logger,
      clock,
      pace,
      ...(lockWaitMs !== undefined && { lockWaitMs }),
      onDropped,
    });
    try {
      await assertOwnFormat(dataDir);
      await deleteExpired(dataDir, persistRetentionDays, clock.now(), logger);
    } catch (error) {
      await store.close();
      throw error;
    }
    const persistence = new Persistence(options, store);
    persistence.share = options.shares?.join({
      used: () => store.bytes / (1 - SNAPSHOT_SHARE),
      makeRoom() {},
    });
    return persistence;
  }

  /** What of the disk it may have now: what others leave changes. To be called from time to time. */
  followShare(): void {
    if (this.share) void this.store?.bound(storeBytes(this.share.limit));
  }

  /** Its place on the disk counts no more. */
  leaveShare(): void {
    this.share?.leave();
  }

  get snapshotBytes(): number {
    return Math.floor((this.share?.limit ?? this.options.config.maxStoreBytes) * SNAPSHOT_SHARE);
  }

  /** What is wrong, for `/readyz`. */
  get problems(): readonly string[] {
    const restoring = this.restoredRecords;
    return [
      ...(restoring === undefined ? [] : [`restoring the graph: ${restoring} records so far`]),
      ...(this.store?.problems ?? []),
    ];
  }

  /** Keeps records before the graph has them. */
  get journal(): Journal | undefined {
    const { store } = this;
    if (!store) return undefined;
    if (this.options.config.zeroDataRetention)
      return { append: (taken) => store.append(taken.map(({ facts }) => ({ facts }))) };
    return store;
  }

  /** Nodes left memory: the store keeps them, to be read on. */
  archive(nodes: readonly LeavingNode[]): void {
    const { store } = this;
    if (!store) return;
    const byTask = new Map<string, LeavingNode[]>();
    for (const left of nodes) {
      const of = left.sources.flatMap((source) => [source, metricKey(source)]);
      const sources = of.length === 0 ? [] : [...of, overrideKey(left.node.id)];
      const task = byTask.get(left.node.taskId) ?? [];
      if (task.length === 0) byTask.set(left.node.taskId, task);
      task.push({ ...left, sources });
    }
    for (const [taskId, of] of byTask) void store.archive(taskId, of);
  }

  /** Sees that the texts of these sources can be got. */
  async loadTexts(sources: readonly string[]): Promise<void> {
    await this.cache?.load(sources);
  }

  /**
   * Gives the engine what was kept, in pieces between which everything else goes on.
   * @param onThought told of each state of a thought, in the order in which they came
   * @returns whether the readable snapshot is to be written anew at once
   */
  async restore(engine: Engine, onThought: (state: CotText) => void = () => {}): Promise<boolean> {
    const { store } = this;
    if (!store) return false;
    const { zeroDataRetention } = this.options.config;
    this.restoredRecords = 0;
    try {
      // What an earlier start without this mode has left on the disk goes before anything else happens.
      const mustForget = zeroDataRetention && store.heldTexts;
      if (mustForget) await this.forgetTexts(store);
      for (const fact of await store.leftThoughts()) if (fact.kind === 'cot') onThought(fact);
      for await (const facts of store.restore()) {
        for (const fact of facts) if (fact.kind === 'cot') onThought(fact);
        await this.replay(engine, facts);
      }
      if (this.restoredRecords > 0)
        this.options.logger.info({ records: this.restoredRecords }, 'graph restored');
      return mustForget;
    } finally {
      this.restoredRecords = undefined;
    }
  }

  private async replay(engine: Engine, facts: readonly Facts[]): Promise<void> {
    await engine.replay(facts);
    this.restoredRecords = (this.restoredRecords ?? 0) + facts.length;
  }

  /** Nodes that left memory cannot be had without their texts, so they go altogether. */
  private async forgetTexts(store: SqliteStore): Promise<void> {
    async function* reduced(): AsyncGenerator<readonly SourceRecord[]> {
      for await (const facts of store.restore()) yield facts.map((fact) => ({ facts: withoutText(fact) }));
    }
    await store.replaceAll(reduced());
    this.options.logger.warn({}, 'zeroDataRetention: the texts that were kept before are removed');
  }
}

/** What is left for the store beside the readable snapshot. */
function storeBytes(bytes: number): number {
  return Math.floor(bytes * (1 - SNAPSHOT_SHARE));
}
