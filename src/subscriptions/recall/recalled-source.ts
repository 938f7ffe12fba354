import type { GraphReader } from '../../graph/graph-reader.ts';
import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { Fold } from '../../pruning/fold.ts';
import type { NodeCounter } from '../../pruning/match-counter.ts';
import type { RunOfNodes, TaskFolds } from '../../pruning/task-folds.ts';
import type { FoldReader, ViewSource, VisibleGraph } from '../view-source.ts';
import type { ViewSpec } from '../view-spec.ts';
import { hides, recalls } from './wanted.ts';

/** What was read of archived tasks, as `Recall` holds it. */
export interface Recalled {
  /** Undefined until it can be looked at. */
  readonly ready: { readonly graph: GraphReader; readonly folds: TaskFolds } | undefined;
  has(taskId: string): boolean;
  tasksWith(edge: ExplanationEdge): readonly string[];
}

/**
 * What one spec's views are computed from: of tasks that it recalls everything, kept nodes included; of others what is
 * in memory.
 */
export class RecalledSource implements ViewSource {
  readonly graph: VisibleGraph;
  readonly folds: FoldReader;

  constructor(live: ViewSource, recall: Recalled, spec: ViewSpec) {
    const isRecalled = (taskId: string): boolean => recall.has(taskId) && recalls(spec, taskId);
    const foldsOf = (taskId: string): FoldReader =>
      (isRecalled(taskId) ? recall.ready?.folds : undefined) ?? live.folds;
    this.graph = new RecalledGraph(live.graph, recall, isRecalled, (taskId) => hides(spec, taskId));
    this.folds = new RecalledFolds(live.folds, recall, this.graph, foldsOf);
  }
}

class RecalledGraph implements VisibleGraph {
  private readonly live: VisibleGraph;
  private readonly recall: Recalled;
  private readonly isRecalled: (taskId: string) => boolean;

  private readonly isHidden: (taskId: string) => boolean;

  constructor(
    live: VisibleGraph,
    recall: Recalled,
    isRecalled: (taskId: string) => boolean,
    isHidden: (taskId: string) => boolean,
  ) {
    this.isHidden = isHidden;
    this.live = live;
    this.recall = recall;
    this.isRecalled = isRecalled;
  }

  node(id: string): ExplanationNode | undefined {
    const held = this.live.node(id);
    if (held) return held;
    const kept = this.recall.ready?.graph.node(id);
    return kept && this.isRecalled(kept.taskId) ? kept : undefined;
  }

  /**
   * Edges from archived nodes lead into recalled tasks, and through those that are not to be seen: how others are
   * folded does not go by what left memory. The whole graph has every edge of the one in memory, so that what is mixed
   * from both is acyclic, too.
   */
  inEdges(id: string): readonly ExplanationEdge[] {
    const { ready } = this.recall;
    if (!ready) return this.live.inEdges(id);
    const taskId = ready.graph.node(id)?.taskId ?? '';
    if (!this.isRecalled(taskId) && !this.isHidden(taskId)) return this.live.inEdges(id);
    const inMemory = new Set(this.live.inEdges(id).map((edge) => edge.id));
    const isSeen = (edge: ExplanationEdge): boolean =>
      inMemory.has(edge.id) ||
      (this.node(edge.from) !== undefined && this.recall.tasksWith(edge).some(this.isRecalled));
    const all = ready.graph.inEdges(id);
    return all.every(isSeen) ? all : all.filter(isSeen);
  }

  nodesOfTask(taskId: string): ReadonlySet<string> {
    const { ready } = this.recall;
    return (ready && this.isRecalled(taskId) ? ready.graph : this.live).nodesOfTask(taskId);
  }

  *taskIds(): Iterable<string> {
    yield* this.live.taskIds();
    for (const taskId of this.recall.ready?.graph.taskIds() ?? [])
      if (this.isRecalled(taskId) && this.live.nodesOfTask(taskId).size === 0) yield taskId;
  }

  *tasksAfter(taskId: string): Iterable<string> {
    yield* this.live.tasksAfter(taskId);
    yield* this.recall.ready?.graph.tasksAfter(taskId) ?? [];
  }
}

class RecalledFolds implements FoldReader {
  private readonly live: FoldReader;
  private readonly recall: Recalled;
  private readonly graph: VisibleGraph;
  private readonly foldsOf: (taskId: string) => FoldReader;
  /** Where a test counts beside the folds of what is in memory. */
  private readonly watched = new Map<string, { readonly folds: TaskFolds; readonly counter: NodeCounter }>();

  constructor(
    live: FoldReader,
    recall: Recalled,
    graph: VisibleGraph,
    foldsOf: (taskId: string) => FoldReader,
  ) {
    this.live = live;
    this.recall = recall;
    this.graph = graph;
    this.foldsOf = foldsOf;
  }

  foldOf(taskId: string): Fold {
    return this.foldsOf(taskId).foldOf(taskId);
  }

  firstFrom(id: string): string[] {
    const taskId = this.graph.node(id)?.taskId;
    return taskId === undefined ? [] : this.foldsOf(taskId).firstFrom(id);
  }

  runsOf(taskId: string): Iterable<RunOfNodes> {
    return this.foldsOf(taskId).runsOf(taskId);
  }

  watch(key: string, test: (node: ExplanationNode) => boolean): NodeCounter {
    const live = this.live.watch(key, test);
    // What is recalled may come later than the view.
    const kept = (): NodeCounter | undefined => {
      const folds = this.recall.ready?.folds;
      const held = this.watched.get(key);
      if (!folds || held?.folds === folds) return held?.counter;
      const counter = folds.watch(key, test);
      this.watched.set(key, { folds, counter });
      return counter;
    };
    return {
      passes: (entry) => live.passes(entry),
      countFrom: (branch) => live.countFrom(branch) + (kept()?.countFrom(branch) ?? 0),
      countBelow: (branch) => live.countBelow(branch) + (kept()?.countBelow(branch) ?? 0),
    };
  }

  unwatch(key: string): void {
    this.live.unwatch(key);
    this.watched.get(key)?.folds.unwatch(key);
    this.watched.delete(key);
  }
}
