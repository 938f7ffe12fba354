import { hash } from 'node:crypto';

const TRACE_HEX_DIGITS = 32;
const SPAN_HEX_DIGITS = 16;

/**
 * Ids of spans, made of the protocol's own ids: the same session is the same graph on another day and another instance.
 * What is sent into a task that was named apart is told from the same session elsewhere.
 */
export function sessionTraceId(sessionId: string, namedTask: string | undefined): string {
  return digest(['thoughtflow', namedTask ?? '', sessionId]).slice(0, TRACE_HEX_DIGITS);
}

export function sessionSpanId(traceId: string): string {
  return spanId(traceId, 'session');
}

/** @param occurrence from 0: a session may have several conversations of one id */
export function conversationSpanId(traceId: string, conversationId: string, occurrence: number): string {
  return spanId(traceId, 'conversation', conversationId, String(occurrence));
}

/** @param occurrence from 0, as of conversations */
export function stepSpanId(
  traceId: string,
  conversationSpan: string,
  stepId: string,
  occurrence: number,
): string {
  return spanId(traceId, 'step', conversationSpan, stepId, String(occurrence));
}

function spanId(...of: readonly string[]): string {
  return digest(of).slice(0, SPAN_HEX_DIGITS);
}

/** As JSON, so that no two lists read alike. That one is all zero does not happen. */
function digest(of: readonly string[]): string {
  return hash('sha256', JSON.stringify(of), 'hex');
}
