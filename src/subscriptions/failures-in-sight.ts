import { failureOfTask, nodesOfTask } from '../analysis/outcome.ts';
import { nodesToRead, stepsBefore } from '../analysis/run.ts';
import { worthSeeing } from '../analysis/why.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { wholeInTurns, type IsOver, type Work } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { FoldLimits } from '../pruning/fold.ts';
import { isRoutine } from '../pruning/quiet.ts';
import type { TaskFolds } from '../pruning/task-folds.ts';
import type { LoadTexts } from './answers.ts';

export interface FailuresInSightOptions {
  readonly source: { readonly graph: GraphReader; readonly folds: TaskFolds };
  readonly limits: Pick<FoldLimits, 'pruneLatencyThresholdMs' | 'minCostUsdDetail'>;
  readonly clock: Clock;
  readonly pace: Turns;
  readonly loadTexts: LoadTexts;
  /** Told of a task that is folded another way now. */
  readonly onChange: (taskId: string) => void;
}

/** What was looked at last is watched: a task more is as if nobody had looked. */
const MAX_TASKS = 1000;
/** A task that changes is looked at again when it was quiet for so long. */
const QUIET_MS = 500;
/** What fits on a screen: of a failed run no larger than this no step is folded, unless it is routine. */
const SCREEN = 100;
/** Of a larger one so much is in sight, unless more is named. */
const SHARE = 0.15;

/**
 * Sees that folding keeps in sight what `why` names of a failed task. Only of tasks that are looked at, and when they
 * are over: it costs an answer to why, which no update of a running task may.
 */
export class FailuresInSight {
  private readonly options: FailuresInSightOptions;
  /** Tasks that were looked at, the last one at the end; whether they changed since. */
  private readonly tasks = new Map<string, WatchedTask>();
  private timer: Timer | undefined;

  constructor(options: FailuresInSightOptions) {
    this.options = options;
  }

  /** Somebody looks at these tasks. Resolves when what is to be seen of them is known. */
  async look(taskIds: Iterable<string>): Promise<void> {
    for (const taskId of taskIds) await this.lookAt(taskId);
  }

  /** Somebody looks from now on, and is told later. */
  watch(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) if (!this.tasks.has(taskId)) this.hold(taskId);
    this.later();
  }

  changed(taskIds: Iterable<string>): void {
    let isWatched = false;
    for (const taskId of taskIds) {
      const task = this.tasks.get(taskId);
      if (!task) continue;
      task.isStale = true;
      isWatched = true;
    }
    if (isWatched) this.later();
  }

  stop(): void {
    this.timer?.cancel();
  }

  private later(): void {
    this.timer?.cancel();
    this.timer = this.options.clock.after(QUIET_MS, () => {
      const stale = [...this.tasks].filter(([, { isStale }]) => isStale).map(([taskId]) => taskId);
      // Without its texts a failure is told by its status: nothing is lost that the next look does not bring.
      this.look(stale).catch(() => {});
    });
  }

  private async lookAt(taskId: string): Promise<void> {
    const task = this.tasks.get(taskId) ?? this.hold(taskId);
    if (task.isStale) {
      task.isStale = false;
      // One after the other: what an earlier look finds does not replace what a later one found.
      task.work = task.work.catch(() => {}).then(() => this.findOut(taskId, task));
    }
    await task.work;
  }

  private hold(taskId: string): WatchedTask {
    const task: WatchedTask = { isStale: true, work: Promise.resolve(), kept: NOTHING };
    this.tasks.set(taskId, task);
    for (const oldest of this.tasks.keys()) {
      if (this.tasks.size <= MAX_TASKS) break;
      this.tasks.delete(oldest);
      this.options.source.folds.keepInSight(oldest, NOTHING);
    }
    return task;
  }

  private async findOut(taskId: string, task: WatchedTask): Promise<void> {
    const { source, loadTexts, onChange, pace } = this.options;
    const { graph } = source;
    const isOver = (): boolean => pace.isOver;
    const failed = await wholeInTurns(failureWhenOver(graph, taskId, isOver), pace);
    let kept = NOTHING;
    if (failed) {
      const before = await wholeInTurns(stepsBefore(graph, failed, isOver), pace);
      const texts = await loadTexts(nodesToRead(before));
      const { byEvidence, byOrder, next } = await wholeInTurns(
        worthSeeing(graph, before, texts, isOver),
        pace,
      );
      // It may have gone or changed meanwhile.
      if (graph.node(failed.id) !== failed) return;
      kept = this.choose(taskId, byEvidence, [...byOrder, ...next]);
    }
    const isOther = kept.size !== task.kept.size || [...kept].some((id) => !task.kept.has(id));
    task.kept = kept;
    source.folds.keepInSight(taskId, kept);
    if (isOther) onChange(taskId);
  }

  /** All that is named for a reason of its own; of the rest, which goes by order, what is not routine and has room. */
  private choose(
    taskId: string,
    named: readonly ExplanationNode[],
    rest: readonly ExplanationNode[],
  ): ReadonlySet<string> {
    const { source, limits } = this.options;
    const size = source.graph.nodesOfTask(taskId).size;
    const room = size <= SCREEN ? SCREEN : SHARE * size;
    const chosen = new Set<string>();
    // What is in sight whatever is chosen.
    source.folds.keepInSight(taskId, NOTHING);
    const seen = new Set(source.folds.foldOf(taskId).shown);
    for (const node of [...named, ...rest]) {
      const isNamed = named.includes(node);
      if (
        source.graph.node(node.id)?.taskId !== taskId ||
        (!isNamed && (isRoutine(node, limits) || seen.size >= room))
      )
        continue;
      chosen.add(node.id);
      addWayTo(source.graph, node, seen);
    }
    return chosen;
  }
}

interface WatchedTask {
  isStale: boolean;
  /** What is found out of it. */
  work: Promise<void>;
  /** What is kept in sight of it. */
  kept: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Where a task failed that is over. */
function* failureWhenOver(
  graph: GraphReader,
  taskId: string,
  isOver: IsOver,
): Work<ExplanationNode | undefined> {
  const running = yield* nodesOfTask(graph, taskId, ({ state }) => state === 'RUNNING', isOver);
  return running.length > 0 ? undefined : yield* failureOfTask(graph, taskId, isOver);
}

/** All of its task that led to it is seen with it. */
function addWayTo(graph: GraphReader, node: ExplanationNode, seen: Set<string>): void {
  const way = [node.id];
  for (const id of way) {
    if (seen.has(id)) continue;
    seen.add(id);
    for (const { from } of graph.inEdges(id)) if (graph.node(from)?.taskId === node.taskId) way.push(from);
  }
}
