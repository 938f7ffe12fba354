import type { CotText, EventFacts } from '../model/facts.ts';
import { requestNodeId } from '../model/ids.ts';
import { isSameModel } from '../model/model-name.ts';
import { firstLine } from '../model/one-line.ts';
import type { NodeMetric } from '../model/metric-facts.ts';
import type { ExplanationNode, NodeState, NodeStatus, NodeType } from '../model/node.ts';
import { MAX_SEARCHED_CHARS, thoughtTags } from '../model/thought-tags.ts';
import { textFieldOf, thoughtLength, thoughtsOf } from '../model/thought-text.ts';
import { epochMs, toFineIso } from '../model/time.ts';
import type { Below } from './below.ts';
import { approvalOf } from './approvals.ts';
import { classifyEvent } from './event-types.ts';
import {
  isSpan,
  isWrapper,
  countingSteps,
  orderedParts,
  toldBy,
  type NodeEntry,
  type SpanEntry,
  type StepEntry,
} from './node-entry.ts';
import { eventTitle, titleOf } from './title-of.ts';
import { FIGURES, usageOf } from './usage.ts';

/** Longest summary of a prompt or thought (founding spec 4.1.3). */
const SUMMARY_CHARS = 200;

const MISSING_LOG = 'no chain-of-thought log with this requestId has come yet';
const WORST_FIRST: readonly NodeStatus[] = ['ERROR', 'WARNING', 'OK', 'SKIPPED'];

const MORE_EXACT: ReadonlySet<NodeType | undefined> = new Set<NodeType>([
  'TEST_RUN',
  'STATIC_ANALYSIS',
  'REFLEXION_ACTION',
]);

type Draft = { -readonly [K in keyof ExplanationNode]: ExplanationNode[K] };
type Details = { [key: string]: unknown };

/** What a node goes by beside its own records. */
export interface BesidesSources {
  readonly below: Below;
  readonly metrics?: { readonly [label: string]: NodeMetric } | undefined;
  /** What people said of it, in order. */
  readonly said: readonly EventFacts[];
}

/**
 * Makes the node of an entry: a function of its sources, agent, task, age, metrics, what is below it and what was said
 * of it alone.
 */
export function buildNode(entry: NodeEntry, { below, metrics, said }: BesidesSources): ExplanationNode {
  if (entry.event) return eventNode(entry, entry.event, said);
  const told = toldBy(entry);
  if (told) return toldNode(entry, told);
  const node = stepNode(entry, below);
  return metrics === undefined ? node : { ...node, details: { ...node.details, metrics } };
}

function eventNode(entry: NodeEntry, event: EventFacts, said: readonly EventFacts[]): ExplanationNode {
  const { type, status } = classifyEvent(event);
  const approval = approvalOf(event, said);
  // What it names, and what it was logged in, is its cause, not itself; who annotated it is not its sender's to say.
  const { spanId = event.spanId, parentSpanId: _, annotations: __, ...payload } = event.payload;
  const node: Draft = {
    id: entry.id,
    timestamp: toFineIso(event.time),
    agent: entry.agent,
    type,
    name: event.eventType,
    title: '',
    taskId: entry.taskId,
    state: approval?.isPending === true ? 'RUNNING' : 'ENDED',
    status: approval?.isExpired === true ? 'WARNING' : status,
    details: {
      ...payload,
      ...approval?.details,
      eventId: event.eventId,
      eventType: event.eventType,
      ...(event.traceId !== undefined && { traceId: event.traceId }),
      ...(spanId !== undefined && { causeSpanId: spanId }),
    },
  };
  node.title = eventTitle(node, event);
  return node;
}

/** As the service from which it comes showed it. */
function toldNode(entry: NodeEntry, { facts }: StepEntry): ExplanationNode {
  const { step } = facts;
  const node: Draft = {
    id: entry.id,
    timestamp: toFineIso(facts.start),
    agent: entry.agent,
    type: step.type ?? 'OTHER',
    name: facts.name,
    title: step.title ?? facts.name,
    taskId: entry.taskId,
    state:
      entry.abandoned && step.retold?.state === 'RUNNING' ? 'ABANDONED' : (step.retold?.state ?? 'ENDED'),
    status: step.status,
    details: step.details,
  };
  if (step.model !== undefined) node.model = step.model;
  if (step.promptSummary !== undefined) node.promptSummary = step.promptSummary;
  if (step.tokensIn !== undefined) node.tokensIn = step.tokensIn;
  if (step.tokensOut !== undefined) node.tokensOut = step.tokensOut;
  if (step.latencyMs !== undefined) node.latencyMs = step.latencyMs;
  if (step.costUsd !== undefined) node.costUsd = step.costUsd;
  return node;
}

