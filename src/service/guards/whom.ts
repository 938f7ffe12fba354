import type { Firing } from '../../guards/guards.ts';
import type { Interrupted } from '../../model/interrupt.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { aboutStep, tracesOf } from '../interrupts/interrupt-requests.ts';

export interface WhomOptions {
  /** What is in memory of a task. */
  readonly nodesOf: (taskId: string) => Iterable<ExplanationNode>;
  /** Would somebody be told of that at once? */
  readonly isHeard: (about: Interrupted) => boolean;
}

/**
 * Whom to ask to stop so that a firing ends: who is told of the step that went over, or of another that runs; else who
 * waits for the task, or the agent in it; else whoever comes for the first of the steps.
 */
export function whomToAsk(
  { running, taskId, agent, step }: Firing,
  options: WhomOptions,
): Interrupted | undefined {
  const { nodesOf, isHeard } = options;
  const steps = running.map((node) => aboutStep(node, nodesOf));
  const heard = steps.find(isHeard);
  if (heard) return heard;
  const traceIds = new Set<string>();
  for (const node of nodesOf(taskId))
    if (agent === undefined || node.agent === agent)
      for (const traceId of tracesOf(node)) traceIds.add(traceId);
  const whole = { taskId, agent, nodeId: step?.id, traceIds: [...traceIds] };
  return isHeard(whole) ? whole : steps[0];
}
