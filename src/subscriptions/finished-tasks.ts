import type { Clock } from '../base/clock.ts';
import { wholeInTurns, type Work } from '../base/in-turns.ts';
import type { Turns } from '../base/pace.ts';
import type { ExplanationNode } from '../model/node.ts';
import { isReplay } from '../model/replay.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';

export interface FinishedTasksOptions {
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

/**
 * Looks at many tasks that are over, in turns of the event loop; replays are none of them.
 * @param isWanted which of them
 * @param look at one, with all its nodes
 * @returns whether it looked at all of them: there is a bound
 */
export async function lookAtFinishedTasks(
  { clock, pace, tasks, nodesOf }: FinishedTasksOptions,
  isWanted: (task: TaskOverview) => boolean,
  look: (task: TaskOverview, nodes: readonly ExplanationNode[]) => Work<void>,
): Promise<boolean> {
  const end = clock.monotonic() + MAX_MS;
  const looked = { tasks: 0, nodes: 0 };
  for (let cursor: string | undefined, isMore = true; isMore;) {
    const page: TaskPage = await tasks({ limit: TASKS_A_PAGE, cursor });
    for (const task of page.tasks) {
      if (task.state === 'RUNNING' || !isWanted(task)) continue;
      if (looked.tasks >= MAX_TASKS || looked.nodes >= MAX_NODES || clock.monotonic() >= end) return false;
      const nodes = await nodesOf(task.taskId);
      looked.tasks++;
      looked.nodes += nodes.length;
      if (isReplay(nodes)) continue;
      await wholeInTurns(look(task, nodes), pace);
    }
    cursor = page.nextCursor;
    isMore = cursor !== undefined;
  }
  return true;
}
