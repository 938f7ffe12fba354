import { MAX_DEPTH } from './limits.ts';

/** Longer ones are data, not the arguments of a call. */
const MAX_CHARS = 16 * 1024;

/**
 * A value that Python wrote by `repr`: a dict, list, tuple, text, number, True, False, None, or an object that names its
 * fields (`ToolCall(tool_id='c1')`), which is read as a dict of them. Undefined for any other text, and for one cut off.
 */
export function parsePython(text: string): unknown {
  if (text.length > MAX_CHARS) return undefined;
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

class NoLiteral extends Error {}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
]);
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['(', ')'],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);
const BLANK = /\s*/y;
const NUMBER = /-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_][\w.]*/y;

class Reader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  isAtEnd(): boolean {
    this.match(BLANK);
    return this.at === this.text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NoLiteral();
    this.match(BLANK);
    const sign = this.text[this.at] ?? '';
    if (sign === '{') return this.dict(depth);
    const closer = CLOSERS.get(sign);
    if (closer !== undefined) return this.list(closer, depth);
    if (sign === "'" || sign === '"') return this.string(sign);
    const number = this.match(NUMBER);
    if (number !== '') return Number(number.replaceAll('_', ''));
    const word = this.match(WORD);
    if (WORDS.has(word)) return WORDS.get(word);
    if (word === '' || this.text[this.at] !== '(') throw new NoLiteral();
    return this.fields(depth);
  }

  private dict(depth: number): unknown {
    const entries: [string, unknown][] = [];
    this.at++;
    while (!this.closes('}')) {
      const key = this.value(depth + 1);
      this.expect(':');
      entries.push([String(key), this.value(depth + 1)]);
      this.comma('}');
    }
    return Object.fromEntries(entries);
  }

  private list(closer: string, depth: number): unknown {
    const items: unknown[] = [];
    this.at++;
    while (!this.closes(closer)) {
      items.push(this.value(depth + 1));
      this.comma(closer);
    }
    return items;
  }

  /** What an object says of itself: only named fields, or it is no record of anything. */
  private fields(depth: number): unknown {
    const entries: [string, unknown][] = [];
    this.at++;
    while (!this.closes(')')) {
      const name = this.match(WORD);
      if (name === '') throw new NoLiteral();
      this.expect('=');
      entries.push([name, this.value(depth + 1)]);
      this.comma(')');
    }
    return Object.fromEntries(entries);
  }

  private string(quote: string): string {
    let value = '';
    for (this.at++; this.at < this.text.length; this.at++) {
      const sign = this.text[this.at] ?? '';
      if (sign === quote) {
        this.at++;
        return value;
      }
      if (sign === '\\') {
        const escaped = this.text[++this.at] ?? '';
        value += ESCAPES.get(escaped) ?? escaped;
      } else value += sign;
    }
    throw new NoLiteral();
  }

  private closes(sign: string): boolean {
    this.match(BLANK);
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private comma(closer: string): void {
    this.match(BLANK);
    if (this.text[this.at] === ',') this.at++;
    else if (this.text[this.at] !== closer) throw new NoLiteral();
  }

  private expect(sign: string): void {
    this.match(BLANK);
    if (this.text[this.at++] !== sign) throw new NoLiteral();
    this.match(BLANK);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
