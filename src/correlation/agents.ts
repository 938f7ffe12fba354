import { DEFAULT_AGENT } from '../model/agent.ts';
import type { CorrelationState } from './correlation-state.ts';
import { orderedParts, type NodeEntry, type StepEntry } from './node-entry.ts';

/** How far down an agent's name goes: deeper nesting than agents have. */
const MAX_ANCESTORS = 64;
const UNKNOWN = 'unknown';

/** The agent that a node's own records name; a more specific name goes before `ModelAdapter`. */
function namedAgentOf(entry: NodeEntry, steps: readonly StepEntry[]): string | undefined {
  if (entry.event) return entry.event.component ?? 'ReflexionAdapter';
  let named: string | undefined;
  for (const { facts } of steps) {
    const { agent } = facts.step;
    if (agent !== undefined && agent !== DEFAULT_AGENT) return agent;
    named ??= agent;
  }
  if (entry.request) {
    for (const { agent } of orderedParts(entry.request)) {
      if (agent !== undefined && agent !== DEFAULT_AGENT) return agent;
      named ??= agent;
    }
  }
  return named;
}

/**
 * The agent that the records name, else the one that the nearest ancestor names; where the ancestors are not there,
 * the only agent that the trace names. How far up it was found bounds how long a name goes round in a circle of parents.
 */
export function knownAgentOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  state: CorrelationState,
): { readonly agent: string | undefined; readonly hops: number } {
  const named = namedAgentOf(entry, steps);
  if (named !== undefined) return { agent: named, hops: 0 };
  const [first] = steps;
  if (first?.parentKey === undefined) return UNNAMED;
  const parent = state.parentOf(entry);
  if (parent === entry) return UNNAMED;
  if (!parent) {
    const { traceId } = first.facts;
    return traceId === undefined
      ? UNNAMED
      : { agent: state.indexes.traceAgents.onlyAgentOf(traceId), hops: 1 };
  }
  const hops = parent.agentHops + 1;
  return parent.knownAgent === undefined || hops > MAX_ANCESTORS
    ? UNNAMED
    : { agent: parent.knownAgent, hops };
}

const UNNAMED = { agent: undefined, hops: 0 };

/** What is shown where no record and no ancestor names an agent. */
export function fallbackAgentOf(entry: NodeEntry, steps: readonly StepEntry[]): string {
  if (entry.request && entry.request.parts.size > 0) return DEFAULT_AGENT;
  return steps[0]?.facts.step.serviceName ?? UNKNOWN;
}
