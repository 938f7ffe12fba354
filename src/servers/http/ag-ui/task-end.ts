import { endOf } from '../../../model/failure.ts';
import type { TaskGraph } from '../../../exporters/ag-ui/task-graph.ts';

/** A task that was under way is over when nothing more came for so long: what belongs together comes in several pieces. */
const QUIET_MS = 1_000;
/**
 * Steps are often sent when they end, hence before those around them. For one that was named and has not come, so long is
 * waited after the last news: exporters send every few seconds, and a call of a model seldom takes a minute.
 */
const PARENT_WAIT_MS = 60_000;

/** Since when the task counts as over if nothing more comes, in milliseconds; undefined while something is under way. */
export function patienceWith(graph: TaskGraph): number | undefined {
  if (graph.isRunning) return undefined;
  return graph.isAwaited ? PARENT_WAIT_MS : QUIET_MS;
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
  return now - last > PARENT_WAIT_MS;
}
