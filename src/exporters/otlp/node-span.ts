import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import { isSpanId } from '../../model/ids.ts';
import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SpanEvent, SpanLink, SpanRecord } from '../../model/records.ts';
import { EDGE, isRetoldKey, NODE, TEXT_NAMES, TEXT_PREFIX } from '../../model/retold.ts';
import { epochMs, parseTime } from '../../model/time.ts';
import { genAiAttributes } from './gen-ai.ts';
import type { SpanIds } from './span-ids.ts';

/** What the spans of a graph name one another by. */
export interface SpanNames {
  readonly idsOf: (nodeId: string) => SpanIds | undefined;
  /** Is there a node with this span? */
  readonly has: (ids: SpanIds) => boolean;
}

const SCOPE = { name: 'explainability-agent', version: '', attributes: new Map() };

/**
 * A node as a span: its own attributes as they came (redacted), the GenAI conventions where it said nothing in them, and
 * what is known of it beside these. The edges into it are its parent and its links.
 */
export function nodeSpan(
  { node, texts, attributes: bySpan = {} }: NodeDetail,
  inEdges: readonly ExplanationEdge[],
  names: SpanNames,
): SpanRecord {
  const ids = names.idsOf(node.id);
  if (ids === undefined) throw new RangeError('a node without ids');
  const parent = inEdges.find((edge) => isParent(edge, ids, names));
  const start = parseTime(node.timestamp) ?? epochMs(0);
  const end = node.state === 'ENDED' ? epochMs(start + (node.latencyMs ?? 0)) : undefined;
  const given = Object.assign({}, ...Object.values(bySpan)) as { readonly [key: string]: AttributeValue };
  const { events, own } = apart(given);
  return {
    kind: 'span',
    ...ids,
    parentSpanId: parent === undefined ? parentElsewhere(node, ids, names) : names.idsOf(parent.from)?.spanId,
    name: node.name,
    start,
    end,
    durationMs: end === undefined ? undefined : end - start,
    status: node.status === 'ERROR' ? 'ERROR' : 'UNSET',
    statusMessage: node.status === 'ERROR' ? textOf(node.details?.['errorMessage']) : '',
    traceState: '',
    attributes: new Map([
      ...genAiAttributes(node, texts),
      ...own.filter(([key]) => !isRetoldKey(key)),
      ...wordsOf(node, texts),
    ]),
    events,
    links: inEdges.filter((edge) => edge !== parent).flatMap((edge) => linkOf(edge, names)),
    scope: SCOPE,
    resource: { attributes: new Map([['service.name', node.agent]]) },
  };
}

function isParent(edge: ExplanationEdge, { traceId }: SpanIds, { idsOf }: SpanNames): boolean {
  const isOfSpan = edge.relation === 'NEXT_STEP' && edge.evidence === 'parentSpanId';
  return isOfSpan && edge.bridged === undefined && idsOf(edge.from)?.traceId === traceId;
}

/** A span of another task, or of a program that sends elsewhere. */
function parentElsewhere({ details }: ExplanationNode, own: SpanIds, { has }: SpanNames): string | undefined {
  const spanId = details?.['parentSpanId'];
  if (details?.['spanId'] !== own.spanId || !isSpanId(spanId)) return undefined;
  return has({ traceId: own.traceId, spanId }) ? undefined : spanId;
}

function linkOf({ from, relation, evidence, bridged }: ExplanationEdge, { idsOf }: SpanNames): SpanLink[] {
  const ids = idsOf(from);
  if (ids === undefined) return [];
  const attributes = new Map<string, AttributeValue>([
    [EDGE.relation, relation],
    [EDGE.evidence, evidence],
  ]);
  if (bridged) attributes.set(EDGE.bridged, true);
  return [{ ...ids, attributes }];
}

function wordsOf(node: ExplanationNode, texts: NodeDetail['texts'] = {}): Attributes {
  const words = new Map<string, AttributeValue>();
  for (const [field, key] of Object.entries(NODE)) {
    const value = node[field as keyof typeof NODE];
    if (value !== undefined) words.set(key, value as AttributeValue);
  }
  for (const name of TEXT_NAMES) {
    const text = texts[name];
    if (text !== undefined) words.set(TEXT_PREFIX + name, text);
  }
  return words;
}

/** Readers are given the events of a span among its attributes. */
function apart(given: { readonly [key: string]: AttributeValue }): {
  readonly events: readonly SpanEvent[];
  readonly own: readonly (readonly [string, AttributeValue])[];
} {
  const { events: list, ...rest } = given;
  const events = Array.isArray(list) ? list.flatMap(eventOf) : [];
  const isList = Array.isArray(list) && events.length === list.length;
  return { events: isList ? events : [], own: Object.entries(isList ? rest : given) };
}

function eventOf(value: unknown): SpanEvent[] {
  const { name, time, attributes } = (value ?? {}) as { readonly [key: string]: unknown };
  const at = parseTime(time);
  if (typeof name !== 'string' || at === undefined || typeof attributes !== 'object') return [];
  const words = Object.entries((attributes ?? {}) as { readonly [key: string]: AttributeValue });
  return [{ name, time: at, attributes: new Map(words) }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
