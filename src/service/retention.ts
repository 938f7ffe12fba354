import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { inTurns, type Work } from '../base/in-turns.ts';
import type { Pace } from '../base/pace.ts';
import type { Correlator } from '../correlation/correlator.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';

export interface RetentionLimits {
  /** Minutes without a change here after which a node leaves memory. */
  readonly nodeTTLMinutes: number;
  /** Minutes without a change after which a running node's end is no longer waited for. */
  readonly abandonAfterMinutes: number;
  /** Estimated bytes that all nodes together may take. */
  readonly maxMemoryBytes: number;
}

/** What was folded, or left memory, and how long that took. */
export interface PruneStats {
  readonly nodesPrunedCount: number;
  readonly edgesPrunedCount: number;
  readonly pruneLatencyMs: number;
}

export interface RetentionOptions extends RetentionLimits {
  readonly clock: Clock;
  /** How long work is cut into pieces. */
  readonly pace: Pace;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  /** Takes nodes, and what was made from them, out of memory. @returns how many of them were there */
  readonly takeOut: (ids: readonly string[]) => number;
  /** Can what leaves memory be written, so that it can be read again? Always if absent. */
  readonly canKeep?: (() => boolean) | undefined;
  /** What all nodes may take now; `maxMemoryBytes` if absent. */
  readonly memoryLimit?: () => number;
  /** Told of what left memory, for the `explain.prune` span. */
  readonly onPrune?: (stats: PruneStats) => void;
  /** Told after each step that changed the graph. */
  readonly onChange: () => void;
}

type Reason = 'ttl' | 'prune' | 'memory';

/** What left memory since a time of `Clock.monotonic()`. */
interface Gone {
  nodes: number;
  edges: number;
  readonly since: number;
}

/** How often nodes are looked through: fine enough for limits in minutes, and cheap. */
const SWEEP_MS = 5000;
/** When memory is full, so much of it is kept, so that not every batch has to make room anew. */
const KEEP_SHARE = 0.9;
/** Nodes that leave, or are looked at, before others may have their turn. */
const STEP_NODES = 32;
/** A larger task that is alone in memory leaves in the order of arrival: sorting it would hold everybody up. */
const MAX_SORTED = 20_000;

/** What leaves memory, and when; in turns, so that nothing else waits for long. */
export class Retention {
  private readonly correlator: Correlator;
  private readonly graph: GraphReader;
  private readonly options: RetentionOptions;
  private isStopped = false;
  private timer: Timer | undefined;
  /** Tasks that changed, the one whose last change is longest ago first. */
  private readonly order = new Set<string>();
  private isSweeping = false;
  /** clock.monotonic() before which no node is too old: until then a million of them need not be looked through. */
  private nextDue = -Infinity;
  private isMakingRoom = false;
  /** Who asked for a prune that has not begun. */
  private readonly waiting = new Set<(error: Error) => void>();

  constructor(correlator: Correlator, graph: GraphReader, options: RetentionOptions) {
    this.correlator = correlator;
    this.graph = graph;
    this.options = options;
  }

  start(): void {
    const sweep = (): void => {
      const isDue = this.options.clock.monotonic() >= this.nextDue;
      if (isDue && !this.isSweeping) this.run(this.sweep());
      this.timer = this.options.clock.after(SWEEP_MS, sweep);
    };
    this.timer = this.options.clock.after(SWEEP_MS, sweep);
  }

  stop(): void {
    this.timer?.cancel();
    this.isStopped = true;
    const message = 'the service is shutting down: nothing is pruned';
    for (const reject of this.waiting) reject(new BoundaryError('UNAVAILABLE', message));
    this.waiting.clear();
  }

  /** These tasks changed just now. */
  touched(tasks: Iterable<string>): void {
    for (const taskId of tasks) {
      this.order.delete(taskId);
      if (this.graph.nodesOfTask(taskId).size > 0) this.order.add(taskId);
    }
  }

