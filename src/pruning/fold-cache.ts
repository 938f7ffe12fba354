import type { Clock } from '../base/clock.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { Fold, FoldLimits } from './fold.ts';
import { foldTask } from './fold-task.ts';

/** What folding a batch of tasks anew did, for the `explain.prune` span. */
export interface FoldStats {
  readonly nodesFolded: number;
  readonly edgesFolded: number;
  /** Milliseconds. */
  readonly latencyMs: number;
}

/** The folds of all tasks, computed when first asked for after a change. At most one entry per task in memory. */
export class FoldCache {
  private readonly graph: GraphReader;
  private readonly limits: FoldLimits;
  private readonly folds = new Map<string, Fold>();
  private nodesFolded = 0;
  private edgesFolded = 0;
  private latencyMs = 0;
  private readonly clock: Clock;
  private readonly onFold: () => void;

  /** @param onFold told after each task that was folded anew */
  constructor(graph: GraphReader, limits: FoldLimits, clock: Clock, onFold: () => void) {
    this.graph = graph;
    this.limits = limits;
    this.clock = clock;
    this.onFold = onFold;
  }

  foldOf(taskId: string): Fold {
    const held = this.folds.get(taskId);
    if (held) return held;
    const start = this.clock.monotonic();
    const fold = foldTask(this.graph, taskId, this.limits);
    this.latencyMs += this.clock.monotonic() - start;
    if (this.graph.nodesOfTask(taskId).size > 0) this.folds.set(taskId, fold);
    this.nodesFolded += fold.summaryOf.size;
    for (const id of fold.summaryOf.keys()) this.edgesFolded += this.graph.inEdges(id).length;
    if (fold.summaryOf.size > 0) this.onFold();
    return fold;
  }

  invalidate(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) this.folds.delete(taskId);
  }

  /** How many nodes and edges were folded since the last call. */
  takeStats(): FoldStats {
    const { nodesFolded, edgesFolded, latencyMs } = this;
    const stats = { nodesFolded, edgesFolded, latencyMs };
    this.latencyMs = 0;
    this.nodesFolded = 0;
    this.edgesFolded = 0;
    return stats;
  }
}
