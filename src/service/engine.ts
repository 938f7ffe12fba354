import type { Clock, Timer } from '../base/clock.ts';
import { atOnce, inTurns, NEVER_OVER, seldom, type Work } from '../base/in-turns.ts';
import { Pace } from '../base/pace.ts';
import { Correlator, type CorrelatorOptions } from '../correlation/correlator.ts';
import type { ReduceFacts } from '../correlation/read-record.ts';
import type { Journal } from '../correlation/journal.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { ChangeLog } from '../graph/change-log.ts';
import type { CotText, Facts, OverrideFacts } from '../model/facts.ts';
import { broughtUnder, type SourceKey } from '../model/source-key.ts';
import type { Tie } from '../model/ties.ts';
import type { SafeBatch } from '../model/pipeline.ts';
import { restore } from '../redaction/vault/restore.ts';
import { withFollowers } from '../graph/followers.ts';
import type { FoldLimits } from '../pruning/fold.ts';
import { TaskFolds } from '../pruning/task-folds.ts';
import type { TextStore } from '../storage/text-store.ts';
import { Reader } from '../subscriptions/reader.ts';
import type { Archive } from '../subscriptions/recall/archive.ts';
import type { TaskArchive } from '../subscriptions/task-list.ts';
import { Recall } from '../subscriptions/recall/recall.ts';
import type { Decorate } from '../subscriptions/compute-view.ts';
import type { GraphMakerOptions } from '../subscriptions/graph-maker.ts';
import type { SubscriptionLimits } from '../subscriptions/subscriptions.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { Comebacks, type TiedArchive } from './comebacks.ts';
import { LeavingNodes, type LeftNode } from './leaving-nodes.ts';
import { Retention, type PruneStats, type RetentionLimits } from './retention.ts';

/** A node that left memory, and the records behind it. */
export interface LeavingNode extends LeftNode {
  /** By source key, the weakest texts first. */
  readonly sources: readonly string[];
  /** Where texts of it are that came with records behind other nodes; absent where none are. */
  readonly borrowed?: readonly SourceKey[];
  /** By which what comes later finds it. */
  readonly ties: readonly Tie[];
}

export interface EngineOptions
  extends
    FoldLimits,
    RetentionLimits,
    Omit<SubscriptionLimits, 'maxViewItems'>,
    Pick<GraphMakerOptions, 'partItems' | 'largeViewItems'> {
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly texts: TextStore;
  /** Sees that `texts` has those of these sources; absent where it always has. */
  readonly loadTexts?: ((sources: readonly string[]) => Promise<void>) | undefined;
  readonly decorate: Decorate;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** Where records are kept before they change anything. */
  readonly journal?: Journal | undefined;
  /** Where they can be read again. */
  readonly archive?: (Archive & TaskArchive & TiedArchive) | undefined;
  /** Told when tasks were folded anew, and of what left memory, for the `explain.prune` span. */
  readonly onPrune?: (stats: PruneStats) => void;
  /** Milliseconds from an event to its update; later ones are told in the log. */
  readonly updateLatencySlaMs: number;
  /** Milliseconds over which changes are collected into one update. */
  readonly flushIntervalMs: number;
  /** Nodes and edges that all views may hold. By `maxMemoryBytes` if absent. */
  readonly maxViewItems?: number;
  /** Users' own rules for the types of steps. */
  readonly typeRules?: CorrelatorOptions['typeRules'];
  /** Draw edges that nothing but time speaks for. */
  readonly inferEdges?: boolean | undefined;
}

const NO_TASKS: ReadonlySet<string> = new Set();

/**
 * After a flush that took long the next one waits as long again, so that intake keeps half of the processor;
 * but never longer than this, because what piles up meanwhile makes the next flush longer still.
 */
const MAX_FLUSH_WAIT_MS = 2000;
/** What a node takes without long texts, about: there has to be room for what comes back. */
const BYTES_PER_NODE = 4000;
/**
 * All views together may hold one node or edge for so many bytes of `maxMemoryBytes`, and `ARCHIVED_ITEMS` for what left
 * memory: by default a million, which is more than there is to see. Each takes some 50 bytes, edges over hidden nodes 250.
 */
const BYTES_PER_VIEW_ITEM = 640;
const ARCHIVED_ITEMS = 500_000;
/** Time between two warnings of an overloaded service. */
const LATE_WARNING_EVERY_MS = 10_000;

