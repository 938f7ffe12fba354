import { DEFAULT_AGENT } from '../model/agent.ts';
import { orderedParts, orderedSteps, type NodeEntry, type StepEntry } from './node-entry.ts';

/** How far up an agent's name is looked for: deeper nesting than agents have, and a bound on the walk. */
const MAX_ANCESTORS = 64;
const UNKNOWN = 'unknown';

/** The agent that a node's own records name; a more specific name goes before `ModelAdapter`. */
export function namedAgentOf(entry: NodeEntry): string | undefined {
  if (entry.event) return entry.event.component ?? 'ReflexionAdapter';
  let named: string | undefined;
  for (const { facts } of orderedSteps(entry)) {
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
 * the only agent that the trace names.
 */
export function knownAgentOf(
  entry: NodeEntry,
  entryOfSpan: (key: string) => NodeEntry | undefined,
  onlyAgentOf: (traceId: string) => string | undefined,
): string | undefined {
  if (entry.namedAgent !== undefined) return entry.namedAgent;
  let [step] = orderedSteps(entry);
  for (let hops = 0; hops < MAX_ANCESTORS && step?.parentKey !== undefined; hops++) {
    const parent = entryOfSpan(step.parentKey);
    if (!parent) return step.facts.traceId === undefined ? undefined : onlyAgentOf(step.facts.traceId);
    // Who looks up in the midst of a batch must not see what was before it: nobody would look again.
    const named = parent.isNameStale ? namedAgentOf(parent) : parent.namedAgent;
    if (named !== undefined) return named;
    [step] = orderedSteps(parent);
  }
  return undefined;
}

/** What is shown where no record and no ancestor names an agent. */
export function fallbackAgentOf(entry: NodeEntry, steps: readonly StepEntry[]): string {
  if (entry.request && entry.request.parts.size > 0) return DEFAULT_AGENT;
  return steps[0]?.facts.step.serviceName ?? UNKNOWN;
}
