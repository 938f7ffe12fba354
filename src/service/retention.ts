import type { Clock, Timer } from '../base/clock.ts';
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

/** How often nodes are looked through: fine enough for limits in minutes, and cheap. */
const SWEEP_MS = 5000;
/** When memory is full, so much of it is kept, so that not every batch has to make room anew. */
const KEEP_SHARE = 0.9;

/** What leaves memory, and when. */
export class Retention {
  private readonly correlator: Correlator;
  private readonly graph: GraphReader;
  private readonly options: RetentionLimits & {
    readonly clock: Clock;
    readonly metrics: OwnMetrics;
    readonly logger: Logger;
    /** Told of all records, by source key, that are behind nodes which leave. */
    readonly onLeaving?: ((sources: readonly string[]) => void) | undefined;
  };
  private timer: Timer | undefined;

  constructor(correlator: Correlator, graph: GraphReader, options: Retention['options']) {
    this.correlator = correlator;
    this.graph = graph;
    this.options = options;
  }

  /** @param onChange called after a sweep that changed the graph */
  start(onChange: () => void): void {
    const sweep = (): void => {
      const changed = this.evictOlderThan(this.options.nodeTTLMinutes * 60_000, 'ttl') + this.abandon();
      if (changed > 0) onChange();
      this.timer = this.options.clock.after(SWEEP_MS, sweep);
    };
    this.timer = this.options.clock.after(SWEEP_MS, sweep);
  }

  stop(): void {
    this.timer?.cancel();
  }

  /** @returns how many nodes left memory */
  evictOlderThan(ageMs: number, reason: 'ttl' | 'prune'): number {
    const limit = this.options.clock.now() - ageMs;
    const old = this.nodesWhere((changedAt) => changedAt <= limit);
    return this.evict(old, reason);
  }

  /** Makes room when the memory limit is passed: whole tasks go, the one that changed longest ago first. */
  holdMemory(): void {
    const { maxMemoryBytes } = this.options;
    if (this.correlator.bytes <= maxMemoryBytes) return;
    const tasks = [...this.graph.taskIds()]
      .map((taskId) => ({ taskId, changedAt: this.lastChange(taskId) }))
      .sort((a, b) => a.changedAt - b.changedAt);
    let count = 0;
    for (const { taskId } of tasks) {
      while (this.correlator.bytes > maxMemoryBytes * KEEP_SHARE && this.graph.nodesOfTask(taskId).size > 0)
        count += this.takeOut(this.oldestFirst(taskId));
    }
    this.report(count, 'memory');
  }

  /** All nodes of a task; of a task that is alone in memory only the older half. */
  private oldestFirst(taskId: string): string[] {
    const ids = [...this.graph.nodesOfTask(taskId)];
    if (ids.length < this.graph.nodeCount) return ids;
    ids.sort((a, b) => (this.correlator.changedAt(a) ?? 0) - (this.correlator.changedAt(b) ?? 0));
    return ids.slice(0, Math.ceil(ids.length / 2));
  }

  private lastChange(taskId: string): number {
    let last = 0;
    for (const id of this.graph.nodesOfTask(taskId))
      last = Math.max(last, this.correlator.changedAt(id) ?? 0);
    return last;
  }

  private abandon(): number {
    const limit = this.options.clock.now() - this.options.abandonAfterMinutes * 60_000;
    const stale = this.nodesWhere(
      (changedAt, id) => changedAt <= limit && this.graph.node(id)?.state === 'RUNNING',
    );
    this.correlator.abandon(stale);
    return stale.length;
  }

  private nodesWhere(test: (changedAt: number, id: string) => boolean): string[] {
    const found: string[] = [];
    for (const taskId of this.graph.taskIds()) {
      for (const id of this.graph.nodesOfTask(taskId)) {
        if (test(this.correlator.changedAt(id) ?? 0, id)) found.push(id);
      }
    }
    return found;
  }

  private evict(ids: readonly string[], reason: 'ttl' | 'prune'): number {
    const count = ids.length === 0 ? 0 : this.takeOut(ids);
    this.report(count, reason);
    return count;
  }

  private takeOut(ids: readonly string[]): number {
    const { onLeaving } = this.options;
    const sources =
      onLeaving && ids.flatMap((id) => [id, ...this.correlator.sourceKeys(id).map(({ key }) => key)]);
    const count = this.correlator.evict(ids);
    if (sources) onLeaving(sources);
    return count;
  }

  private report(count: number, reason: 'ttl' | 'prune' | 'memory'): void {
    if (count === 0) return;
    this.options.metrics.nodesEvicted(reason, count);
    const fields = { nodes: count, reason };
    if (reason === 'memory')
      this.options.logger.warn(fields, 'memory limit reached: the oldest tasks left memory');
    else this.options.logger.info(fields, 'nodes left memory');
  }
}
