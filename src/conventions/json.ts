import { isObject, type JsonObject, parseJson as parseWellFormed } from '../base/json.ts';
import { MAX_PARSE_CHARS } from './limits.ts';

/**
 * JSON out of attributes. SDKs cut attribute values at a length limit, so JSON that stops in the middle is
 * ordinary input: what is there of it is read.
 */

/** A string's JSON value, or what can be saved of a truncated one; undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  if (!looksLikeJson(text)) return undefined;
  const source = bounded(text);
  try {
    return parseWellFormed(source);
  } catch {
    return parseTruncated(source);
  }
}

/** The mark that ends a text which was cut on its way in; empty where there is none. */
export function cutMark(text: string): string {
  return /…\[cut \d+ chars\]$/.exec(text.slice(-MAX_MARK_CHARS))?.[0] ?? '';
}

/** Longest mark: its number has at most 16 digits. */
const MAX_MARK_CHARS = 32;

/** Its beginning, with a mark of all that is missing. */
function bounded(text: string): string {
  const mark = cutMark(text);
  const missing = text.length - mark.length - MAX_PARSE_CHARS;
  if (missing <= 0) return text;
  return `${text.slice(0, MAX_PARSE_CHARS)}…[cut ${missing + Number(/\d+/.exec(mark)?.[0] ?? 0)} chars]`;
}

/** The structure that an attribute holds, whether it came as a structure or as JSON text. */
export function structure(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : value;
}

export function objectOf(value: unknown): JsonObject | undefined {
  const parsed = structure(value);
  return isObject(parsed) ? parsed : undefined;
}

/** A cheap look at the first visible character: `{`, `[` or `"`. */
function looksLikeJson(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) continue;
    return code === 0x7b || code === 0x5b || code === 0x22;
  }
  return false;
}

/**
 * Reads JSON that stops in the middle: closes the open string and brackets, else gives up the last, broken item. The mark
 * of a cut stays at the end of the string that it is in, else of the longest one that is left.
 */
export function parseTruncated(text: string): unknown {
  const mark = cutMark(text);
  const source = text.slice(0, text.length - mark.length);
  const end = scan(source);
  if (end === undefined) return undefined;
  const isInString = end.stringStart >= 0;
  const closed = isInString ? `${withoutHalfEscape(source, end.stringStart)}${mark}"` : source;
  const parsed = tryParse(closed + end.closers);
  if (parsed !== undefined && (isInString || mark === '')) return parsed;
  const whole = source.slice(0, end.wholeUntil);
  const left = parsed ?? tryParse(whole + (scan(whole)?.closers ?? ''));
  if (mark !== '') markLongest(left, mark);
  return left;
}

/** Of few characters are roles, types and ids: what is longest is what somebody said. */
function markLongest(value: unknown, mark: string): void {
  let longest:
    { readonly of: Record<string, unknown>; readonly key: string; readonly length: number } | undefined;
  const visit = (of: Record<string, unknown>): void => {
    for (const [key, inner] of Object.entries(of)) {
      if (typeof inner === 'string' && inner.length >= (longest?.length ?? 0))
        longest = { of, key, length: inner.length };
      else if (typeof inner === 'object' && inner !== null) visit(inner as Record<string, unknown>);
    }
  };
  if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>);
  if (longest) longest.of[longest.key] = `${String(longest.of[longest.key])}${mark}`;
}

function tryParse(source: string): unknown {
  try {
    return parseWellFormed(source);
  } catch {
    return undefined;
  }
}

interface OpenEnd {
  /** What closes the brackets that are open at the end. */
  readonly closers: string;
  /** Where the open string begins, -1 when none is open. */
  readonly stringStart: number;
  /** Up to here all items are whole. */
  readonly wholeUntil: number;
}

/** Far deeper than messages nest: text with more is an attack, not cut-off telemetry. */
const MAX_OPEN_BRACKETS = 256;

/** The state of the text at its end; undefined when its brackets don't fit, so that it is no JSON at all. */
function scan(source: string): OpenEnd | undefined {
  const closers: string[] = [];
  let stringStart = -1;
  let wholeUntil = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (stringStart >= 0) {
      if (char === '\\') i++;
      else if (char === '"') stringStart = -1;
    } else if (char === '"') stringStart = i;
    else if (char === ',') wholeUntil = i;
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      wholeUntil = i + 1;
      if (closers.length > MAX_OPEN_BRACKETS) return undefined;
    } else if (char === '}' || char === ']') {
      if (closers.pop() !== char) return undefined;
      wholeUntil = i + 1;
    }
  }
  return { closers: closers.reverse().join(''), stringStart, wholeUntil };
}

/** An escape that was cut in the middle can't be closed; it goes. */
function withoutHalfEscape(source: string, stringStart: number): string {
  const tail = source.slice(Math.max(stringStart + 1, source.length - 6));
  const half = /(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$/.exec(tail);
  return half?.[1] === undefined ? source : source.slice(0, source.length - half[1].length);
}
