import { EffectCounts } from '../analysis/adaptation-effect.ts';
import { wholeInTurns } from '../base/in-turns.ts';
import type { AdaptationEffect, AdaptationTimeline } from '../model/adaptation-effect.ts';
import { lookAtFinishedTasks, type FinishedTasksOptions } from './finished-tasks.ts';

/** Compares tasks with and without each version of an adaptation, in turns of the event loop. */
export async function findEffect(
  timeline: AdaptationTimeline,
  options: FinishedTasksOptions,
): Promise<AdaptationEffect> {
  const { pace } = options;
  const isOver = (): boolean => pace.isOver;
  const counts = new EffectCounts(timeline);
  const isWhole = await lookAtFinishedTasks(
    options,
    () => true,
    (task, nodes) => counts.addTask(task, nodes, isOver),
  );
  return wholeInTurns(counts.answer(!isWhole, isOver), pace);
}
