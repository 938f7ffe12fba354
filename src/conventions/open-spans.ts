import { isSpanId } from '../model/ids.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { Convention, OpenSpan, PartialStep, SafeSpan } from './convention.ts';
import { text, wordsOf } from './read.ts';

const IDS_PATH = '.span.ids_path';
const NAMES_PATH = '.span.path';

/**
 * A finished span that names its ancestors, from the root down to itself, while they are still open (Laminar,
 * Traceroot): `lmnr.span.ids_path`, its span ids as UUIDs, beside `lmnr.span.path`, their names.
 */
export const spanPath: Convention = {
  name: 'span-path',
  aside: true,
  signs: { keySuffixes: [IDS_PATH] },
  interpret: ({ attributes, spanId }: SafeSpan): PartialStep => ({
    ancestors: ancestorsOf(attributes, spanId),
  }),
};

/** Deeper paths are loops or attacks; agents nest some ten levels. */
const MAX_ANCESTORS = 64;

function ancestorsOf(a: Attributes, ownId: string): readonly OpenSpan[] | undefined {
  let prefix: string | undefined;
  for (const key of a.keys()) if (key.endsWith(IDS_PATH)) prefix = key.slice(0, -IDS_PATH.length);
  if (prefix === undefined) return undefined;
  const ids = pathOf(a.get(`${prefix}${IDS_PATH}`)).map(spanIdOf);
  if (ids.at(-1) === ownId) ids.pop();
  const isPath = new Set(ids).size === ids.length && !ids.includes(undefined) && !ids.includes(ownId);
  if (ids.length === 0 || ids.length > MAX_ANCESTORS || !isPath) return undefined;
  const names = pathOf(a.get(`${prefix}${NAMES_PATH}`));
  return ids.map((spanId, index) => ({
    spanId: spanId ?? '',
    parentSpanId: ids[index - 1],
    name: names[index],
  }));
}

/** An array, JSON of one, or the items between dots. */
function pathOf(value: AttributeValue | undefined): readonly string[] {
  const words = wordsOf(value) ?? [];
  return words.length === 1 ? (words[0] ?? '').split('.') : words;
}

/** A UUID holds the span id in its last 16 digits. */
function spanIdOf(id: string): string | undefined {
  const spanId = id.replaceAll('-', '').slice(-16).toLowerCase();
  return isSpanId(spanId) ? spanId : undefined;
}

/** Logfire sends a span of its own when one is opened: a child of it that has ended, with what is known so far. */
export const pendingSpan: Convention = {
  name: 'pending-span',
  aside: true,
  signs: { keys: ['logfire.span_type'] },
  interpret,
};

function interpret({ attributes, parentSpanId }: SafeSpan): PartialStep {
  if (text(attributes, 'logfire.span_type') !== 'pending_span' || parentSpanId === undefined) return {};
  const parent = attributes.get('logfire.pending_parent_id');
  return { announces: { spanId: parentSpanId, parentSpanId: isSpanId(parent) ? parent : undefined } };
}
