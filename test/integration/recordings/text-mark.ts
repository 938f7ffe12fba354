import { createHash } from 'node:crypto';
import { isObject } from './otlp-json.ts';

/** So much of a text is compared, white space left out: JSON is written with and without it. */
const MARKED_CHARS = 60;

/** Without a place: of a text as the service may show it, a name hidden or the thought before it taken out. */
const MARK = /^(sha256:[0-9a-f]{16})(?: of (\S+))?$/;

/** `[PERSON:k3f9x]`: the hash differs from task to task. */
const HIDDEN = /\[([A-Z_]+):[a-z0-9]+\]/g;

function beginning(text: string): string {
  const characters = Array.from(text.replaceAll(HIDDEN, '[$1]').replaceAll(/\s/gu, ''));
  return characters.slice(0, MARKED_CHARS).join('');
}

/** Stands for a text that is not ours to publish: 16 hex digits of the SHA-256 of its beginning. */
export function markOf(text: string): string {
  return `sha256:${createHash('sha256').update(beginning(text)).digest('hex').slice(0, 16)}`;
}

/** @param expected the beginning of a text, or a mark of it */
export function isBeginning(expected: string, text: string): boolean {
  const mark = MARK.exec(expected)?.[1];
  return mark === undefined ? beginning(text).startsWith(beginning(expected)) : markOf(text) === mark;
}

/** Whether the raw attributes bear a mark at the place it names; a plain text names no place. */
export function isBornOut(expected: string, attributes: ReadonlyMap<string, unknown>): boolean {
  const place = MARK.exec(expected)?.[2];
  if (place === undefined) return true;
  const text = textAt(place, attributes);
  return text !== undefined && isBeginning(expected, text);
}

/** `attribute#path.into.its.json`. */
function textAt(place: string, attributes: ReadonlyMap<string, unknown>): string | undefined {
  const [key = '', path] = place.split('#');
  let value = attributes.get(key);
  if (path !== undefined) {
    value = typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
    for (const step of path.split('.')) {
      if (Array.isArray(value)) value = value[Number(step)] as unknown;
      else value = isObject(value) ? value[step] : undefined;
    }
  }
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}
