import type { CotText, EventFacts, SpanFacts, StepLogFacts } from '../model/facts.ts';

import type { Few } from '../base/multimap.ts';

/** Something that is read while nodes are made (`tracker.ts`). */
export interface Cell {
  /** The nodes that are made anew when it changes. */
  dependents: Few<NodeEntry>;
}

/** The roots of one task; who leads to whom is read from it (`task-roots.ts`). */
export interface RootsOfTask extends Cell {
  readonly taskId: string;
  roots: Few<NodeEntry>;
  /** Those of them whose protocol is one that tells a task beside others. */
  joining: Few<NodeEntry>;
  /** The one that leads to the others: that began first, of equal ones that of the least id. */
  first: NodeEntry | undefined;
  firstStart: number;
}

/** What tells of a step. */
export type StepRecord = SpanFacts | StepLogFacts;

/** A record of a step as correlation holds it. As a cell: which node stands for it, and what that passes on. */
export interface StepEntry extends Cell {
  /** `spanKey(...)`, or `log:<logId>`. */
  readonly key: string;
  facts: StepRecord;
  /**
   * Key of its parent, made once: joining and hashing ids is what correlation spends most of its time on. Of a log
   * record: of the span in whose context it was written.
   */
  parentKey: string | undefined;
  /** The node that stands for it now. */
  nodeId: string;
  /** The request into whose node it is folded. */
  memberOf: string | undefined;
  /** The records of the same call, itself among them; undefined when it is alone. */
  group: StepGroup | undefined;
}

/** Records that tell of one and the same call. */
export interface StepGroup {
  readonly members: readonly StepEntry[];
  /** The outermost of them, which gives the node its id. */
  readonly leader: StepEntry;
}

/** A span, as correlation holds it. */
export interface SpanEntry extends StepEntry {
  facts: SpanFacts;
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

/** What stands behind one node. A node without sources goes. As a cell: whether it is shown, and what it passes on. */
export interface NodeEntry extends Cell {
  readonly id: string;
  /** In no particular order; nearly always one, hence no Set. */
  steps: StepEntry[];
  /** `steps` as `orderedSteps` gives them: of one node with very many each below it would sort them again. */
  ordered: readonly StepEntry[] | undefined;
  request: RequestEntry | undefined;
  event: EventFacts | undefined;
  /** The task of which it is a root. */
  rootOf: RootsOfTask | undefined;
  /** What was read to make it. */
  reads: Cell[];
  /** Nodes that were made from this one's records besides it: thoughts, a switch of model, a user's query. */
  derived: readonly string[];
  /** The agent that the records name, else what the nearest ancestor names: what descendants inherit. */
  knownAgent: string | undefined;
  /** How far up that name was found. */
  agentHops: number;
  agent: string;
  taskId: string;
  /** Clock.monotonic() of the last change of its sources: a clock that is set makes nothing old or young. */
  changedAt: number;
  abandoned: boolean;
  /** Estimated bytes in memory. */
  bytes: number;
  inGraph: boolean;
}

/**
 * The records behind a node: spans first, outermost first (by start, then by key), then log records, and last the
 * plumbing that is folded into it.
 */
export function orderedSteps(entry: NodeEntry): readonly StepEntry[] {
  const [only, second] = entry.steps;
  if (!only || !second) return entry.steps;
  return (entry.ordered ??= [...entry.steps].sort(compareSteps));
}

/**
 * The records that say what a node is. What another service tells of it counts where nobody else does: then the node is
 * what one record says.
 */
export function countingSteps(entry: NodeEntry): readonly StepEntry[] {
  const steps = orderedSteps(entry);
  const told = steps.find(isRetold);
  if (told === undefined) return steps;
  const own = steps.filter((step) => !isRetold(step));
  return entry.event || own.some((step) => !isWrapper(step)) ? own : [told];
}

export function isRetold({ facts }: StepEntry): boolean {
  return facts.step.retold !== undefined;
}

/** The record of a node that is shown as another service tells of it. */
export function toldBy(entry: NodeEntry): StepEntry | undefined {
  const [only] = countingSteps(entry);
  return only && isRetold(only) ? only : undefined;
}

export function compareSteps(a: StepEntry, b: StepEntry): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) return byRank;
  const byStart = a.facts.start - b.facts.start;
  if (byStart !== 0) return byStart;
  // Of two that began together the one that lasted longer is around the other.
  const byEnd = (b.facts.end ?? Infinity) - (a.facts.end ?? Infinity);
  if (byEnd !== 0 && !Number.isNaN(byEnd)) return byEnd;
  return a.key < b.key ? -1 : 1;
}

function rankOf({ facts }: StepEntry): number {
  if (facts.step.wrapper === true) return 2;
  return facts.kind === 'span' ? 0 : 1;
}

export function isWrapper(step: StepEntry): boolean {
  return step.facts.step.wrapper === true;
}

/** A record of a single message: one of those that a call read, be they new to it or not. */
export function isMessage({ kind, step }: StepRecord): boolean {
  return kind === 'log' && step.type === undefined;
}

/** Did one of these begin before the step, in another node? */
export function isAnyBefore(others: readonly StepEntry[], step: StepEntry): boolean {
  return others.some((other) => other.nodeId !== step.nodeId && other.facts.start < step.facts.start);
}

export function isSpan(step: StepEntry): step is SpanEntry {
  return step.facts.kind === 'span';
}

/** Chain-of-thought parts in the order in which they were opened. */
export function orderedParts(request: RequestEntry | undefined): CotText[] {
  if (!request || request.parts.size === 0) return [];
  return [...request.parts.values()].sort((a, b) => a.part - b.part);
}

/** When the first part of a thought was begun: a loop, since there may be more of them than a call takes arguments. */
export function firstOf(parts: Iterable<CotText>): number {
  let first = Infinity;
  for (const part of parts) first = Math.min(first, part.first);
  return first;
}

/** Is it an event, and not from before the other? An event that names itself is no cause of itself. */
export function isLaterEvent({ event }: NodeEntry, other: NodeEntry): boolean {
  if (!event || !other.event) return false;
  if (event.time !== other.event.time) return event.time > other.event.time;
  return event.eventId >= other.event.eventId;
}
