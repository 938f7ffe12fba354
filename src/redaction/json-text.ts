import type { Span } from './rule.ts';
import { View } from './view.ts';

/**
 * JSON inside a string is changed literal by literal: everything else (numbers of any size, order, spacing,
 * repeated names) stays as it was sent.
 */
export interface JsonVisitor {
  /** A name: the redacted one, or the same. */
  readonly key: (name: string) => string;
  /** A string value below `name` (the nearest member name, '' in none), and where its literal stands: the redacted one, or the same. */
  readonly text: (value: string, name: string, literal: Span) => string;
  /** Whether `whole` is to be asked about the value of this member. */
  readonly isSensitive: (name: string) => boolean;
  /** Replaces the whole value, whatever it is, by this string; undefined leaves it to be walked. */
  readonly whole: (name: string, source: string) => string | undefined;
}

/** Deeper JSON is scanned as text: the walk's stack stays small. */
const MAX_DEPTH = 512;

export function looksLikeJson(text: string): boolean {
  const start = behindBlanks(text, 0);
  const first = text.charCodeAt(start);
  if (first === OPEN_BRACE) return /^$|["}]/.test(text.charAt(behindBlanks(text, start + 1)));
  if (first !== OPEN_BRACKET) return false;
  let next = start;
  // A list in a list, or a call as Objective-C writes it: `[[Client shared] start]`.
  while (text.charCodeAt(next) === OPEN_BRACKET) next = behindBlanks(text, next + 1);
  return /^$|["{\]\d\-tfn]/.test(text.charAt(next));
}

function behindBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Whether the text may be JSON to its end, so that it is worth to be read as such. */
export function endsLikeJson(text: string): boolean {
  let end = text.length - 1;
  while (end > 0 && isBlank(text.charCodeAt(end))) end--;
  const last = text.charCodeAt(end);
  return last === CLOSE_BRACE || last === CLOSE_BRACKET;
}

const ESCAPED = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
]);

/** JSON as its strings read: each escape is the character that it stands for. undefined when it has none. */
export function withoutEscapes(text: string): View | undefined {
  let at = text.indexOf('\\');
  if (at < 0) return undefined;
  const viewStart: number[] = [];
  const viewEnd: number[] = [];
  const originStart: number[] = [];
  const originEnd: number[] = [];
  let result = '';
  let copied = 0;
  for (; at >= 0; at = text.indexOf('\\', copied)) {
    const sign = text.charAt(at + 1);
    const code = sign === 'u' ? parseInt(text.slice(at + 2, at + 6), 16) : NaN;
    result += text.slice(copied, at);
    viewStart.push(result.length);
    result += Number.isNaN(code) ? (ESCAPED.get(sign) ?? sign) : String.fromCharCode(code);
    copied = Math.min(at + (Number.isNaN(code) ? 2 : 6), text.length);
    viewEnd.push(result.length);
    originStart.push(at);
    originEnd.push(copied);
  }
  return new View(result + text.slice(copied), { viewStart, viewEnd, originStart, originEnd });
}

/** Whether a string that JSON holds may be JSON with escapes of its own. */
export function mayHoldEscapedJson(text: string): boolean {
  return text.includes('\\\\') && STRING_OF_JSON.test(text);
}

/** The member whose value a name in the member before it announces: `"name": "DB_PASSWORD", "value": "…"`. */
export const BESIDE_NAME = 'value';

/** Whether such a value may have escapes soon. */
export function holdsValueBeside(text: string): boolean {
  return VALUE_BESIDE.test(text);
}

const VALUE_BESIDE = /",\s{0,40}"value"\s{0,8}:\s{0,16}"[^"\\]{0,128}\\/i;
const STRING_OF_JSON = /"(?:\s|\\[nrt]){0,64}[[{]/;

/** A name in quotes, which may be escaped, and its colon: in JSON within JSON, too. */
const NAME = /"([^"]{1,200}?)\\{0,64}"(?:\s|\\{1,64}[nrt]){0,1024}:/g;
const CODE = /\\{1,64}u([0-9a-f]{4})/gi;

/**
 * Where in the beginning of a JSON the value of the first member with such a name starts, at any depth.
 * @param text JSON that is not whole @returns undefined also where no JSON can become of it
 */
export function openMember(text: string, isSensitive: (name: string) => boolean): number | undefined {
  if (isOver(text)) return undefined;
  for (const match of text.matchAll(NAME)) {
    const name = match[1]?.replace(CODE, (_code, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (name !== undefined && isSensitive(name)) return match.index + match[0].length;
  }
  return undefined;
}

/** Whether the outermost bracket is closed. */
function isOver(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = literalEnd(text, i) - 1;
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && --depth === 0) return true;
  }
  return false;
}

/** @param text valid JSON @returns the same text when nothing changed; undefined when it is nested too deeply */
export function redactJson(text: string, visitor: JsonVisitor): string | undefined {
  const walk: Frame[] = [];
  let result = '';
  let copied = 0;
  let i = 0;
  const { length } = text;
  while (i < length) {
    const unit = text.charCodeAt(i);
    const frame = walk.at(-1);
    if (unit === QUOTE) {
      const end = literalEnd(text, i);
      const isKey = frame?.expectsKey ?? false;
      const literal = text.slice(i, end);
      const value = decodeLiteral(literal);
      const redacted = isKey ? visitor.key(value) : visitor.text(value, frame?.name ?? '', { start: i, end });
      if (redacted !== value) {
        result += text.slice(copied, i) + JSON.stringify(redacted);
        copied = end;
      }
      i = end;
      if (!isKey || !frame) continue;
      frame.expectsKey = false;
      frame.name = value;
      const from = valueStart(text, end);
      i = from;
      if (!visitor.isSensitive(value)) continue;
      const to = valueEnd(text, from);
      const whole = visitor.whole(value, text.slice(from, to));
      if (whole !== undefined) {
        result += text.slice(copied, from) + JSON.stringify(whole);
        copied = to;
        i = to;
      }
      continue;
    }
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (walk.length >= MAX_DEPTH) return undefined;
      const isObject = unit === OPEN_BRACE;
      walk.push({ isObject, expectsKey: isObject, name: isObject ? '' : (frame?.name ?? '') });
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) walk.pop();
    else if (unit === COMMA && frame?.isObject) frame.expectsKey = true;
    i++;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

interface Frame {
  readonly isObject: boolean;
  expectsKey: boolean;
  name: string;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 13 || unit === 9;
}

export function decodeLiteral(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** One past the closing quote. */
export function literalEnd(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let i = quote - 1;
    while (i > open && text.charCodeAt(i) === BACKSLASH) i--;
    // An even number of backslashes before it: each escapes the next one, and none the quote.
    if ((quote - i) % 2 === 1) return quote + 1;
  }
  return text.length + 1;
}

function valueStart(text: string, keyEnd: number): number {
  let i = text.indexOf(':', keyEnd) + 1;
  while (isBlank(text.charCodeAt(i))) i++;
  return i;
}

/** One past the value that starts at `from`. */
function valueEnd(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return literalEnd(text, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let end = from;
    while (end < text.length && !',]} \n\r\t'.includes(text.charAt(end))) end++;
    return end;
  }
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = literalEnd(text, i) - 1;
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && --depth === 0) return i + 1;
  }
  return text.length;
}
