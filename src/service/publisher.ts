import type { Clock, Timer } from '../base/clock.ts';
import { atOnce, inTurns, NEVER_OVER, seldom, type Work } from '../base/in-turns.ts';
import type { Pace } from '../base/pace.ts';
import { withFollowers } from '../graph/followers.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';
import type { Reader } from '../subscriptions/reader.ts';
import type { Recall } from '../subscriptions/recall/recall.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';

export interface PublishingLimits {
  /** Milliseconds from an event to its update; where many are later the log tells. */
  readonly updateLatencySlaMs: number;
  /** Milliseconds over which changes are collected into one update. */
  readonly flushIntervalMs: number;
}

export interface PublisherOptions extends PublishingLimits {
  readonly clock: Clock;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly graph: GraphReader;
  readonly folds: TaskFolds;
  readonly reader: Reader;
  readonly recall: Recall | undefined;
  /** Told after each round. */
  readonly onPublished: () => void;
}

const NO_TASKS: ReadonlySet<string> = new Set();

/**
 * After a flush that took long the next one waits as long again, so that intake keeps half of the processor;
 * but never longer than this, because what piles up meanwhile makes the next flush longer still.
 */
const MAX_FLUSH_WAIT_MS = 2000;
/** Weight of the newest round in the moving share of late rounds: about the last ten count. */
const NEWEST_ROUND = 0.1;
/** The share from which the log warns: after rounds in time, the seventh late one in a row reaches it. */
const WARNED_SHARE = 0.5;
/** Time between two warnings of an overloaded service. */
const LATE_WARNING_EVERY_MS = 10_000;

/** When readers are told what changed in the graph: in rounds, each in as many turns of the event loop as it takes. */
export class Publisher {
  private readonly options: PublisherOptions;
  private timer: Timer | undefined;
  private lastFlushMs = 0;
  /** The round that is going on. */
  private publishing: Work<void> | undefined;
  /** While folding takes too long nothing more is taken in; resolves when it has caught up. */
  private behind: PromiseWithResolvers<void> | undefined;
  /** The round that is going on, or else the next one; resolves when it has told all readers. */
  private round = Promise.withResolvers<void>();
  /** Tasks whose changes are not published yet. */
  private readonly changedTasks = new Set<string>();
  /** When batches were received: those of the round that is going on, and those that wait for the next one. */
  private due: number[] = [];
  private waiting: number[] = [];
  private lateShare = 0;
  private nextLateWarning = -Infinity;

  constructor(options: PublisherOptions) {
    this.options = options;
  }

  stop(): void {
    this.timer?.cancel();
    this.publishing = undefined;
    this.behind?.resolve();
    this.round.resolve();
  }

  /** Resolves when folding has caught up; undefined where it is not behind. */
  get room(): Promise<void> | undefined {
    return this.behind?.promise;
  }

  /** The graph has changed in these tasks. */
  changed(tasks: Iterable<string>): void {
    for (const taskId of tasks) this.changedTasks.add(taskId);
  }

  /** The graph holds a batch. @param receivedAt Clock.monotonic() */
  taken(receivedAt: number): void {
    this.waiting.push(receivedAt);
    this.schedule();
  }

  /** Publishes what has changed since the last time. All of it at once: whoever asks sees the graph as it is. */
  flush(): void {
    const { clock, reader } = this.options;
    const start = clock.monotonic();
    this.settle();
    this.due = [...this.due, ...this.waiting];
    this.waiting = [];
    atOnce(reader.publish(NEVER_OVER));
    this.published(clock.monotonic() - start);
  }

  /** Resolves when all readers were told what has changed until now; no timer is waited for. */
  async told(): Promise<void> {
    // A round that has begun may have passed those who are to be told.
    if (this.publishing) await this.round.promise;
    const { round } = this;
    if (!this.publishing) this.beginRound();
    await round.promise;
  }

  /** From now on whoever asks sees the graph as it is; those who follow it are told with the next flush. */
  settle(): void {
    const { folds, reader } = this.options;
    // Whether anybody looks or not: what is left for later is more to do at once.
    folds.settle();
    this.noteChanges();
    if (reader.isStale) this.schedule();
  }

  /** Resolves when little is left to do for whoever asks next; what is there is published meanwhile. */
  async followed(): Promise<void> {
    const { folds, pace } = this.options;
    this.schedule();
    while (!folds.settle(seldom(() => pace.isOver))) await pace.rest();
  }

  /** There is something to publish. */
  schedule(): void {
    if (this.timer || this.publishing) return;
    const { clock, flushIntervalMs } = this.options;
    const wait = Math.min(Math.max(flushIntervalMs, this.lastFlushMs), MAX_FLUSH_WAIT_MS);
    this.timer = clock.after(wait, () => this.beginRound());
  }

  private beginRound(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const work = (this.publishing = this.publishInTurns());
    void inTurns(work, this.options.pace.of('upkeep'), () => this.publishing === work);
  }

  /**
   * As `flush`, when nobody waits: in turns folding follows what changed, and then each view. The graph goes on changing
   * between turns; as long as folding has followed, so may the views.
   */
  private *publishInTurns(): Work<void> {
    const { clock, pace, folds, reader } = this.options;
    const isOver = (): boolean => pace.isOver;
    if (isOver()) yield;
    let views: Work<void> | undefined;
    let caughtUp = clock.monotonic();
    let flushMs = 0;
    for (;;) {
      const start = clock.monotonic();
      if (folds.settle(seldom(isOver))) {
        this.behind?.resolve();
        this.behind = undefined;
        this.noteChanges();
        if (!views) {
          views = reader.publish(isOver);
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

  private noteChanges(): void {
    const { graph, recall, reader } = this.options;
    const recalled = recall?.takeChanges() ?? NO_TASKS;
    if (this.changedTasks.size + recalled.size === 0) return;
    const tasks = withFollowers(this.changedTasks, graph);
    this.changedTasks.clear();
    reader.note(tasks, recalled);
  }

  private published(flushMs: number): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.publishing = undefined;
    const { clock, metrics, reader, onPublished } = this.options;
    onPublished();
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
    if (reader.isStale) this.schedule();
  }

  private warnWhenLate(latencyMs: number): void {
    const { updateLatencySlaMs, clock, logger } = this.options;
    const now = clock.monotonic();
    const isLate = latencyMs > updateLatencySlaMs;
    this.lateShare += NEWEST_ROUND * (Number(isLate) - this.lateShare);
    if (!isLate || this.lateShare < WARNED_SHARE || now < this.nextLateWarning) return;
    this.nextLateWarning = now + LATE_WARNING_EVERY_MS;
    logger.warn(
      { latencyMs: Math.round(latencyMs), updateLatencySlaMs },
      'updates are later than updateLatencySlaMs',
    );
  }
}
