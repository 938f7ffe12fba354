import { eventRefs } from './event-refs.ts';
import type { Facts, SpanFacts } from './facts.ts';
import { isSpanId, isTraceId } from './ids.ts';

/**
 * Numbers by which a record finds those that it belongs to: its trace, its request, the step that several records tell
 * of. A number, since an index of numbers costs a tenth of one of ids; that two things have the same one by chance only
 * costs a look.
 *
 * The upper bits are those of the trace (or of the one id that counts), so all of a trace stands together; the lower ones
 * are the span's.
 */
export type Tie = number;

/** How many numbers there are in a group of ties: those of one trace, or of one other id. */
export const GROUP_SIZE = 2 ** 20;
/** With 33 bits for a group, one trace in ten thousand meets another among a million. */
const SEEDS = [0x811c9dc5, 0x01000193] as const;

/** What others find a record by: its own, and those of what it names. */
export function tiesOf(facts: Facts): Tie[] {
  switch (facts.kind) {
    case 'span': {
      const { requestId, stepId, retold } = facts.step;
      const ties = [spanTie(facts.traceId, facts.spanId)];
      if (retold !== undefined) ties.push(...tiesNamed(retold.nodeId));
      if (requestId !== undefined) ties.push(requestTie(requestId));
      if (stepId !== undefined) ties.push(stepTie(stepId));
      for (const link of facts.links ?? []) ties.push(spanTie(link.traceId, link.spanId));
      const others = facts.step.details['dependsOn'];
      if (Array.isArray(others)) for (const id of others) ties.push(...tiesNamed(String(id)));
      return ties;
    }
    case 'log': {
      const { requestId, stepId } = facts.step;
      const ties = [
        facts.traceId === undefined ? tie(`log:${facts.logId}`) : spanTie(facts.traceId, facts.spanId ?? ''),
      ];
      if (requestId !== undefined) ties.push(requestTie(requestId));
      if (stepId !== undefined) ties.push(stepTie(stepId));
      for (const cause of facts.causes ?? []) ties.push(stepTie(cause.stepId));
      return ties;
    }
    case 'cot': {
      const { requestId, traceId, spanId } = facts;
      return traceId === undefined
        ? [requestTie(requestId)]
        : [requestTie(requestId), spanTie(traceId, spanId ?? '')];
    }
    case 'event': {
      const { traceId, spanId, nodeId, requestId } = eventRefs(facts);
      const ties = [eventTie(facts.eventId)];
      if (facts.traceId !== undefined) ties.push(spanTie(facts.traceId, facts.spanId ?? ''));
      if (traceId !== undefined) ties.push(spanTie(traceId, spanId ?? ''));
      if (requestId !== undefined) ties.push(requestTie(requestId));
      if (nodeId !== undefined) ties.push(...tiesNamed(nodeId));
      return ties;
    }
    case 'override':
    case 'metric':
      return [];
  }
}

/** What a record that comes belongs to: that of which it is a part as well. */
export function tiesTo(facts: Facts): Tie[] {
  const parent = facts.kind === 'span' ? parentTie(facts) : undefined;
  return parent === undefined ? tiesOf(facts) : [...tiesOf(facts), parent];
}

/** What a record belongs to no more when it says something else. */
export function tiesDropped(before: Facts, now: Facts): Tie[] {
  const kept = new Set(tiesTo(now));
  return tiesTo(before).filter((tie) => !kept.has(tie));
}

/**
 * Of the roots of a task: of those that left while several protocols told it, or of those that left while one did. It is the
 * first number of its group.
 */
export function rootsTie(taskId: string, isJoined: boolean): Tie {
  return groupOf(tie(`${isJoined ? 'task' : 'roots'}:${taskId}`));
}

/** Another tie is the first number of its group by chance alone. */
export function isRootsTie(of: Tie): boolean {
  return of === groupOf(of);
}

/** Of the span above a span. */
export function parentTie({ traceId, parentSpanId }: SpanFacts): Tie | undefined {
  return parentSpanId === undefined ? undefined : spanTie(traceId, parentSpanId);
}

const NODE_ID = /^(req|event|step):(.+)$/s;

/** An id of some kind: a node's own, a request's, an event's. */
function tiesNamed(id: string): Tie[] {
  const [traceId, spanId] = id.split(':', 2);
  if (isTraceId(traceId) && isSpanId(spanId)) return [spanTie(traceId, spanId)];
  const [, kind, rest] = NODE_ID.exec(id) ?? [];
  if (rest === undefined) return [requestTie(id), eventTie(id)];
  return [kind === 'req' ? requestTie(rest) : kind === 'event' ? eventTie(rest) : stepTie(rest)];
}

function spanTie(traceId: string, spanId: string): Tie {
  return groupOf(tie(traceId)) + (hash(spanId, SEEDS[0]) % GROUP_SIZE);
}

function requestTie(requestId: string): Tie {
  return tie(`req:${requestId}`);
}

function stepTie(stepId: string): Tie {
  return tie(`step:${stepId}`);
}

function eventTie(eventId: string): Tie {
  return tie(`event:${eventId}`);
}

/** The first number of a tie's group. */
export function groupOf(of: Tie): number {
  return of - (of % GROUP_SIZE);
}

function tie(text: string): Tie {
  const low = hash(text, SEEDS[1]) % (2 * GROUP_SIZE);
  return hash(text, SEEDS[0]) * 2 * GROUP_SIZE + low;
}

/** FNV-1a, mixed at the end: 32 bits. */
function hash(text: string, seed: number): number {
  let state = seed;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
