import { PatternCounts } from '../analysis/pattern-counts.ts';
import { matches, type WantedNodes } from '../model/filters.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import { lookAtFinishedTasks, type FinishedTasksOptions } from './finished-tasks.ts';

/** Counts over many tasks, in turns of the event loop, in which steps the failed ones differ from those that passed. */
export async function findPatterns(
  wanted: WantedNodes,
  options: FinishedTasksOptions,
): Promise<PatternsAnswer> {
  const { pace } = options;
  const counts = new PatternCounts((node) => matches(wanted, node));
  const isWhole = await lookAtFinishedTasks(
    options,
    ({ taskId }) => wanted.taskIds?.has(taskId) !== false,
    ({ status }, nodes) => counts.addTask(status === 'ERROR' ? 'failed' : 'passed', nodes, () => pace.isOver),
  );
  return counts.answer(!isWhole);
}
