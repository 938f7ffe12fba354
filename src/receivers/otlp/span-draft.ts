import type { Attributes } from '../../model/attributes.ts';
import type { Resource, Scope, SpanEvent, SpanLink, SpanRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { durationMs, isBefore, isSet, toEpochMs, type NanoTime } from './nano-time.ts';

/** A span as it was sent, before its rules are applied. Both encodings make one. */
export interface SpanDraft {
  /** Lower-case hex of whatever was sent; empty when nothing was. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly start: NanoTime;
  readonly end: NanoTime;
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly traceState: string;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
}

const ZERO_TRACE_ID = '0'.repeat(32);
const ZERO_SPAN_ID = '0'.repeat(16);
const STATUS = ['UNSET', 'OK', 'ERROR'] as const;

/** The record, or why there is none: `<field>: <problem>`. */
export function spanRecord(
  draft: SpanDraft,
  scope: Scope,
  resource: Resource,
  receivedMs: number,
): SpanRecord | string {
  const problem = idsProblem(draft);
  if (problem !== undefined) return problem;
  const { start, end } = draft;
  const hasStart = isSet(start);
  const hasEnd = isSet(end);
  const known = hasStart ? start : hasEnd ? end : undefined;
  const from = known === undefined ? epochMs(receivedMs) : toEpochMs(known);
  const backwards = hasStart && hasEnd && isBefore(end, start);
  return {
    kind: 'span',
    traceId: draft.traceId,
    spanId: draft.spanId,
    parentSpanId: parentOf(draft),
    name: draft.name,
    start: from,
    end: hasEnd ? (backwards ? from : toEpochMs(end)) : undefined,
    durationMs: hasEnd ? (backwards || !hasStart ? 0 : durationMs(start, end)) : undefined,
    status: STATUS[draft.statusCode] ?? 'UNSET',
    statusMessage: draft.statusMessage,
    traceState: draft.traceState,
    attributes: draft.attributes,
    events: draft.events,
    links: draft.links,
    scope,
    resource,
  };
}

/** A link to nowhere is no link. */
export function isLinkTarget(traceId: string, spanId: string): boolean {
  return idProblem(traceId, ZERO_TRACE_ID) === undefined && idProblem(spanId, ZERO_SPAN_ID) === undefined;
}

/** A log record's trace context; an invalid id counts as absent, because a log record needs none. */
export function contextId(id: string, kind: 'trace' | 'span'): string | undefined {
  return idProblem(id, kind === 'trace' ? ZERO_TRACE_ID : ZERO_SPAN_ID) === undefined ? id : undefined;
}

/** A zero parent is no parent, and a span can't be its own. */
function parentOf(draft: SpanDraft): string | undefined {
  const parent = draft.parentSpanId;
  return parent === '' || parent === ZERO_SPAN_ID || parent === draft.spanId ? undefined : parent;
}

function idsProblem(draft: SpanDraft): string | undefined {
  const trace = idProblem(draft.traceId, ZERO_TRACE_ID);
  if (trace !== undefined) return `traceId: ${trace}`;
  const span = idProblem(draft.spanId, ZERO_SPAN_ID);
  if (span !== undefined) return `spanId: ${span}`;
  const parent = draft.parentSpanId;
  if (parent !== '' && parent.length !== ZERO_SPAN_ID.length) return `parentSpanId: ${lengthProblem(8)}`;
  return undefined;
}

function idProblem(id: string, zero: string): string | undefined {
  if (id === '') return 'missing';
  if (id.length !== zero.length) return lengthProblem(zero.length / 2);
  if (id === zero) return 'all zero';
  return undefined;
}

function lengthProblem(bytes: number): string {
  return `not ${bytes} bytes long`;
}
