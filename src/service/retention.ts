import type { Clock, Timer } from '../base/clock.ts';
import type { Correlator } from '../correlation/correlator.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { Slices } from './slices.ts';

export interface RetentionLimits {
  /** Minutes without a change here after which a node leaves memory. */
  readonly nodeTTLMinutes: number;
  /** Minutes without a change after which a running node's end is no longer waited for. */
  readonly abandonAfterMinutes: number;
  /** Estimated bytes that all nodes together may take. */
  readonly maxMemoryBytes: number;
}

export interface RetentionOptions extends RetentionLimits {
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  /** Takes nodes, and what was made from them, out of memory. @returns how many of them were there */
  readonly takeOut: (ids: readonly string[]) => number;
}

type Reason = 'ttl' | 'prune' | 'memory';

/** How often nodes are looked through: fine enough for limits in minutes, and cheap. */
const SWEEP_MS = 5000;
/** When memory is full, so much of it is kept, so that not every batch has to make room anew. */
const KEEP_SHARE = 0.9;
/** Nodes that leave, or are looked at, before others may have their turn: a few milliseconds. */
const STEP_NODES = 100;
const STEP_LOOKS = 2000;
/** Of a larger task that is alone in memory the order of arrival is order enough: sorting would hold everybody up. */
const MAX_SORTED = 20_000;

/** What leaves memory, and when; in slices, so that nothing else waits for long. */
export class Retention {
  private readonly correlator: Correlator;
  private readonly graph: GraphReader;
  private readonly options: RetentionOptions;
  private readonly slices: Slices;
  private timer: Timer | undefined;
  /** Tasks that changed, the one whose last change is longest ago first. */
  private readonly order = new Set<string>();
  private isSweeping = false;
  private isMakingRoom = false;
  private onChange: () => void = () => {};

  constructor(correlator: Correlator, graph: GraphReader, options: RetentionOptions) {
    this.correlator = correlator;
    this.graph = graph;
    this.options = options;
    this.slices = new Slices(options.clock);
  }

  /** @param onChange called after a step that changed the graph */
  start(onChange: () => void): void {
    this.onChange = onChange;
    const sweep = (): void => {
      if (!this.isSweeping) this.slices.add(this.sweep());
      this.timer = this.options.clock.after(SWEEP_MS, sweep);
    };
    this.timer = this.options.clock.after(SWEEP_MS, sweep);
  }

  stop(): void {
    this.timer?.cancel();
    this.slices.stop();
  }

  /** These tasks changed just now. */
  touched(tasks: Iterable<string>): void {
    for (const taskId of tasks) {
      this.order.delete(taskId);
      if (this.graph.nodesOfTask(taskId).size > 0) this.order.add(taskId);
    }
  }

  /** Takes out what has not changed for so long. @returns how many nodes leave; those of a large graph in a while */
  prune(ageMs: number): number {
    const limit = this.options.clock.now() - ageMs;
    const old: string[] = [];
    for (const taskId of this.graph.taskIds())
      for (const id of this.graph.nodesOfTask(taskId)) if (this.changedAt(id) <= limit) old.push(id);
    this.slices.add(this.evict(old, 'prune'));
    return old.length;
  }

  /** Makes room when the memory limit is passed: whole tasks go, the one that changed longest ago first. */
  holdMemory(): void {
    if (this.correlator.bytes <= this.options.maxMemoryBytes || this.isMakingRoom) return;
    this.isMakingRoom = true;
    this.slices.add(this.makeRoom());
  }

  private *makeRoom(): Generator<void, void> {
    const enough = this.options.maxMemoryBytes * KEEP_SHARE;
    let count = 0;
    try {
      while (this.correlator.bytes > enough) {
        const taskId = this.oldestTask();
        if (taskId === undefined) break;
        for (const some of chunks(this.oldestFirst(taskId), STEP_NODES)) {
          count += this.options.takeOut(some);
          yield;
        }
        if (this.graph.nodesOfTask(taskId).size === 0) this.order.delete(taskId);
      }
    } finally {
      this.isMakingRoom = false;
      this.report(count, 'memory');
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
  private oldestFirst(taskId: string): string[] {
    const ids = [...this.graph.nodesOfTask(taskId)];
    if (ids.length < this.graph.nodeCount) return ids;
    if (ids.length <= MAX_SORTED) ids.sort((a, b) => this.changedAt(a) - this.changedAt(b));
    return ids.slice(0, Math.ceil(ids.length / 2));
  }

  private *sweep(): Generator<void, void> {
    this.isSweeping = true;
    const { clock, nodeTTLMinutes, abandonAfterMinutes } = this.options;
    const old: string[] = [];
    const stale: string[] = [];
    const leaves = clock.now() - nodeTTLMinutes * 60_000;
    const isStale = clock.now() - abandonAfterMinutes * 60_000;
    let looks = 0;
    try {
      for (const taskId of this.graph.taskIds()) {
        for (const id of this.graph.nodesOfTask(taskId)) {
          const changedAt = this.changedAt(id);
          if (changedAt <= leaves) old.push(id);
          else if (changedAt <= isStale && this.graph.node(id)?.state === 'RUNNING') stale.push(id);
          if (++looks % STEP_LOOKS === 0) yield;
        }
      }
      yield* this.evict(old, 'ttl');
      for (const some of chunks(stale, STEP_NODES)) {
        this.correlator.abandon(some);
        this.onChange();
        yield;
      }
    } finally {
      this.isSweeping = false;
    }
  }

  private *evict(ids: readonly string[], reason: Reason): Generator<void, void> {
    let count = 0;
    for (const some of chunks(ids, STEP_NODES)) {
      count += this.options.takeOut(some);
      this.onChange();
      yield;
    }
    this.report(count, reason);
  }

  private changedAt(id: string): number {
    return this.correlator.changedAt(id) ?? 0;
  }

  private report(count: number, reason: Reason): void {
    if (count === 0) return;
    this.options.metrics.nodesEvicted(reason, count);
    const fields = { nodes: count, reason };
    if (reason === 'memory')
      this.options.logger.warn(fields, 'memory limit reached: the oldest tasks left memory');
    else this.options.logger.info(fields, 'nodes left memory');
  }
}

function* chunks(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size);
}
