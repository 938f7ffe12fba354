import type { SpanFacts } from '../model/facts.ts';
import { spanKey } from '../model/ids.ts';
import type { RequestEntry, SpanEntry } from './node-entry.ts';

/**
 * Which spans are folded into the node of a requestId: a function of the sets alone.
 *
 * 1. Spans that name the requestId and say that they are an LLM call: all of them.
 * 2. Else, of the spans that name it and do not say what they are, the innermost (latest start): a requestId
 *    may also be handed down to every span of a run, which must not melt into one node.
 * 3. Else the span that the chain of thought points at by trace and span id, if it names no requestId, can be
 *    an LLM call, and no other request points at it. A thought that was logged without a requestId has the span
 *    for its request: it is that step's, whatever the step is.
 */
export function membersOf(
  request: RequestEntry,
  spans: ReadonlyMap<string, SpanEntry>,
  pointedAt: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const calls = new Set<string>();
  let innermost: SpanEntry | undefined;
  for (const key of request.namedBy) {
    const span = spans.get(key);
    if (!span) continue;
    if (span.facts.step.type === 'LLM_CALL') calls.add(key);
    else if (span.facts.step.type === undefined && (!innermost || isInside(span, innermost)))
      innermost = span;
  }
  if (calls.size > 0) return calls;
  if (innermost) return new Set([innermost.key]);
  for (const part of request.parts.values()) {
    if (part.traceId === undefined || part.spanId === undefined) continue;
    const key = spanKey(part.traceId, part.spanId);
    const span = spans.get(key);
    if (!span || pointedAt.get(key)?.size !== 1 || span.facts.step.wrapper === true) continue;
    if (canBeCall(span.facts) || (key === request.requestId && span.facts.step.requestId === undefined))
      calls.add(key);
  }
  return calls;
}

/** May a span that names no requestId be the call that a chain of thought belongs to? */
export function canBeCall(facts: SpanFacts): boolean {
  const { type, requestId } = facts.step;
  return requestId === undefined && (type === 'LLM_CALL' || type === undefined);
}

function isInside(span: SpanEntry, other: SpanEntry): boolean {
  return (
    span.facts.start > other.facts.start || (span.facts.start === other.facts.start && span.key > other.key)
  );
}
