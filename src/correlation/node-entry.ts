import type { CotText, EventFacts, SpanFacts } from '../model/facts.ts';

/** A span as correlation holds it. */
export interface SpanEntry {
  readonly key: string;
  facts: SpanFacts;
  /** Key of its parent, made once: joining and hashing ids is what correlation spends most of its time on. */
  parentKey: string | undefined;
  /** The node that stands for it now. */
  nodeId: string;
}

/** One requestId: who names it, and what was thought. */
export interface RequestEntry {
  readonly requestId: string;
  /** Keys of the spans that name it. */
  readonly namedBy: Set<string>;
  /** Those of them (or of the spans that its chain of thought points at) that are folded into its node. */
  members: ReadonlySet<string>;
  /** Were they found by agent and time alone? */
  byTime: boolean;
  /** Chain-of-thought parts by number. */
  readonly parts: Map<number, CotText>;
}

/** What stands behind one node. A node without sources goes. */
export interface NodeEntry {
  readonly id: string;
  /** In no particular order; nearly always one, hence no Set. */
  spans: readonly SpanEntry[];
  request: RequestEntry | undefined;
  event: EventFacts | undefined;
  /** Keys whose change means a new look at this node: its parents, links, trace, causes. */
  refs: readonly string[];
  /** Agent that the sources name themselves. */
  namedAgent: string | undefined;
  /** `namedAgent`, else what the nearest ancestor names: what descendants inherit. */
  knownAgent: string | undefined;
  agent: string;
  taskId: string;
  /** Clock.now() of the last change of its sources. */
  changedAt: number;
  abandoned: boolean;
  /** Estimated bytes in memory. */
  bytes: number;
  inGraph: boolean;
}

/** The spans behind a node, outermost first: by start, then by key. */
export function orderedSpans(entry: NodeEntry): SpanFacts[] {
  return orderedEntries(entry).map((span) => span.facts);
}

export function orderedEntries(entry: NodeEntry): readonly SpanEntry[] {
  const [only, second] = entry.spans;
  if (!only || !second) return entry.spans;
  return [...entry.spans].sort((a, b) => a.facts.start - b.facts.start || (a.key < b.key ? -1 : 1));
}

/** Chain-of-thought parts in the order in which they were opened, without repetitions of one another. */
export function orderedParts(request: RequestEntry | undefined): CotText[] {
  if (!request || request.parts.size === 0) return [];
  const parts = [...request.parts.values()].sort((a, b) => a.part - b.part);
  return parts.filter(
    (part, i) => part.text === '' || !parts.slice(0, i).some((earlier) => earlier.text === part.text),
  );
}

/** Is it an event, and not from before the other? An event that names itself is no cause of itself. */
export function isLaterEvent({ event }: NodeEntry, other: NodeEntry): boolean {
  if (!event || !other.event) return false;
  if (event.time !== other.event.time) return event.time > other.event.time;
  return event.eventId >= other.event.eventId;
}