/** The stages between the redaction door and the servers, wired: correlation, graph, folding, subscriptions. */
export class Engine {
  readonly graph = new CausalGraph();
  readonly correlator: Correlator;
  readonly reader: Reader;
  private readonly folds: TaskFolds;
  private readonly recall: Recall | undefined;
  private readonly comebacks: Comebacks | undefined;
  private readonly retention: Retention;
  private readonly leaving: LeavingNodes;
  private readonly options: EngineOptions;
  private readonly pace: Pace;
  private readonly leavingListeners: ((nodes: readonly LeavingNode[]) => void)[] = [];
  private timer: Timer | undefined;
  private lastFlushMs = 0;
  /** The round of publishing that is going on. */
  private publishing: Work<void> | undefined;
  /** While folding takes too long nothing more is taken in; resolves when it has caught up. */
  private behind: PromiseWithResolvers<void> | undefined;
  /** The round of publishing that is going on, or else the next one; resolves when it has told all readers. */
  private round = Promise.withResolvers<void>();
  /** Tasks whose changes are not published yet. */
  private readonly changedTasks = new Set<string>();
  /** When batches were received: those of the round that is going on, and those that wait for the next one. */
  private due: number[] = [];
  private waiting: number[] = [];
  /** How many edges that would close a cycle were reported. */
  private leftOut = 0;
  private isHeldBack: (requestId: string) => boolean = () => false;
  /** How often nodes left memory. */
  private timesLeft = 0;
  private nextLateWarning = -Infinity;

  constructor(options: EngineOptions) {
    this.options = options;
    const { clock, texts } = options;
    this.pace = options.pace ?? new Pace(clock);
    this.folds = new TaskFolds(
      this.graph,
      options,
      clock,
      () => this.takeChanges(),
      () => this.schedule(),
    );
    this.leaving = new LeavingNodes(this.graph);
    this.comebacks = options.archive && this.comebacksFrom(options.archive);
    this.correlator = new Correlator({
      graph: this.leaving,
      journal: options.journal,
      left: this.comebacks,
      texts,
      clock,
      pace: this.pace,
      onBatch: (batch) => this.batchTaken(batch),
      follow: () => this.followed(),
      room: () => this.behind?.promise,
      reduce: options.reduce,
      maxCoTDepth: options.maxCoTDepth,
      inferEdges: options.inferEdges,
      typeRules: options.typeRules,
      restore: (value, originals) => restore(value, new Map(Object.entries(originals))),
    });
    this.retention = new Retention(this.correlator, this.graph, {
      ...options,
      pace: this.pace,
      takeOut: (ids) => this.takeOut(ids),
      onChange: () => this.schedule(),
    });
    const { correlator } = this;
    this.recall = options.archive && this.recallFrom(options.archive);
    this.reader = new Reader({
      ...options,
      recall: this.recall,
      taskArchive: options.archive,
      source: { graph: this.graph, folds: this.folds },
      sources: {
        sourcesOf: (id) =>
          this.overridden(
            id,
            broughtUnder(correlator.sources.of(id), (key) => texts.get(key)),
          ),
        thoughtOf: (id) => this.overridden(id, correlator.sources.thoughtOf(id)),
      },
      loadTexts:
        options.loadTexts &&
        (async (ids) =>
          options.loadTexts?.(ids.flatMap((id) => correlator.sources.of(id).map(({ key }) => key)))),
      limits: options,
      bringUpToDate: () => this.settle(),
      prune: async (olderThanMs) => {
        const pruned = await this.retention.prune(olderThanMs);
        // Whoever prunes relies on it that all readers know.
        await this.told();
        return pruned;
      },
      maxViewItems: options.maxViewItems ?? ARCHIVED_ITEMS + options.maxMemoryBytes / BYTES_PER_VIEW_ITEM,
      pace: this.pace.of('readers'),
    });
  }

  /** Registers a listener for nodes that are evicted, each with the keys of its records. */
  onLeaving(listener: (nodes: readonly LeavingNode[]) => void): void {
    this.leavingListeners.push(listener);
  }

  /** Starts what happens by time alone: archiving, abandoning, the memory limit. */
  start(): void {
    this.retention.start();
  }

  stop(): void {
    this.timer?.cancel();
    this.publishing = undefined;
    this.behind?.resolve();
    this.round.resolve();
    this.retention.stop();
  }

