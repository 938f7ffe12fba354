import type { TaskOverview } from '../../model/task-overview.ts';
import type { ViewRequest } from '../../model/subscription-request.ts';

/** Of so many nodes the answer of a cell is read within some ten milliseconds, in which others wait. */
const NODES_AT_ONCE = 500;
/** As many as a filter takes well. */
const TASKS_AT_ONCE = 100;

/** The first of the tasks, as many as a cell is asked for at once: some small ones, or one of any size. */
export function tasksAtOnce(tasks: readonly TaskOverview[]): readonly TaskOverview[] {
  let nodes = 0;
  const end = tasks.findIndex((task, i) => (nodes += task.nodes) > NODES_AT_ONCE && i > 0);
  return tasks.slice(0, Math.min(end < 0 ? Infinity : end, TASKS_AT_ONCE));
}

/** All nodes of these tasks, nothing folded. */
export function nodesOf(taskIds: readonly string[]): ViewRequest {
  return { filters: { taskIds }, collapse: 'none' };
}
