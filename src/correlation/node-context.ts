import { fallbackAgentOf, knownAgentOf, namedAgentOf } from './agents.ts';
import { causesOf, type NodeLookup } from './build-edges.ts';
import type { CorrelationState } from './correlation-state.ts';
import { isLaterEvent, orderedSteps, type NodeEntry } from './node-entry.ts';
import { taskOf } from './tasks.ts';

/** Works out anew what a node inherits, its agent and its task. @returns true when that is another now */
export function updateContext(entry: NodeEntry, state: CorrelationState, lookup: NodeLookup): boolean {
  const { traceAgents, traceTasks } = state.indexes;
  const steps = orderedSteps(entry);
  const named = namedAgentOf(entry);
  const namedBefore = entry.namedAgent;
  entry.namedAgent = named;
  entry.isNameStale = false;
  const known = knownAgentOf(
    entry,
    (key) => state.nodes.get(state.spans.get(key)?.nodeId ?? ''),
    (traceId) => traceAgents.onlyAgentOf(traceId),
  );
  const agent = known ?? fallbackAgentOf(entry, steps);
  const taskId = taskOf(entry, steps, traceTasks, () => taskOfCause(entry, state, lookup));
  const isSame =
    agent === entry.agent && taskId === entry.taskId && known === entry.knownAgent && named === namedBefore;
  entry.knownAgent = known;
  entry.agent = agent;
  entry.taskId = taskId;
  return !isSame;
}

/** Of events that name one another the earlier one is the cause, so that no task comes out of a circle. */
function taskOfCause(entry: NodeEntry, state: CorrelationState, lookup: NodeLookup): string | undefined {
  for (const id of causesOf(entry, lookup)) {
    const cause = state.nodes.get(id);
    if (cause?.inGraph && !isLaterEvent(cause, entry)) return cause.taskId;
  }
  return undefined;
}