  /** Publishes what has changed since the last time. All of it at once: whoever asks sees the graph as it is. */
  flush(): void {
    const start = this.options.clock.monotonic();
    this.settle();
    this.due = [...this.due, ...this.waiting];
    this.waiting = [];
    atOnce(this.reader.publish(NEVER_OVER));
    this.published(this.options.clock.monotonic() - start);
  }

  /** Resolves when all readers were told what has changed until now; no timer is waited for. */
  private async told(): Promise<void> {
    // A round that has begun may have passed those who are to be told.
    if (this.publishing) await this.round.promise;
    const { round } = this;
    if (!this.publishing) this.beginRound();
    await round.promise;
  }

  /** From now on whoever asks sees the graph as it is; those who follow it are told with the next flush. */
  private settle(): void {
    // Whether anybody looks or not: what is left for later is more to do at once.
    this.folds.settle();
    this.noteChanges();
    if (this.reader.isBehind) this.schedule();
  }

  private noteChanges(): void {
    const recalled = this.recall?.takeChanges() ?? NO_TASKS;
    if (this.changedTasks.size + recalled.size === 0) return;
    const tasks = withFollowers(this.changedTasks, this.graph);
    this.changedTasks.clear();
    this.reader.note(tasks, recalled);
  }

  private published(flushMs: number): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.publishing = undefined;
    const { clock, metrics, logger } = this.options;
    this.reportFold();
    if (this.graph.edgesLeftOut > this.leftOut) {
      metrics.cyclesAvoided(this.graph.edgesLeftOut - this.leftOut);
      logger.warn(
        { edges: this.graph.edgesLeftOut - this.leftOut },
        'edges left out: they would close a cycle',
      );
    }
    this.leftOut = this.graph.edgesLeftOut;
    const end = clock.monotonic();
    for (const receivedAt of this.due) metrics.graphUpdateLatency(end - receivedAt);
    this.warnWhenLate(end - (this.due[0] ?? end));
    this.due = [];
    this.lastFlushMs = flushMs;
    this.round.resolve();
    this.round = Promise.withResolvers();
    this.behind?.resolve();
    this.behind = undefined;
    // What changed in views that had had their turn.
    if (this.reader.isBehind) this.schedule();
  }

  /**
   * As `flush`, when nobody waits: in turns folding follows what changed, and then each view. The graph goes on changing
   * between turns; as long as folding has followed, so may the views.
   */
  private *publishInTurns(): Work<void> {
    const { clock } = this.options;
    const isOver = (): boolean => this.pace.isOver;
    if (isOver()) yield;
    let views: Work<void> | undefined;
    let caughtUp = clock.monotonic();
    let flushMs = 0;
    for (;;) {
      const start = clock.monotonic();
      if (this.folds.settle(seldom(isOver))) {
        this.behind?.resolve();
        this.behind = undefined;
        this.noteChanges();
        if (!views) {
          views = this.reader.publish(isOver);
          this.due = this.waiting;
          this.waiting = [];
        }
        const { done } = views.next();
        caughtUp = clock.monotonic();
        if (done === true) return this.published(flushMs + caughtUp - start);
      } else if (clock.monotonic() - caughtUp > MAX_FLUSH_WAIT_MS) this.behind ??= Promise.withResolvers();
      flushMs += clock.monotonic() - start;
      yield;
    }
  }

  /** Tells all stages what changed in the graph. @returns the same for folding, which asks */
  private takeChanges(): ChangeLog | undefined {
    if (!this.graph.hasChanged) return undefined;
    const { metrics } = this.options;
    const { log, tasks, nodesCreated, edgesCreated } = this.graph.takeChanges();
    this.recall?.follow(log);
    this.retention.touched(tasks);
    for (const taskId of tasks) this.changedTasks.add(taskId);
    if (nodesCreated > 0) metrics.nodesCreated(nodesCreated);
    if (edgesCreated > 0) metrics.edgesCreated(edgesCreated);
    return log;
  }

  /** An administrator has had a node's originals shown, or hidden again. */
  override(nodeId: string, originals: OverrideFacts['originals']): void {
    this.correlator.override({ kind: 'override', nodeId, originals });
    this.schedule();
  }

  /** Takes what was kept over a restart, room made for it. Resolves when folding has followed as well. */
  async replay(facts: Iterable<Facts>): Promise<void> {
    await this.correlator.replay(facts);
    this.retention.holdMemory();
    await this.followed();
  }

  /** Resolves when little is left to do for whoever asks next; what is there is published meanwhile. */
  private async followed(): Promise<void> {
    this.schedule();
    while (!this.folds.settle(seldom(() => this.pace.isOver))) await this.pace.rest();
  }

  /** Takes nodes out of memory, and tells who keeps them. @returns how many of them were there */
  takeOut(ids: readonly string[]): number {
    this.correlator.settle();
    const { sources } = this.correlator;
    const kept = new Map(ids.map((id) => [id, { sources: sources.keysOf(id), ties: sources.tiesOf(id) }]));
    const borrowed = new Map(
      ids.flatMap((id) => sources.madeFrom(id)).map((id) => [id, sources.borrowedBy(id)] as const),
    );
    let count = 0;
    const left = this.leaving.during(() => {
      count = this.correlator.evict(ids);
    });
    this.recall?.keep(left);
    this.reader.left(left.map(({ node }) => node));
    if (left.length > 0) this.timesLeft++;
    const evicted = left.map((of) => {
      const { sources = [], ties = [] } = kept.get(of.node.id) ?? {};
      // What was made from a node goes and comes with it.
      const owner = kept.get(String(of.node.details?.['partOf']));
      const texts = borrowed.get(of.node.id) ?? [];
      return {
        ...of,
        sources,
        ...(texts.length > 0 && { borrowed: texts }),
        ties: sources.length > 0 ? ties : (owner?.ties ?? []),
      };
    });
    for (const listener of this.leavingListeners) listener(evicted);
    return count;
  }

  /** Resolves when the archived nodes that readers ask for are there. */
  async recalled(): Promise<void> {
    await this.recall?.settled();
  }

  /** @param isHeldBack whether the end of a request's thought must not be shown yet */
  holdEnds(isHeldBack: (requestId: string) => boolean): void {
    this.isHeldBack = isHeldBack;
  }

  /** Nothing of these tasks comes back into memory during the work. */
  async withoutComebacks<T>(tasks: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.comebacks ? this.comebacks.without(tasks, work) : work();
  }

  /** Nothing at all comes back during the work; records that something would come back for wait for it. */
  async betweenComebacks<T>(work: () => Promise<T>): Promise<T> {
    return this.comebacks ? this.comebacks.between(work) : work();
  }

  /** These tasks were erased, wherever they were. */
  forget(tasks: readonly string[]): void {
    this.recall?.forget(tasks);
    this.reader.forget(tasks);
  }

  private comebacksFrom(archive: TiedArchive): Comebacks {
    const { maxMemoryBytes, logger } = this.options;
    return new Comebacks({
      archive,
      room: () => {
        const bytes = Math.max(0, maxMemoryBytes - this.correlator.bytes);
        return { nodes: Math.floor(bytes / BYTES_PER_NODE), bytes };
      },
      timesLeft: () => this.timesLeft,
      isHeldBack: (requestId) => this.isHeldBack(requestId),
      onBack: ({ ids, tasks }) => {
        this.recall?.returned(ids);
        this.reader.back(tasks);
      },
      logger,
    });
  }

  private recallFrom(archive: Archive): Recall {
    const { clock, logger } = this.options;
    return new Recall({
      live: { graph: this.graph, folds: this.folds },
      archive,
      limits: this.options,
      clock,
      pace: this.pace,
      logger,
      onChange: () => this.schedule(),
    });
  }

  /** What of a node's thought is in memory, as administrators have had it shown. */
  partsOf(nodeId: string): readonly CotText[] {
    return this.overridden(nodeId, this.correlator.sources.partsOf(nodeId));
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
    this.options.onPrune?.({
      nodesPrunedCount: stats.nodesFolded,
      edgesPrunedCount: stats.edgesFolded,
      pruneLatencyMs: stats.latencyMs,
    });
  }

  private batchTaken({ receivedAt }: SafeBatch): void {
    this.waiting.push(receivedAt);
    this.retention.holdMemory();
    this.schedule();
  }

  private schedule(): void {
    if (this.timer || this.publishing) return;
    const wait = Math.min(Math.max(this.options.flushIntervalMs, this.lastFlushMs), MAX_FLUSH_WAIT_MS);
    this.timer = this.options.clock.after(wait, () => this.beginRound());
  }

  private beginRound(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const work = (this.publishing = this.publishInTurns());
    void inTurns(work, this.pace.of('upkeep'), () => this.publishing === work);
  }
}
