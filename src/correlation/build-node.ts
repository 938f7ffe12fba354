import type { CotText, EventFacts, SpanFacts } from '../model/facts.ts';
import { requestNodeId } from '../model/ids.ts';
import type { ExplanationNode, NodeState, NodeStatus, NodeType } from '../model/node.ts';
import { epochMs, toIso } from '../model/time.ts';
import { classifyEvent } from './event-types.ts';
import { orderedParts, orderedSpans, type NodeEntry } from './node-entry.ts';

/** Longest summary of a prompt or thought (founding spec 4.1.3). */
const SUMMARY_CHARS = 200;

const MISSING_LOG = 'no chain-of-thought log with this requestId has come yet';
const WORST_FIRST: readonly NodeStatus[] = ['ERROR', 'WARNING', 'OK', 'SKIPPED'];

type Draft = { -readonly [K in keyof ExplanationNode]: ExplanationNode[K] };

/** Makes the node of an entry: a function of its sources, agent, task and age alone. */
export function buildNode(entry: NodeEntry): ExplanationNode {
  return entry.event ? eventNode(entry, entry.event) : stepNode(entry);
}

function eventNode(entry: NodeEntry, event: EventFacts): ExplanationNode {
  const { type, status } = classifyEvent(event);
  return {
    id: entry.id,
    timestamp: toIso(event.time),
    agent: entry.agent,
    type,
    name: event.eventType,
    taskId: entry.taskId,
    state: 'ENDED',
    status,
    details: {
      ...event.payload,
      eventId: event.eventId,
      eventType: event.eventType,
      ...(event.traceId !== undefined && { traceId: event.traceId }),
      ...(event.spanId !== undefined && { spanId: event.spanId }),
    },
  };
}

function stepNode(entry: NodeEntry): ExplanationNode {
  const spans = orderedSpans(entry);
  const parts = orderedParts(entry.request);
  const first = spans[0];
  // The innermost span knows the figures of the call itself best; enclosing ones fill the gaps.
  const innermostFirst = spans.length > 1 ? spans.toReversed() : spans;
  const node: Draft = {
    id: entry.id,
    timestamp: toIso(startOf(first, parts)),
    agent: entry.agent,
    type: typeOf(spans, parts),
    name: first?.name ?? 'chain of thought',
    taskId: entry.taskId,
    state: stateOf(entry, spans, parts),
    status: WORST_FIRST.find((status) => spans.some((span) => span.step.status === status)) ?? 'OK',
    details: detailsOf(entry, spans, parts),
  };
  const model = firstOf(innermostFirst, (span) => span.step.model) ?? firstOf(parts, (part) => part.model);
  if (model !== undefined) node.model = model;
  const summary = summaryOf(parts) ?? firstOf(innermostFirst, (span) => span.step.promptSummary);
  if (summary !== undefined) node.promptSummary = summary;
  for (const field of ['tokensIn', 'tokensOut', 'costUsd'] as const) {
    const value = firstOf(innermostFirst, (span) => span.step[field]);
    if (value !== undefined) node[field] = value;
  }
  const latency = firstOf(spans, (span) => span.step.latencyMs);
  if (latency !== undefined) node.latencyMs = latency;
  return node;
}

function startOf(first: SpanFacts | undefined, parts: readonly CotText[]) {
  if (first) return first.start;
  return epochMs(parts.reduce((least, part) => Math.min(least, part.first), Infinity));
}

function typeOf(spans: readonly SpanFacts[], parts: readonly CotText[]): NodeType {
  const said = firstOf(spans, (span) => span.step.type);
  return said ?? (parts.length > 0 ? 'LLM_CALL' : 'OTHER');
}

function stateOf(entry: NodeEntry, spans: readonly SpanFacts[], parts: readonly CotText[]): NodeState {
  const ended = spans.some((span) => span.end !== undefined) || parts.some((part) => part.final);
  if (ended) return 'ENDED';
  return entry.abandoned ? 'ABANDONED' : 'RUNNING';
}

/** The spec's promptSummary: the sender's own summary, else the beginning of the thought. */
function summaryOf(parts: readonly CotText[]): string | undefined {
  const own = firstOf(parts, (part) => part.summary);
  const text = own ?? firstOf(parts, (part) => (part.text.trim() === '' ? undefined : part.text));
  return text === undefined ? undefined : shorten(text);
}

function shorten(text: string): string {
  const line = text
    .slice(0, SUMMARY_CHARS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= SUMMARY_CHARS) return line;
  const cut = line.slice(0, SUMMARY_CHARS - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function detailsOf(
  entry: NodeEntry,
  spans: readonly SpanFacts[],
  parts: readonly CotText[],
): { readonly [key: string]: unknown } {
  const details: { [key: string]: unknown } = {};
  for (const span of spans) Object.assign(details, span.step.details);
  if (spans.some((span) => span.step.details['costSource'] === 'reported'))
    details['costSource'] = 'reported';
  const first = spans[0];
  if (first) {
    details['traceId'] = first.traceId;
    details['spanId'] = first.spanId;
    if (first.parentSpanId !== undefined) details['parentSpanId'] = first.parentSpanId;
    if (spans.length > 1) details['spanIds'] = spans.map((span) => span.spanId);
    const convention = firstOf(spans, (span) => span.step.convention);
    if (convention !== undefined) details['convention'] = convention;
  } else {
    const traceId = firstOf(parts, (part) => part.traceId);
    if (traceId !== undefined) details['traceId'] = traceId;
    const spanId = firstOf(parts, (part) => part.spanId);
    if (spanId !== undefined) details['spanId'] = spanId;
  }
  const requestId = entry.request?.requestId ?? firstOf(spans, (span) => span.step.requestId);
  if (requestId !== undefined) {
    details['requestId'] = requestId;
    if (entry.id === requestNodeId(requestId)) {
      if (entry.request?.byTime === true) details['correlatedBy'] = 'agent and time';
      details['correlation'] = parts.length > 0 && spans.length > 0 ? 'matched' : 'pending';
      if (parts.length === 0 && !spans.some((span) => span.step.type)) details['notice'] = MISSING_LOG;
    }
  }
  const thoughtChars = parts.reduce((sum, part) => sum + part.text.length, 0);
  if (thoughtChars > 0) details['thoughtChars'] = thoughtChars;
  return details;
}

function firstOf<T, V>(items: readonly T[], pick: (item: T) => V | undefined): V | undefined {
  for (const item of items) {
    const value = pick(item);
    if (value !== undefined) return value;
  }
  return undefined;
}
