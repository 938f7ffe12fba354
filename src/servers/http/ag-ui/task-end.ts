import { endOf } from '../../../model/failure.ts';
import { TASK_PARENT_WAIT_MS, TASK_QUIET_MS } from '../../../model/task-over.ts';
import type { TaskGraph } from '../../../exporters/ag-ui/task-graph.ts';

/** Since when the task counts as over if nothing more comes, in milliseconds; undefined while something is under way. */
export function patienceWith(graph: TaskGraph): number | undefined {
  if (graph.isRunning) return undefined;
  return graph.isAwaited ? TASK_PARENT_WAIT_MS : TASK_QUIET_MS;
}

/**
 * Was it over before anybody asked? What ended long ago by the clocks of its senders is not waited for.
 * @param now epoch ms
 */
export function isPast(graph: TaskGraph, now: number): boolean {
  if (graph.isRunning) return false;
  if (!graph.isAwaited) return true;
  let last = -Infinity;
  for (const node of graph.nodes()) last = Math.max(last, endOf(node));
  return now - last > TASK_PARENT_WAIT_MS;
}
