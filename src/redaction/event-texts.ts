import type { AttributeValue } from '../model/attributes.ts';
import type { RedactionReport } from './report.ts';
import type { Finding } from './scanner.ts';
import { redactTogether, type Hider } from './text-parts.ts';

type Members = { readonly [key: string]: AttributeValue };
type Path = readonly (string | number)[];

interface Leaf {
  readonly item: number;
  readonly path: Path;
  readonly text: string;
}

/** Names of what is no part of a text: put together, equal words and ids may look like anything. */
const NO_TEXT = /(?:^|[a-z_])(?:id|Id|ID|ids|Ids)$|^(?:type|role|name|op|path|model)$/;

/**
 * Of the events of a run: texts that stand at the same place in several events of one kind, such as the chunks of an answer
 * that are passed on raw, are read as pieces of one, and what lies across them is hidden in each. Events beside them
 * (`BesideEvent`) are read along and left out.
 */
export function redactEventTexts(
  hider: Hider,
  value: AttributeValue,
  report: RedactionReport,
): AttributeValue {
  if (!Array.isArray(value)) return value;
  const items = value as readonly AttributeValue[];
  const safe = hiddenIn(items, hider, report);
  return safe.some(isBeside) ? safe.filter((item) => !isBeside(item)) : safe;
}

/** It was there to be read along with the others. */
function isBeside(item: AttributeValue): boolean {
  return isMembers(item) && item['beside'] === true;
}

/** @returns the same list when there is nothing */
function hiddenIn(
  items: readonly AttributeValue[],
  hider: Hider,
  report: RedactionReport,
): readonly AttributeValue[] {
  const groups = new Map<string, Leaf[]>();
  for (const [item, kept] of items.entries()) {
    const event = isMembers(kept) ? kept['event'] : undefined;
    if (!isMembers(event)) continue;
    const kind = JSON.stringify([event['type'], event['name']]);
    for (const { path, text } of leavesOf(event, [])) {
      const key = kind + JSON.stringify(path);
      const group = groups.get(key);
      if (group) group.push({ item, path, text });
      else groups.set(key, [{ item, path, text }]);
    }
  }
  /** By item and place. */
  const hidden = new Map<number, Map<string, string>>();
  for (const leaves of groups.values()) {
    const texts = leaves.map(({ text }) => text);
    const safe = hideAcross(hider, texts, report);
    if (safe === texts) continue;
    for (const [i, { item, path, text }] of leaves.entries()) {
      const to = safe[i] ?? '';
      if (to === text) continue;
      const places = hidden.get(item) ?? new Map<string, string>();
      hidden.set(item, places.set(JSON.stringify(['event', ...path]), to));
    }
  }
  if (hidden.size === 0) return items;
  return items.map((item, i) => {
    const places = hidden.get(i);
    return places ? withTexts(item, [], places) : item;
  });
}

/** @returns the same list when there is nothing */
function hideAcross(hider: Hider, texts: readonly string[], report: RedactionReport): readonly string[] {
  if (texts.every((text) => text === texts[0])) return texts;
  // Nearly all are clean, and each is looked at by itself.
  if (hider.findings(texts.join('')).length === 0) return texts;
  const breaks: number[] = [];
  for (const text of texts) breaks.push((breaks.at(-1) ?? -1) + text.length + 1);
  let next = 0;
  // Findings come in order.
  const isAcross = ({ start, end }: Pick<Finding, 'start' | 'end'>): boolean => {
    while ((breaks[next] ?? Infinity) <= start) next++;
    return (breaks[next] ?? Infinity) < end - 1;
  };
  return redactTogether(hider, texts, '\n', isAcross, report);
}

function* leavesOf(value: AttributeValue, path: Path): Generator<Pick<Leaf, 'path' | 'text'>> {
  const name = path.findLast((step) => typeof step === 'string') ?? '';
  if (typeof value === 'string') {
    if (value !== '' && !NO_TEXT.test(name)) yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [i, inner] of (value as readonly AttributeValue[]).entries())
      yield* leavesOf(inner, [...path, i]);
  } else if (isMembers(value)) {
    for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, [...path, key]);
  }
}

function withTexts(value: AttributeValue, path: Path, texts: ReadonlyMap<string, string>): AttributeValue {
  if (typeof value === 'string') return texts.get(JSON.stringify(path)) ?? value;
  if (Array.isArray(value))
    return (value as readonly AttributeValue[]).map((inner, i) => withTexts(inner, [...path, i], texts));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withTexts(inner, [...path, key], texts)]),
  );
}

function isMembers(value: AttributeValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
