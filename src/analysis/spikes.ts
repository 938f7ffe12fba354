import type { GraphReader } from '../graph/graph-reader.ts';
import type { SpikesAnswer } from '../model/why.ts';
import { bySize, spikesOfTask } from './outliers.ts';

/** What a person looks through; the largest are kept. */
export const MAX_SPIKES = 100;

/** How to read the answer. */
export const SPIKES_NOTICE =
  'Steps far above the others of their type in their task: above three times the median and six robust ' +
  'standard deviations, among at least five. Unusual does not mean wrong.';

/** "Highlight cost spikes": in one task, or in each of those given. A function of the graph alone. */
export function findSpikes(graph: GraphReader, taskIds: Iterable<string>): SpikesAnswer {
  const all = [...taskIds].flatMap((taskId) => spikesOfTask(graph, taskId)).sort(bySize);
  return {
    spikes: all.slice(0, MAX_SPIKES),
    notice: SPIKES_NOTICE,
    ...(all.length > MAX_SPIKES && { truncated: true }),
  };
}
