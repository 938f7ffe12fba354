import { createHash } from 'node:crypto';
import { isSpanId, isTraceId, spanKey } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { inSteps } from '../rests.ts';

export interface SpanIds {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
}

/**
 * The trace and span of each node: those of the span that it was made from; else hashes of its own id and of its task's, so
 * that the same node is the same span, whenever and wherever it is exported.
 */
export function* spanIdsOf(nodes: readonly ExplanationNode[]): Generator<void, ReadonlyMap<string, SpanIds>> {
  const ids = new Map<string, SpanIds>();
  const taken = new Set<string>();
  const claim = (node: ExplanationNode, own: SpanIds | undefined): void => {
    const key = own && spanKey(own.traceId, own.spanId);
    const isFree = key !== undefined && !taken.has(key);
    if (isFree) taken.add(key);
    ids.set(node.id, isFree && own ? own : hashedIds(node));
  };
  // Who is named by its span has it before a request that was thought about within it.
  const others: ExplanationNode[] = [];
  yield* inSteps(nodes, (node) => {
    const own = keyOf(node);
    if (own) claim(node, own);
    else others.push(node);
  });
  yield* inSteps(others, (node) => claim(node, callOf(node)));
  return ids;
}

function keyOf({ id }: ExplanationNode): SpanIds | undefined {
  const [traceId, spanId, ...more] = id.split(':', 3);
  return isTraceId(traceId) && isSpanId(spanId) && more.length === 0 ? { traceId, spanId } : undefined;
}

/** Of a request with a span of its own. One that nothing but a thought tells of names the span around it. */
function callOf({ id, details = {} }: ExplanationNode): SpanIds | undefined {
  const isThoughtAlone = details['thoughtChars'] !== undefined && details['correlation'] !== 'matched';
  if (!id.startsWith('req:') || isThoughtAlone) return undefined;
  const { traceId, spanId } = details;
  return isTraceId(traceId) && isSpanId(spanId) ? { traceId, spanId } : undefined;
}

function hashedIds({ id, taskId, details }: ExplanationNode): SpanIds {
  const traceId = details?.['traceId'];
  return { traceId: isTraceId(traceId) ? traceId : hashedTraceId(taskId), spanId: hashedSpanId(id) };
}

export function hashedTraceId(text: string): string {
  return sha256(`trace:${text}`).slice(0, 32);
}

export function hashedSpanId(text: string): string {
  return sha256(`span:${text}`).slice(0, 16);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
