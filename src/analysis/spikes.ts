import type { IsOver, Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { Spike, SpikesAnswer } from '../model/why.ts';
import { bySize, spikesOfTask } from './outliers.ts';

/** What a person looks through; the largest are kept. */
export const MAX_SPIKES = 100;

/** How to read the answer. */
export const SPIKES_NOTICE =
  'Steps far above the others of their type in their task: above three times the median and six robust ' +
  'standard deviations, among at least five. Unusual does not mean wrong.';

/** "Highlight cost spikes": in one task, or in each of those given. A function of the graph alone. */
export function* findSpikes(
  graph: GraphReader,
  taskIds: Iterable<string>,
  isOver: IsOver,
): Work<SpikesAnswer> {
  const found: Spike[] = [];
  // A copy: tasks may leave between two turns.
  const tasks = [...taskIds];
  for (const taskId of tasks) {
    for (const spike of yield* spikesOfTask(graph, taskId, isOver)) found.push(spike);
    if (isOver()) yield;
  }
  const all = yield* sorted(found, bySize, isOver);
  return {
    spikes: all.slice(0, MAX_SPIKES),
    notice: SPIKES_NOTICE,
    ...(all.length > MAX_SPIKES && { truncated: true }),
  };
}
