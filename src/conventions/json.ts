import { isObject, type JsonObject, parseJson as parseWellFormed } from '../base/json.ts';
import { MAX_PARSE_CHARS } from './limits.ts';

/**
 * JSON out of attributes. SDKs cut attribute values at a length limit, so JSON that stops in the middle is
 * ordinary input: what is there of it is read.
 */

/** A string's JSON value, or what can be saved of a truncated one; undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  if (!looksLikeJson(text)) return undefined;
  const source = text.length > MAX_PARSE_CHARS ? text.slice(0, MAX_PARSE_CHARS) : text;
  try {
    return parseWellFormed(source);
  } catch {
    return parseTruncated(source);
  }
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

/** Reads JSON that stops in the middle: closes the open string and brackets, else gives up the last, broken item. */
export function parseTruncated(source: string): unknown {
  const end = scan(source);
  if (end === undefined) return undefined;
  const closed = end.stringStart < 0 ? source : `${withoutHalfEscape(source, end.stringStart)}"`;
  const whole = source.slice(0, end.wholeUntil);
  return tryParse(closed + end.closers) ?? tryParse(whole + (scan(whole)?.closers ?? ''));
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
