/** Ids are functions of the input alone: the same after a restart, a redelivery, on another instance. */

/** The node of a span that belongs to no request. */
export function spanKey(traceId: string, spanId: string): string {
  return `${traceId}:${spanId}`;
}

/** The node of one LLM request. */
export function requestNodeId(requestId: string): string {
  return `req:${requestId}`;
}

export function eventNodeId(eventId: string): string {
  return `event:${eventId}`;
}

export function edgeId(from: string, relation: string, to: string): string {
  return `${from}>${relation}>${to}`;
}

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
