import type { EdgeRelation } from './node.ts';

/** Ids are functions of the input alone: the same after a restart, a redelivery, on another instance. */

/** The node of a span that belongs to no request. */
export function spanKey(traceId: string, spanId: string): string {
  return `${traceId}:${spanId}`;
}

/** The node of one LLM request. */
export function requestNodeId(requestId: string): string {
  return `req:${requestId}`;
}

/** Ids of events that the service itself makes: of an interrupt, an annotation, an approval, and of what became of them; of a guard that fired. */
export function isOwnEventId(eventId: string): boolean {
  return /^(?:interrupt|annotation|approval|guard):[0-9a-f]{32}(?::|$)/.test(eventId);
}

export function eventNodeId(eventId: string): string {
  return `${EVENT}${eventId}`;
}

const EVENT = 'event:';

/** The node of an event, also of one that the service itself makes. */
export function isEventNode(nodeId: string): boolean {
  return nodeId.startsWith(EVENT);
}

/** A log record that tells of a step, and its node when it is joined with nothing else. */
export function logKey(logId: string): string {
  return `log:${logId}`;
}

/** The node of a step that only log records tell of. */
export function stepNodeId(stepId: string): string {
  return `step:${stepId}`;
}

/** How the step ids of calls begin that are known by the id of their response. */
export const RESPONSE_STEP = 'call:';

/** The call that a response with this id answers, whoever tells of it. */
export function responseStepId(responseId: string): string {
  return `${RESPONSE_STEP}${responseId}`;
}

/** One step of the chain of thought of a node, counted from 1. */
export function thoughtId(nodeId: string, index: number): string {
  return `thought:${index}:${nodeId}`;
}

/** One of the ways that were weighed in a node, counted from 1. */
export function alternativeId(nodeId: string, index: number): string {
  return `alternative:${index}:${nodeId}`;
}

/** The change of model that a node shows. */
export function switchId(nodeId: string): string {
  return `switch:${nodeId}`;
}

const MADE_OF = /^(?:(?:thought|alternative):\d+|switch):(.+)$/s;

/** The node that a thought, an alternative or a switch of model was made from; undefined for other ids. */
export function madeOf(id: string): string | undefined {
  return MADE_OF.exec(id)?.[1];
}

/** What a user asked at the beginning of a trace. */
export function queryId(traceId: string): string {
  return `query:${traceId}`;
}

export function edgeId(from: string, relation: EdgeRelation, to: string): string {
  // Two strings joined, and not four: V8 keeps each joint as an object.
  return from + BETWEEN[relation] + to;
}

const BETWEEN: { readonly [relation in EdgeRelation]: string } = {
  NEXT_STEP: '>NEXT_STEP>',
  TRIGGERED: '>TRIGGERED>',
  REFLECTED: '>REFLECTED>',
  ESCALATED: '>ESCALATED>',
  USER_ACTION: '>USER_ACTION>',
  OTHER: '>OTHER>',
};

/** An edge that stands for a path through hidden nodes. */
export function bridgeId(from: string, to: string): string {
  return `${from}>>${to}`;
}

/** The summary of what was folded below a node. */
export function summaryId(anchorId: string): string {
  return `summary:${anchorId}`;
}

export function noticeId(taskId: string): string {
  return `notice:${taskId}`;
}

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** A W3C trace id in lower case, not all zero. */
export function isTraceId(value: unknown): value is string {
  return typeof value === 'string' && TRACE_ID.test(value) && value !== '0'.repeat(32);
}

/** A W3C span id in lower case, not all zero. */
export function isSpanId(value: unknown): value is string {
  return typeof value === 'string' && SPAN_ID.test(value) && value !== '0'.repeat(16);
}
