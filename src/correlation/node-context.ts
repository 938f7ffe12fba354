import { fallbackAgentOf, knownAgentOf } from './agents.ts';
import { causesOf } from './build-edges.ts';
import type { CorrelationState } from './correlation-state.ts';
import { isRoot } from './is-root.ts';
import { countingSteps, isLaterEvent, type NodeEntry } from './node-entry.ts';

import { taskOf } from './tasks.ts';

/**
 * Works out anew what a node inherits, its agent and its task; if what it passes on is another now, its dependents are told.
 * @returns true when it shows something else
 */
export function updateContext(entry: NodeEntry, state: CorrelationState): boolean {
  const steps = countingSteps(entry);
  const { agent: known, hops } = knownAgentOf(entry, steps, state);
  const agent = known ?? fallbackAgentOf(entry, steps);
  const taskId = taskOf(entry, steps, state.indexes.traceTasks, () => taskOfCause(entry, state));
  const isSame = agent === entry.agent && taskId === entry.taskId;
  const passesOnSame = isSame && known === entry.knownAgent && hops === entry.agentHops;
  entry.knownAgent = known;
  entry.agentHops = hops;
  entry.agent = agent;
  entry.taskId = taskId;
  state.roots.place(entry, isRoot(entry, state));
  if (!passesOnSame) state.tellDependents(entry);
  return !isSame;
}

/** Of events that name one another the earlier one is the cause, so that no task comes out of a circle. */
function taskOfCause(entry: NodeEntry, state: CorrelationState): string | undefined {
  return causesOf(entry, state).find((cause) => cause.inGraph && !isLaterEvent(cause, entry))?.taskId;
}
