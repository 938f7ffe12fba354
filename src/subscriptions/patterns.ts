import { PatternCounts } from '../analysis/pattern-counts.ts';
import type { Clock } from '../base/clock.ts';
import { wholeInTurns } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import { matches, type WantedNodes } from '../model/filters.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';

export interface PatternsOptions {
  readonly clock: Clock;
  readonly pace: Turns;
  readonly tasks: (query: TaskQuery) => TaskPage | Promise<TaskPage>;
  /** The nodes of a task, in memory or archived. */
  readonly nodesOf: (taskId: string) => Promise<readonly ExplanationNode[]>;
}

/** One answer looks at so many tasks, the newest, */
const MAX_TASKS = 1_000;
/** until so many nodes were looked at, */
const MAX_NODES = 200_000;
/** and begins none after so many milliseconds. */
const MAX_MS = 5_000;
const TASKS_A_PAGE = 200;

/** Counts over many tasks, in turns of the event loop, in which steps the failed ones differ from those that passed. */
export async function findPatterns(
  wanted: WantedNodes,
  { clock, pace, tasks, nodesOf }: PatternsOptions,
): Promise<PatternsAnswer> {
  const end = clock.monotonic() + MAX_MS;
  const counts = new PatternCounts((node) => matches(wanted, node));
  const looked = { tasks: 0, nodes: 0 };
  for (let cursor: string | undefined, isMore = true; isMore;) {
    const page: TaskPage = await tasks({ limit: TASKS_A_PAGE, cursor });
    for (const task of page.tasks) {
      const outcome = outcomeOf(task);
      if (outcome === undefined || wanted.taskIds?.has(task.taskId) === false) continue;
      if (looked.tasks >= MAX_TASKS || looked.nodes >= MAX_NODES || clock.monotonic() >= end)
        return counts.answer(true);
      const nodes = await nodesOf(task.taskId);
      looked.tasks++;
      looked.nodes += nodes.length;
      await wholeInTurns(
        counts.addTask(outcome, nodes, () => pace.isOver),
        pace,
      );
    }
    cursor = page.nextCursor;
    isMore = cursor !== undefined;
  }
  return counts.answer(false);
}

/** A task that still runs has none. */
function outcomeOf({ state, status }: TaskOverview): 'failed' | 'passed' | undefined {
  if (state === 'RUNNING') return undefined;
  return status === 'ERROR' ? 'failed' : 'passed';
}
