import assert from 'node:assert/strict';
import { matchAt } from './match-at.ts';

/** The end of what is there so far, since no pattern has the flag `m`. What asks for a lookahead takes twice as long to compile. */
const END = '$';

/**
 * A pattern that matches, from where it is asked on, a text that ends before the given pattern has come to a decision:
 * each character that it asks for may also be one that is not there yet. So what has to wait of a text that goes on
 * follows from the pattern of a rule, and nobody has to say it.
 * @returns sticky; undefined for the rare pattern that cannot be turned so
 */
export function openPattern(pattern: RegExp): RegExp | undefined {
  assert(!pattern.multiline, 'in a rule `$` is the end of the text');
  const reader = new Reader(pattern.source, pattern.flags.includes('u'));
  const body = reader.alternatives();
  if (reader.isTooHard) return undefined;
  return new RegExp(`(?:${body})${END}`, `${pattern.flags.replace(/[gyd]/g, '')}y`);
}

/** To search the end of a text for what the pattern may match when it goes on. */
export function begun(pattern: RegExp): RegExp {
  const open = openPattern(pattern) ?? /$/;
  return new RegExp(open.source, open.flags.replace('y', ''));
}

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const ESCAPE = /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|k<[^>]*>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/uy;
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
const VALUE_GROUP = '(?<v>';
const BACK_REFERENCE = /\\(?:[1-9]|k<)/;
/** A group that is referred to is hardly longer. */
const MAX_REFERRED = 64;

/** Reads the syntax of ECMAScript's patterns without the `v` flag. */
class Reader {
  isTooHard = false;
  private readonly source: string;
  private readonly isUnicode: boolean;
  private readonly refersBack: boolean;
  private at = 0;

  constructor(source: string, isUnicode: boolean) {
    this.source = source;
    this.isUnicode = isUnicode;
    this.refersBack = BACK_REFERENCE.test(source);
  }

  alternatives(): string {
    let result = '';
    while (this.at < this.source.length && this.source[this.at] !== ')') {
      if (this.source[this.at] === '|') {
        result += '|';
        this.at++;
      } else result += this.term();
    }
    return result;
  }

  private term(): string {
    const group = this.take(GROUP);
    if (group !== undefined) return this.group(group) + this.quantifier();
    const atom = this.take(CLASS) ?? this.take(ESCAPE) ?? this.character();
    if (BACK_REFERENCE.test(atom) && !atom.startsWith('[')) return nearEnd(atom) + this.quantifier();
    if (atom === '$' || /^\\b$/i.test(atom)) return orEnd(atom);
    const quantifier = this.quantifier();
    const least = quantifier.startsWith('+') ? 1 : Number(/^\{(\d+)/.exec(quantifier)?.[1] ?? 0);
    if (quantifier === '') return orEnd(atom);
    // The engine runs through one character that is repeated faster than through a choice.
    return least === 0 ? atom + quantifier : `(?:${atom}${quantifier}|${atom}{0,${least - 1}}${END})`;
  }

  private quantifier(): string {
    return this.take(QUANTIFIER) ?? '';
  }

  private character(): string {
    const point = this.source.codePointAt(this.at) ?? 0;
    const char = this.isUnicode ? String.fromCodePoint(point) : this.source.charAt(this.at);
    this.at += char.length;
    return char;
  }

  private group(open: string): string {
    const from = this.at;
    const body = this.alternatives();
    const source = this.source.slice(from, this.at);
    this.at++;
    if (open === '(?=' || open === '(?!') {
      // Its groups stand twice in what comes out.
      if (this.refersBack && /\((?!\?[:=!])/.test(source)) this.isTooHard = true;
      const plain = source.replaceAll(/\(\?<(?![=!])[^>]*>/g, '(?:');
      return `(?:(?=(?:${body})${END})[^]*|${open}${plain}))`;
    }
    if (open === '(?<=' || open === '(?<!') return orEnd(`${open}${source})`);
    // The value keeps its name: from there on it is hidden while it is undecided.
    const isCapture = open === VALUE_GROUP || (open !== '(?:' && this.refersBack);
    return `${isCapture ? open : '(?:'}${body})`;
  }

  private take(pattern: RegExp): string | undefined {
    const found = matchAt(pattern, this.source, this.at)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}

function orEnd(atom: string): string {
  return `(?:${atom}|${END})`;
}

function nearEnd(reference: string): string {
  return `(?:${reference}|[^]{0,${MAX_REFERRED}}${END})`;
}