function stepNode(entry: NodeEntry, below: Below): ExplanationNode {
  const steps = countingSteps(entry);
  const parts = orderedParts(entry.request);
  const first = steps[0];
  // The innermost span knows the figures of the call itself best; enclosing ones fill the gaps.
  const innermostFirst = steps.length > 1 ? innermost(steps) : steps;
  const usage = usageOf(steps, below);
  const details = detailsOf(entry, steps, parts, usage.details);
  const node: Draft = {
    id: entry.id,
    timestamp: toFineIso(first ? first.facts.start : startOf(parts)),
    agent: entry.agent,
    type: typeOf(entry, steps, parts, below),
    name: first?.facts.name ?? 'chain of thought',
    title: '',
    taskId: entry.taskId,
    state: stateOf(entry, steps, parts),
    status: WORST_FIRST.find((status) => steps.some(({ facts }) => facts.step.status === status)) ?? 'OK',
    details,
  };
  const model = exactModel(innermostFirst) ?? firstOf(parts, (part) => part.model);
  if (model !== undefined) node.model = model;
  const summary = summaryOf(innermostFirst, parts);
  if (summary !== undefined) node.promptSummary = summary.text;
  if (summary?.isThought === true) details['promptSummaryOf'] = 'thought';
  if (usage.tokensIn !== undefined) node.tokensIn = usage.tokensIn;
  if (usage.tokensOut !== undefined) node.tokensOut = usage.tokensOut;
  if (usage.costUsd !== undefined) node.costUsd = usage.costUsd;
  const latency = firstOf(steps, ({ facts }) => facts.step.latencyMs) ?? spanned(steps);
  if (latency !== undefined) node.latencyMs = latency;
  const said = firstOf(innermostFirst, ({ facts }) => facts.step.title);
  node.title = titleOf(node, said, said === undefined ? beginningOf(parts) : undefined);
  return node;
}

/** Where one record tells of the beginning and another of the end, and none of how long it took. */
function spanned(steps: readonly StepEntry[]): number | undefined {
  const [first] = steps;
  if (first === undefined || steps.length < 2 || !isSpan(first) || first.facts.end !== undefined)
    return undefined;
  const end = steps.reduce(
    (last, step) => Math.max(last, (isEnding(step) && step.facts.end) || last),
    -Infinity,
  );
  return end === -Infinity ? undefined : Math.max(0, end - first.facts.start);
}

/** Does a record's end mean that its node has ended? */
function isEnding(step: StepEntry): boolean {
  return !isWrapper(step) || step.facts.step.endsStep === true;
}

/** Spans innermost first, then log records, then plumbing. */
function innermost(steps: readonly StepEntry[]): readonly StepEntry[] {
  const spans = steps.filter((step) => step.facts.kind === 'span' && !isWrapper(step));
  return [...spans.reverse(), ...steps.slice(spans.length)];
}

function startOf(parts: readonly CotText[]) {
  return epochMs(parts.reduce((least, part) => Math.min(least, part.first), Infinity));
}

/** A thought makes a call of a span that does not say what it is, unless other calls lie within it. */
function typeOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  parts: readonly CotText[],
  below: Below,
): NodeType {
  const said = firstOf(steps, ({ facts }) => facts.step.type);
  // Whoever saw a tool's arguments knows more exactly what it did.
  if (said === 'TOOL_CALL') {
    const exact = firstOf(steps, ({ facts: { step } }) =>
      MORE_EXACT.has(step.type) ? step.type : undefined,
    );
    return exact ?? said;
  }
  if (said !== undefined) return said;
  if (parts.length === 0) return 'OTHER';
  const isAroundCalls = steps.some(
    (step) => step.key === entry.request?.requestId && below.hasCalls(step.key),
  );
  return isAroundCalls ? 'OTHER' : 'LLM_CALL';
}

function stateOf(entry: NodeEntry, steps: readonly StepEntry[], parts: readonly CotText[]): NodeState {
  const isAlone = steps[0] !== undefined && isWrapper(steps[0]);
  const ended =
    steps.some((step) => step.facts.end !== undefined && (isAlone || isEnding(step))) ||
    parts.some((part) => part.final);
  if (ended) return 'ENDED';
  return entry.abandoned ? 'ABANDONED' : 'RUNNING';
}

/** What the sender wrote as a summary of the thought, else what the call was asked, else how the thought begins. */
function summaryOf(
  innermostFirst: readonly StepEntry[],
  parts: readonly CotText[],
): { readonly text: string; readonly isThought: boolean } | undefined {
  const own = firstOf(parts, (part) => part.summary);
  if (own !== undefined) return { text: firstLine(own, SUMMARY_CHARS), isThought: true };
  const asked = firstOf(innermostFirst, ({ facts }) => facts.step.promptSummary);
  if (asked !== undefined) return { text: asked, isThought: false };
  const text = beginningOf(parts);
  if (text === undefined) return undefined;
  return { text: firstLine(text, SUMMARY_CHARS), isThought: textFieldOf(parts) === 'reasoning' };
}

