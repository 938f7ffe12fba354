import type { Clock, Timer } from '../base/clock.ts';
import { Correlator, type ReduceFacts } from '../correlation/correlator.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { OverrideFacts } from '../model/facts.ts';
import type { SafeBatch } from '../model/pipeline.ts';
import { restore } from '../redaction/vault/restore.ts';
import { FoldCache } from '../pruning/fold-cache.ts';
import type { FoldLimits } from '../pruning/fold.ts';
import type { TextStore } from '../storage/text-store.ts';
import { Reader } from '../subscriptions/reader.ts';
import type { Decorate } from '../subscriptions/view.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { withFollowers } from './dirty-tasks.ts';
import { Retention, type RetentionLimits } from './retention.ts';

export interface EngineOptions extends FoldLimits, RetentionLimits {
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly texts: TextStore;
  readonly decorate: Decorate;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** Told of the records behind nodes that leave, by source key. */
  readonly onLeaving?: ((sources: readonly string[]) => void) | undefined;
  /** Told of each batch when the graph holds it, for the `explain.ingest` span. */
  readonly onIngest?: (batch: SafeBatch, latencyMs: number) => void;
  /** Told when tasks were folded anew, for the `explain.prune` span. */
  readonly onFold?: (stats: {
    readonly nodesPrunedCount: number;
    readonly edgesPrunedCount: number;
    readonly pruneLatencyMs: number;
  }) => void;
  /** Milliseconds from an event to its update; later ones are told in the log. */
  readonly updateLatencySlaMs: number;
  /** Milliseconds over which changes are collected into one update. */
  readonly flushIntervalMs: number;
  readonly maxQueuedUpdates: number;
  readonly resumeWindowSeconds: number;
  readonly maxSubscriptions: number;
}

/**
 * After a flush that took long the next one waits as long again, so that intake keeps half of the processor;
 * but never longer than this, because what piles up meanwhile makes the next flush longer still.
 */
const MAX_FLUSH_WAIT_MS = 2000;
/** An overloaded service says so this often, not with every update. */
const LATE_WARNING_EVERY_MS = 10_000;

/** The stages between the redaction door and the servers, wired: correlation, graph, folding, subscriptions. */
export class Engine {
  readonly graph = new CausalGraph();
  readonly correlator: Correlator;
  readonly reader: Reader;
  private readonly folds: FoldCache;
  private readonly retention: Retention;
  private readonly options: EngineOptions;
  private timer: Timer | undefined;
  private lastFlushMs = 0;
  /** When the batches that are not published yet were received. */
  private waiting: number[] = [];
  private leftOut = 0;
  private nextLateWarning = -Infinity;

  constructor(options: EngineOptions) {
    this.options = options;
    const { clock, metrics, texts, decorate } = options;
    this.folds = new FoldCache(this.graph, options, clock, () => this.schedule());
    this.correlator = new Correlator({
      graph: this.graph,
      texts,
      clock,
      onBatch: (batch) => this.batchTaken(batch),
      reduce: options.reduce,
      restore: (value, originals) => restore(value, new Map(Object.entries(originals))),
    });
    this.retention = new Retention(this.correlator, this.graph, options);
    const { correlator } = this;
    this.reader = new Reader({
      source: { graph: this.graph, foldOf: (taskId) => this.folds.foldOf(taskId) },
      sources: {
        sourcesOf: (id) =>
          this.overridden(
            id,
            correlator.sourceKeys(id).map(({ key, ...rest }) => ({ ...rest, ...texts.get(key) })),
          ),
        thoughtOf: (id) => this.overridden(id, correlator.thoughtOf(id)),
      },
      clock,
      metrics,
      decorate,
      bringUpToDate: () => this.flush(),
      prune: (olderThanMs) => this.retention.evictOlderThan(olderThanMs, 'prune'),
      maxQueuedUpdates: options.maxQueuedUpdates,
      resumeWindowSeconds: options.resumeWindowSeconds,
      maxSubscriptions: options.maxSubscriptions,
    });
  }

  /** Starts what happens by time alone: archiving, abandoning, the memory limit. */
  start(): void {
    this.retention.start(() => this.schedule());
  }

  stop(): void {
    this.timer?.cancel();
    this.retention.stop();
  }

  /** Publishes what has changed since the last time. */
  flush(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const { clock, metrics, logger } = this.options;
    const start = clock.monotonic();
    const changes = this.graph.takeChanges();
    if (changes.tasks.size > 0) {
      const tasks = withFollowers(changes.tasks, this.graph);
      this.folds.invalidate(tasks);
      this.reader.publish(tasks);
    }
    this.reportFold();
    if (changes.nodesCreated > 0) metrics.nodesCreated(changes.nodesCreated);
    if (changes.edgesCreated > 0) metrics.edgesCreated(changes.edgesCreated);
    if (this.graph.edgesLeftOut > this.leftOut) {
      metrics.cyclesAvoided(this.graph.edgesLeftOut - this.leftOut);
      logger.warn(
        { edges: this.graph.edgesLeftOut - this.leftOut },
        'edges left out: they would close a cycle',
      );
    }
    this.leftOut = this.graph.edgesLeftOut;
    const end = clock.monotonic();
    for (const receivedAt of this.waiting) metrics.graphUpdateLatency(end - receivedAt);
    this.warnWhenLate(end - (this.waiting[0] ?? end));
    this.waiting = [];
    this.lastFlushMs = end - start;
  }

  /** An administrator has had a node's originals shown, or hidden again. */
  override(nodeId: string, originals: OverrideFacts['originals']): void {
    this.correlator.override({ kind: 'override', nodeId, originals });
    this.schedule();
  }

  private overridden<T>(nodeId: string, value: T): T {
    const originals = this.correlator.overrideOf(nodeId);
    return originals ? restore(value, new Map(Object.entries(originals))) : value;
  }

  private warnWhenLate(latencyMs: number): void {
    const { updateLatencySlaMs, clock, logger } = this.options;
    const now = clock.monotonic();
    if (latencyMs <= updateLatencySlaMs || now < this.nextLateWarning) return;
    this.nextLateWarning = now + LATE_WARNING_EVERY_MS;
    logger.warn(
      { latencyMs: Math.round(latencyMs), updateLatencySlaMs },
      'updates are later than updateLatencySlaMs',
    );
  }

  private reportFold(): void {
    const stats = this.folds.takeStats();
    if (stats.nodesFolded === 0) return;
    this.options.onFold?.({
      nodesPrunedCount: stats.nodesFolded,
      edgesPrunedCount: stats.edgesFolded,
      pruneLatencyMs: stats.latencyMs,
    });
  }

  private batchTaken(batch: SafeBatch): void {
    this.options.onIngest?.(batch, this.options.clock.monotonic() - batch.receivedAt);
    this.waiting.push(batch.receivedAt);
    this.retention.holdMemory();
    this.schedule();
  }

  private schedule(): void {
    if (this.timer) return;
    const wait = Math.min(Math.max(this.options.flushIntervalMs, this.lastFlushMs), MAX_FLUSH_WAIT_MS);
    this.timer = this.options.clock.after(wait, () => this.flush());
  }
}
