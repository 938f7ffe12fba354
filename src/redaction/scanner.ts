import { assert } from '../base/assert.ts';
import { isDigit, isWordStart } from './characters.ts';
import { looksLikeJson } from './json-text.ts';
import { NextSign } from './next-sign.ts';
import { mayBePersonalNumber } from './number-start.ts';
import { isPublicPart } from './public-parts.ts';
import type { Rule, Span, Trigger } from './rule.ts';
import { NO_UNITS, unitsOf } from '../base/units.ts';
import { forgetReading } from './undecorated.ts';

/** Something to hide and the rule that says so. */
export interface Finding extends Span {
  readonly rule: Rule;
}

const NO_RULES: readonly Rule[] = [];

export const NO_FINDINGS: readonly Finding[] = [];

/** Characters that hints are made of. */
const HINT_CHARACTERS = /^[a-z0-9,;\-_:/@=+.<>[{("?&% $~'\\)\]}*`|\p{Cc}\u0080-\uffff]{3,}$/u;

/**
 * The pass sees characters as one of 32 classes, so that what a text needs of its table of all triples stays in the
 * processor's caches: 1 to 26 are letters of either case, and what is not listed is 0.
 */
const DIGIT = 27;
const AT = 28;
const COLON = 29;
const SIGN = 30;
const SPACE = 31;
const CLASSES = new Uint8Array(256);
for (let i = 0; i < 26; i++) CLASSES[65 + i] = CLASSES[97 + i] = i + 1;
for (const digit of '0123456789') CLASSES[digit.charCodeAt(0)] = DIGIT;
for (const sign of `-_/=+.<"?&%$~'\\)]}`) CLASSES[sign.charCodeAt(0)] = SIGN;
CLASSES['@'.charCodeAt(0)] = AT;
CLASSES[':'.charCodeAt(0)] = COLON;
CLASSES[' '.charCodeAt(0)] = SPACE;

const TRIPLES = 1 << 15;
const TRIPLE_MASK = TRIPLES - 1;

function tripleOf(literal: string): number {
  const [a = 0, b = 0, c = 0] = Array.from(literal.slice(0, 3), (char) => CLASSES[char.charCodeAt(0) & 0xff]);
  return (a << 10) | (b << 5) | c;
}

/** The classes of the character at `at` and the two before it. */
function tripleAt(units: Uint16Array, at: number): number {
  const before = at > 1 ? classAt(units, at - 2) << 10 : 0;
  return before | (at > 0 ? classAt(units, at - 1) << 5 : 0) | classAt(units, at);
}

function classAt(units: Uint16Array, at: number): number {
  return CLASSES[(units[at] as number) & 0xff] as number;
}

/** The class of a character of a hint as a bit; all bits where the hint has ended. */
function bitOf(literal: string, at: number): number {
  return at < literal.length ? 1 << (CLASSES[literal.charCodeAt(at) & 0xff] as number) : ANY_CLASS;
}

/** As it is, with a capital and in capitals: beyond ASCII the scan tells cases apart. */
export function inAnyCase(literal: string): readonly string[] {
  if (!NON_ASCII.test(literal)) return [literal];
  const capital = literal.charAt(0).toUpperCase() + literal.slice(1);
  return [literal, capital, literal.toUpperCase()].map((spelling) =>
    spelling.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
}

/** Without those that begin with another one: where they stand the rule is asked anyway. */
function shortest(literals: ReadonlySet<string>): readonly string[] {
  return [...literals].filter((literal) => {
    for (let length = 1; length < literal.length; length++)
      if (literals.has(literal.slice(0, length))) return false;
    return true;
  });
}

const HEADS = 1 << 13;

/** Tells the beginnings of hints apart that classes do not: each has one of HEADS numbers, by its first three characters. */
function headOf(units: Uint16Array, at: number): number {
  let head = Math.imul(lower(units[at] as number), 0x9e37_79b1);
  head = Math.imul(head ^ lower(units[at + 1] as number), 0x9e37_79b1);
  return Math.imul(head ^ lower(units[at + 2] as number), 0x9e37_79b1) >>> 19;
}

/** Without a branch. */
function lower(unit: number): number {
  return unit + ((((64 - unit) & (unit - 91)) >>> 31) << 5);
}

/** The hint is in a member's name. */
const REST_OF_NAME = /[\w\p{L} .-]{0,40}\\{0,64}"(?:\s|\\{1,64}[nrt]){0,8}:/uy;
/** What stands behind the quote of most values, and of no name. */
const BEHIND_VALUE = new Set(Array.from(',}]', (sign) => sign.charCodeAt(0)));
/** Its characters and backslashes. */
const MAX_REST_OF_NAME = 40 + 64;

const NON_ASCII = /[^\0-\x7f]/;
const MAX_ASCII = 0x7f;
const MAX_LATIN = 0xff;

function isNumberBehindWide(units: Uint16Array, at: number): boolean {
  return at > 0 && (units[at - 1] as number) > MAX_LATIN && isDigit(units[at] as number);
}

const ANY_CLASS = 0xffff_ffff;
/** So many characters are passed before what was marked in them is looked at. */
const BLOCK = 4096;
const MARKS = new Uint32Array(BLOCK + 1);

/** A literal, and the rules whose hint it is. */
interface Hint {
  readonly literal: string;
  readonly length: number;
  /** Of the literal. */
  readonly units: Uint16Array;
  readonly last: number;
  readonly wordStart: boolean;
  readonly rules: Rule[];
}

/**
 * Finds what the rules find. One pass in plain code looks up each four characters in a table that knows
 * the beginnings of all hints; a rule's pattern runs only where its hint stands. So clean text costs
 * some nanoseconds a character, and the time is linear: every rule's match is bounded.
 */
export class Scanner {
  /** Hints by their heads: `lists[numbers[head]]`; list 0 is empty. */
  private readonly numbers = new Uint16Array(HEADS);
  private readonly lists: Hint[][] = [[]];
  /** By triple: 1 where the last of the three may be one of `places`. */
  private readonly mayBePlace = new Uint8Array(TRIPLES);
  /** By triple: the classes, a bit each, of the fourth characters with which a hint goes on, or a place may. */
  private readonly fourths = new Uint32Array(TRIPLES);
  /** By head: the same of the fifth characters. */
  private readonly fifths = new Uint32Array(HEADS);
  private readonly places: Readonly<Record<Trigger, Rule[]>> = {
    at: [],
    number: [],
    'hex-colon': [],
    'hex-sign': [],
  };
  /** Of the text at hand. */
  private units = NO_UNITS;
  /** End of the last finding whose inside need not be looked at. */
  private skipTo = 0;
  private found: Finding[] = [];
  /** Where a hint matched in what JSON may have as a member's name. */
  private suspects: number[] = [];
  private isJsonLike = false;
  private readonly nextQuote = new NextSign('"');
  /** All bits of the characters of the last text. */
  private bits = 0;

  constructor(rules: readonly Rule[]) {
    for (const rule of rules) {
      for (const literal of shortest(new Set(rule.hints?.flatMap(inAnyCase)))) this.addHint(rule, literal);
      if (rule.trigger) this.places[rule.trigger].push(rule);
    }
    this.markPlaces();
  }

  /**
   * All findings in the order of their places, overlapping ones too. NO_FINDINGS, always the same, when clean.
   * @param within where it looks for hints, in order; everywhere without
   */
  scan(text: string, within?: readonly Span[]): readonly Finding[] {
    this.skipTo = 0;
    if (this.suspects.length > 0) this.suspects = [];
    this.isJsonLike = looksLikeJson(text);
    this.nextQuote.restart();
    this.units = unitsOf(text);
    this.bits = this.units[0] as number;
    if (!within) this.scanPart(text, 0, text.length);
    else for (const { start, end } of within) this.scanPart(text, start, end);
    this.units = NO_UNITS;
    forgetReading();
    if (this.found.length === 0) return NO_FINDINGS;
    const found = this.found;
    this.found = [];
    return found;
  }

  private scanPart(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += BLOCK) {
      const count = this.mark(at, Math.min(at + BLOCK, to));
      for (let k = 0; k < count; k++) this.look(text, MARKS[k] as number);
    }
  }

  /**
   * Fills MARKS with the places in [from, to) at which something may have to be looked at. There is no branch in the
   * loop: it would be guessed wrong too often.
   * @returns how many
   */
  private mark(from: number, to: number): number {
    const { fourths, units } = this;
    let classes = tripleAt(units, from);
    let count = 0;
    // A number may stand behind the last character of the block before.
    let bits = (units[Math.max(from - 1, 0)] as number) | (units[from] as number);
    for (let i = from; i < to; i++) {
      const next = units[i + 1] as number;
      bits |= next;
      classes = (classes << 5) | (CLASSES[next & 0xff] as number);
      MARKS[count] = i;
      count += ((fourths[(classes >>> 5) & TRIPLE_MASK] as number) >>> classes) & 1;
    }
    this.bits |= bits;
    return bits > MAX_LATIN ? this.markWide(from, to) : this.sift(count);
  }

  /** The same where characters have more bits than their classes see: what stands before a number can pass for a digit or a letter. */
  private markWide(from: number, to: number): number {
    const { fourths, units } = this;
    let classes = tripleAt(units, from);
    let count = 0;
    for (let i = from; i < to; i++) {
      classes = (classes << 5) | (CLASSES[(units[i + 1] as number) & 0xff] as number);
      const isMarked = (((fourths[(classes >>> 5) & TRIPLE_MASK] as number) >>> classes) & 1) === 1;
      if (isMarked || isNumberBehindWide(units, i)) MARKS[count++] = i;
    }
    return count;
  }

  /** Leaves of MARKS the places of triggers and those where a hint goes on with its fifth character: again without a branch. */
  private sift(count: number): number {
    const { fifths, mayBePlace, units } = this;
    let kept = 0;
    for (let k = 0; k < count; k++) {
      const i = MARKS[k] as number;
      const at = Math.max(i - 2, 0);
      const fifth = CLASSES[(units[at + 4] as number) & 0xff] as number;
      const isHint = ((fifths[headOf(units, at)] as number) >>> fifth) & 1;
      MARKS[kept] = i;
      kept += isHint | (mayBePlace[tripleAt(units, at + 2)] as number) | ((i - 2) >>> 31);
    }
    return kept;
  }

  /** Of the text of the last scan, if it is JSON: where hints stand within names of members, in order. */
  get jsonSuspects(): readonly number[] {
    return this.suspects;
  }

  /** Whether the text of the last scan held characters beyond ASCII. */
  get hadNonAscii(): boolean {
    return this.bits > MAX_ASCII;
  }

  private addHint(rule: Rule, literal: string): void {
    assert(HINT_CHARACTERS.test(literal), `hint of ${rule.id}: ${literal}`);
    const triple = tripleOf(literal);
    const head = headOf((this.units = unitsOf(literal)), 0);
    if (this.numbers[head] === 0) this.numbers[head] = this.lists.push([]) - 1;
    const number = this.numbers[head] as number;
    this.fifths[head] = (this.fifths[head] as number) | bitOf(literal, 4);
    const wordStart = rule.wordStart ?? false;
    const hints = this.lists[number] as Hint[];
    const known = hints.find((hint) => hint.literal === literal && hint.wordStart === wordStart);
    const { length } = literal;
    const last = literal.charCodeAt(length - 1);
    if (known) known.rules.push(rule);
    else hints.push({ literal, length, units: this.units.slice(0, length), last, wordStart, rules: [rule] });
    this.fourths[triple] = (this.fourths[triple] as number) | bitOf(literal, 3);
  }

  /** Triggers are recognised by a character and the two before it; a number starts where no digit or word precedes. */
  private markPlaces(): void {
    const isHexClass = (a: number): boolean => (a >= 1 && a <= 6) || a === DIGIT;
    let hexClasses = 1 << DIGIT;
    for (let a = 1; a <= 6; a++) hexClasses |= 1 << a;
    const isLetterClass = (a: number): boolean => a >= 1 && a <= 26;
    const escapes = new Set(['n', 'r', 't'].map((char) => CLASSES[char.charCodeAt(0)]));
    for (let a = 0; a < 32; a++) {
      for (let b = 0; b < 32; b++) {
        const before = (a << 10) | (b << 5);
        this.markPlace(before | AT, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.markPlace(before | COLON, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.markPlace(before | SIGN, hexClasses);
        const afterWord = isLetterClass(b) && !isLetterClass(a) && !(a === SIGN && escapes.has(b));
        if (b !== DIGIT && !afterWord) this.markPlace(before | DIGIT, ANY_CLASS);
      }
    }
  }

  private markPlace(triple: number, fourths: number): void {
    this.mayBePlace[triple] = 1;
    this.fourths[triple] = (this.fourths[triple] as number) | fourths;
  }

  private look(text: string, i: number): void {
    if (i < this.skipTo) return;
    const { units } = this;
    const last = CLASSES[(units[i] as number) & 0xff] as number;
    if (last >= DIGIT && last < SPACE && this.mayBePlaceAt(i)) {
      for (const rule of this.placeRules(text, i)) this.attempt(rule, text, i);
    }
    if (i >= 2) this.lookAtHints(text, i);
  }

  private mayBePlaceAt(i: number): boolean {
    return this.mayBePlace[tripleAt(this.units, i)] === 1 || isNumberBehindWide(this.units, i);
  }

  private placeRules(text: string, i: number): readonly Rule[] {
    const unit = this.units[i] as number;
    if (unit === 64) return this.places.at;
    if (unit === 58) return this.places['hex-colon'];
    if (unit === 45 || unit === 46) return this.places['hex-sign'];
    return isDigit(unit) && mayBePersonalNumber(text, i, this.units) ? this.places.number : NO_RULES;
  }

  private lookAtHints(text: string, i: number): void {
    const { units } = this;
    const at = i - 2;
    const head = headOf(units, at);
    const fifth = CLASSES[(units[at + 4] as number) & 0xff] as number;
    if ((((this.fifths[head] as number) >>> fifth) & 1) === 0) return;
    for (const hint of this.lists[this.numbers[head] as number] as Hint[]) {
      // The last characters differ more often than the first ones.
      if (lower(units[at + hint.length - 1] as number) !== hint.last || !this.hintStands(text, at, hint))
        continue;
      if (this.isJsonLike && this.isInName(text, i) && this.suspects.at(-1) !== at) this.suspects.push(at);
      for (const rule of hint.rules) this.attempt(rule, text, at);
    }
  }

  /** Whether the third character of a hint, at `i`, is in a member's name. */
  private isInName(text: string, i: number): boolean {
    const quote = this.nextQuote.from(text, i);
    if (quote > i + MAX_REST_OF_NAME || BEHIND_VALUE.has(text.charCodeAt(quote + 1))) return false;
    REST_OF_NAME.lastIndex = i;
    return REST_OF_NAME.test(text);
  }

  /** @param at in `units` */
  private hintStands(text: string, at: number, { units: literal, wordStart }: Hint): boolean {
    const { units } = this;
    for (let k = literal.length - 2; k >= 0; k--)
      if (lower(units[at + k] as number) !== literal[k]) return false;
    return !wordStart || isWordStart(text, at);
  }

  private attempt(rule: Rule, text: string, at: number): void {
    const span = rule.find(text, at);
    if (!span) return;
    this.add(rule, text, span);
    for (const another of span.more ?? []) this.add(rule, text, another);
  }

  private add(rule: Rule, text: string, { start, end }: Span): void {
    if (rule.kind === 'SECRET' && isPublicPart(text.slice(start, end))) return;
    this.found.push({ rule, start, end });
    if (rule.consumes && end > this.skipTo) this.skipTo = end;
  }
}