  /**
   * Takes out what has not changed for so long. Resolves, when all nodes were looked at, to how many leave; those of a
   * large graph do so in a while. Rejects when the service stops before.
   */
  async prune(ageMs: number): Promise<number> {
    if (this.options.canKeep?.() === false)
      throw new BoundaryError(
        'UNAVAILABLE',
        'the store cannot be written: nothing is pruned, as nobody could read it',
      );
    const limit = this.options.clock.monotonic() - ageMs;
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      const counted = (count: number): void => {
        this.waiting.delete(reject);
        resolve(count);
      };
      this.run(this.pruneOlder(limit, counted));
    });
  }

  /** Makes room when the memory limit is passed: whole tasks go, the one that changed longest ago first. */
  holdMemory(): void {
    if (this.correlator.bytes <= this.memoryLimit || this.isMakingRoom) return;
    this.isMakingRoom = true;
    this.run(this.makeRoom());
  }

  private get memoryLimit(): number {
    return this.options.memoryLimit?.() ?? this.options.maxMemoryBytes;
  }

  private run(work: Work<void>): void {
    void inTurns(work, this.options.pace.of('upkeep'), () => !this.isStopped);
  }

  private *makeRoom(): Work<void> {
    const enough = this.memoryLimit * KEEP_SHARE;
    const gone = this.nothingGone();
    try {
      while (this.correlator.bytes > enough) {
        const taskId = this.oldestTask();
        if (taskId === undefined) break;
        yield* this.inSteps(this.leavingFirst(taskId), (some) => this.takeOut(some, gone));
        if (this.graph.nodesOfTask(taskId).size === 0) this.order.delete(taskId);
      }
    } finally {
      this.isMakingRoom = false;
      this.report(gone, 'memory');
    }
  }

  private oldestTask(): string | undefined {
    for (const taskId of this.order) {
      if (this.graph.nodesOfTask(taskId).size > 0) return taskId;
      this.order.delete(taskId);
    }
    // Changed since the last update was published.
    for (const taskId of this.graph.taskIds()) return taskId;
    return undefined;
  }

  /** All nodes of a task; of a task that is alone in memory only the older half. */
  private leavingFirst(taskId: string): string[] {
    const ids = [...this.graph.nodesOfTask(taskId)];
    if (ids.length < this.graph.nodeCount) return ids;
    const half = Math.ceil(ids.length / 2);
    if (ids.length > MAX_SORTED) return ids.slice(0, half);
    const aged = ids.map((id) => ({ id, changedAt: this.changedAt(id) }));
    aged.sort((a, b) => a.changedAt - b.changedAt);
    return aged.slice(0, half).map(({ id }) => id);
  }

  private *sweep(): Work<void> {
    this.isSweeping = true;
    const { clock, nodeTTLMinutes, abandonAfterMinutes } = this.options;
    const [ttl, abandonAfter] = [nodeTTLMinutes * 60_000, abandonAfterMinutes * 60_000];
    const start = clock.monotonic();
    const stale: string[] = [];
    // What changes from now on is not due before that.
    let nextDue = start + Math.min(ttl, abandonAfter);
    try {
      const old = yield* this.unchangedSince(start - ttl, (id, changedAt) => {
        const isRunning = this.graph.node(id)?.state === 'RUNNING';
        if (isRunning && changedAt <= start - abandonAfter) stale.push(id);
        const isWaitedFor = isRunning && changedAt > start - abandonAfter;
        nextDue = Math.min(nextDue, changedAt + (isWaitedFor ? Math.min(ttl, abandonAfter) : ttl));
      });
      const canKeep = this.options.canKeep?.() ?? true;
      this.nextDue = canKeep ? nextDue : start;
      if (canKeep) yield* this.evict(old, 'ttl');
      yield* this.inSteps(stale, (some) => this.correlator.abandon(some));
    } finally {
      this.isSweeping = false;
    }
  }

  private *pruneOlder(limit: number, counted: (nodes: number) => void): Work<void> {
    const old = yield* this.unchangedSince(limit, () => {});
    counted(old.length);
    yield* this.evict(old, 'prune');
  }

  /** The nodes that have not changed since `limit`. @param other told of the others */
  private *unchangedSince(limit: number, other: (id: string, changedAt: number) => void): Work<string[]> {
    const old: string[] = [];
    for (const taskId of this.graph.taskIds()) {
      for (const id of this.graph.nodesOfTask(taskId)) {
        const changedAt = this.changedAt(id);
        if (changedAt <= limit) old.push(id);
        else other(id, changedAt);
        if (this.options.pace.isOver) yield;
      }
    }
    return old;
  }

  private *evict(ids: readonly string[], reason: Reason): Work<void> {
    const gone = this.nothingGone();
    yield* this.inSteps(ids, (some) => this.takeOut(some, gone));
    this.report(gone, reason);
  }

  private nothingGone(): Gone {
    return { nodes: 0, edges: 0, since: this.options.clock.monotonic() };
  }

  private takeOut(ids: readonly string[], gone: Gone): void {
    const edges = this.graph.edgeCount;
    gone.nodes += this.options.takeOut(ids);
    gone.edges += Math.max(0, edges - this.graph.edgeCount);
  }

  /** Changes the graph for a few nodes at a time. */
  private *inSteps(ids: readonly string[], change: (some: readonly string[]) => void): Work<void> {
    const { pace, onChange } = this.options;
    for (let at = 0; at < ids.length; at += STEP_NODES) {
      // What a batch left for later is done first: the change would otherwise do all of it at once.
      while (!this.correlator.settle(() => pace.isOver)) yield;
      change(ids.slice(at, at + STEP_NODES));
      onChange();
      if (pace.isOver) yield;
    }
  }

  private changedAt(id: string): number {
    return this.correlator.changedAt(id) ?? 0;
  }

  private report({ nodes, edges, since }: Gone, reason: Reason): void {
    if (nodes === 0) return;
    const { clock, metrics, onPrune } = this.options;
    metrics.nodesEvicted(reason, nodes);
    const pruneLatencyMs = clock.monotonic() - since;
    onPrune?.({ nodesPrunedCount: nodes, edgesPrunedCount: edges, pruneLatencyMs });
    const fields = { nodes, reason };
    if (reason === 'memory')
      this.options.logger.warn(fields, 'memory limit reached: the oldest tasks left memory');
    else this.options.logger.info(fields, 'nodes left memory');
  }
}
