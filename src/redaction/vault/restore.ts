import { isJson } from '../../base/json.ts';
import { looksLikeJson, redactJson } from '../json-text.ts';
import { markersIn } from '../marker.ts';

/** JSON in a string in JSON in a string …: as deep as redaction goes. */
const MAX_JSON_LEVELS = 5;

/** Every marker in the strings and names of a value, once. */
export function markersOf(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  // Everything is searched as one text: a marker has no character that JSON writes otherwise.
  const text = JSON.stringify(value) ?? '';
  for (const { start, end } of markersIn(text)) found.add(text.slice(start, end));
  return found;
}

/** The value with the originals in the places of their markers; markers without one stay. JSON in strings stays JSON. */
export function restore<T>(value: T, originals: ReadonlyMap<string, string>): T {
  return restored(value, originals) as T;
}

function restored(value: unknown, originals: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return restoreText(value, originals, 0);
  if (Array.isArray(value)) return value.map((item) => restored(item, originals));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    restoreText(name, originals, 0),
    restored(member, originals),
  ]);
  return Object.fromEntries(members) as unknown;
}

function restoreText(text: string, originals: ReadonlyMap<string, string>, level: number): string {
  if (!text.includes('[')) return text;
  if (level < MAX_JSON_LEVELS && looksLikeJson(text) && isJson(text)) {
    const deeper = (inner: string): string => restoreText(inner, originals, level + 1);
    const walked = redactJson(text, {
      key: deeper,
      text: deeper,
      isSensitive: () => false,
      whole: () => undefined,
    });
    if (walked !== undefined) return walked;
  }
  let result = '';
  let copied = 0;
  for (const { start, end } of markersIn(text)) {
    const original = originals.get(text.slice(start, end));
    if (original === undefined) continue;
    result += text.slice(copied, start) + original;
    copied = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}
