import type { GraphReader } from './graph-reader.ts';

/**
 * The tasks whose views may have changed: the changed ones, and all that edges lead into from them, since a
 * bridged edge into a task depends on what is hidden before it.
 */
export function withFollowers(
  changed: Iterable<string>,
  graph: Pick<GraphReader, 'tasksAfter'>,
): ReadonlySet<string> {
  const tasks = new Set(changed);
  for (const taskId of tasks) for (const after of graph.tasksAfter(taskId)) tasks.add(after);
  return tasks;
}