function beginningOf(parts: readonly CotText[]): string | undefined {
  if (parts.length === 0) return undefined;
  return thoughtsOf(parts, MAX_SEARCHED_CHARS).find((thought) => thought.trim() !== '');
}

/** The innermost record's; of several names of one model the longest, which pins its snapshot. */
function exactModel(innermostFirst: readonly StepEntry[]): string | undefined {
  let model: string | undefined;
  for (const { facts } of innermostFirst) {
    const { model: named } = facts.step;
    if (named === undefined) continue;
    if (
      model === undefined ||
      (named.length > model.length && named.startsWith(model) && isSameModel(named, model))
    )
      model = named;
  }
  return model;
}

function detailsOf(
  entry: NodeEntry,
  steps: readonly StepEntry[],
  parts: readonly CotText[],
  ofUsage: Details,
): Details {
  const details: Details = {};
  const [only] = steps;
  if (steps.length === 1 && only) addDetails(details, only);
  else for (const step of weakestFirst(steps)) addDetails(details, step);
  addIds(details, steps, parts);
  const convention = firstOf(steps, ({ facts }) => facts.step.convention);
  if (convention !== undefined) details['convention'] = convention;
  const requestId = entry.request?.requestId ?? firstOf(steps, ({ facts }) => facts.step.requestId);
  if (requestId !== undefined) {
    details['requestId'] = requestId;
    if (entry.id === requestNodeId(requestId)) {
      if (entry.request?.byTime === true) details['correlatedBy'] = 'agent and time';
      details['correlation'] = parts.length > 0 && steps.length > 0 ? 'matched' : 'pending';
      if (parts.length === 0 && !steps.some(({ facts }) => facts.step.type !== undefined))
        details['notice'] = MISSING_LOG;
    }
  }
  addThought(details, parts);
  for (const key in ofUsage) details[key] = ofUsage[key];
  return details;
}

/** Plumbing and log records first: what spans say, the innermost last, goes before it. */
function weakestFirst(steps: readonly StepEntry[]): readonly StepEntry[] {
  const spans = steps.filter((step) => step.facts.kind === 'span' && !isWrapper(step));
  return [...steps.slice(spans.length).reverse(), ...spans];
}

/** Figures are added where it is known whether they count. */
function addDetails(details: Details, { facts }: StepEntry): void {
  const said = facts.step.details;
  for (const key in said) if (!FIGURES.has(key)) details[key] = said[key];
}

function addIds(details: Details, steps: readonly StepEntry[], parts: readonly CotText[]): void {
  const first = firstOf(steps, ({ facts }) => (facts.kind === 'span' ? facts : undefined));
  if (first) {
    details['traceId'] = first.traceId;
    details['spanId'] = first.spanId;
    if (first.parentSpanId !== undefined) details['parentSpanId'] = first.parentSpanId;
    const spans = steps.length > 1 ? steps.filter(isSpan) : NO_SPANS;
    if (spans.length > 1) details['spanIds'] = spans.map(({ facts }) => facts.spanId);
    if (spans.some(({ facts }) => facts.traceId !== spans[0]?.facts.traceId))
      details['traceIds'] = spans.map(({ facts }) => facts.traceId);
    return;
  }
  const traceId = firstOf(steps, ({ facts }) => facts.traceId) ?? firstOf(parts, (part) => part.traceId);
  if (traceId !== undefined) details['traceId'] = traceId;
  const spanId = firstOf(steps, ({ facts }) => facts.spanId);
  const namedSpanId = spanId === undefined ? firstOf(parts, (part) => part.spanId) : undefined;
  if ((spanId ?? namedSpanId) !== undefined) details['spanId'] = spanId ?? namedSpanId;
  // A gateway tells by it which cell has the span: a thought that waits for its span does not.
  if (namedSpanId !== undefined) details['namedSpanId'] = namedSpanId;
}

const NO_SPANS: readonly SpanEntry[] = [];

function addThought(details: Details, parts: readonly CotText[]): void {
  const thoughtChars = thoughtLength(parts);
  if (thoughtChars === 0) return;
  if (textFieldOf(parts) !== 'reasoning') {
    details['textChars'] = thoughtChars;
    return;
  }
  details['thoughtChars'] = thoughtChars;
  for (const text of thoughtsOf(parts, MAX_SEARCHED_CHARS)) Object.assign(details, thoughtTags(text));
}

function firstOf<T, V>(items: readonly T[], pick: (item: T) => V | undefined): V | undefined {
  for (const item of items) {
    const value = pick(item);
    if (value !== undefined) return value;
  }
  return undefined;
}
