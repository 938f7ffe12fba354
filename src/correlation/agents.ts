import type { SpanFacts } from '../model/facts.ts';
import { orderedEntries, orderedParts, orderedSpans, type NodeEntry } from './node-entry.ts';

/** The founding spec's agent of a chain of thought that names none (4.1.3). */
const DEFAULT_COT_AGENT = 'ModelAdapter';
/** How far up an agent's name is looked for: deeper nesting than agents have, and a bound on the walk. */
const MAX_ANCESTORS = 64;
const UNKNOWN = 'unknown';

/** The agent that a node's own records name; a more specific name goes before `ModelAdapter`. */
export function namedAgentOf(entry: NodeEntry): string | undefined {
  if (entry.event) return entry.event.component ?? 'ReflexionAdapter';
  const parts = orderedParts(entry.request);
  const names = [
    ...orderedSpans(entry).map((span) => span.step.agent),
    ...parts.map((part) => part.agent),
  ].filter((name) => name !== undefined);
  const specific = names.find((name) => name !== DEFAULT_COT_AGENT);
  return specific ?? names[0] ?? (parts.length > 0 ? DEFAULT_COT_AGENT : undefined);
}

/** The agent that the records name, else the one that the nearest ancestor names. */
export function knownAgentOf(
  entry: NodeEntry,
  entryOfSpan: (key: string) => NodeEntry | undefined,
): string | undefined {
  if (entry.namedAgent !== undefined) return entry.namedAgent;
  let [span] = orderedEntries(entry);
  for (let hops = 0; hops < MAX_ANCESTORS && span?.parentKey !== undefined; hops++) {
    const parent = entryOfSpan(span.parentKey);
    if (!parent) break;
    if (parent.namedAgent !== undefined) return parent.namedAgent;
    [span] = orderedEntries(parent);
  }
  return undefined;
}

/** What is shown where no record and no ancestor names an agent. */
export function fallbackAgentOf(spans: readonly SpanFacts[]): string {
  return spans[0]?.step.serviceName ?? UNKNOWN;
}
