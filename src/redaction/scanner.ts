import { assert } from '../base/assert.ts';
import { isDigit, isUpper, isWordStart } from './characters.ts';
import { looksLikeJson } from './json-text.ts';
import { NextSign } from './next-sign.ts';
import { mayBePersonalNumber } from './number-start.ts';
import { isPublicPart } from './public-parts.ts';
import type { Rule, Span, Trigger } from './rule.ts';
import { NO_UNITS, unitsOf } from './units.ts';

/** Something to hide and the rule that says so. */
export interface Finding extends Span {
  readonly rule: Rule;
}

const NO_RULES: readonly Rule[] = [];

export const NO_FINDINGS: readonly Finding[] = [];

/** Characters that hints are made of. */
const HINT_CHARACTERS = /^[a-z0-9\-_:/@=+.<>[{("?&% $~'\\)\]}*`|\p{Cc}\u0080-\uffff]{3,}$/u;

/**
 * The pass sees characters as one of 32 classes, so that its table of all triples has 32 KiB and stays in the
 * processor's first cache: 1 to 26 are letters of either case, and what is not listed is 0.
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
  let head = 0;
  for (let i = at; i < at + 3; i++) {
    const unit = units[i] as number;
    head = Math.imul(head ^ (isUpper(unit) ? unit + 32 : unit), 0x9e37_79b1);
  }
  return head >>> 19;
}

/** The hint is in a member's name. */
const REST_OF_NAME = /[\w\p{L} .-]{0,40}\\{0,64}"(?:\s|\\{1,64}[nrt]){0,8}:/uy;
/** Its characters and backslashes. */
const MAX_REST_OF_NAME = 40 + 64;

const NON_ASCII = /[^\0-\x7f]/;
/** In longer texts characters are counted faster than looked through. */
const MIN_TO_COUNT = 32;

const HINT = 1;
const PLACE = 2;
const ANY_CLASS = 0xffff_ffff;

/** A literal, and the rules whose hint it is. */
interface Hint {
  readonly literal: string;
  /** Of the literal. */
  readonly units: Uint16Array;
  readonly wordStart: boolean;
  readonly rules: Rule[];
}

/**
 * Finds what the rules find. One pass in plain code looks up each three characters in a table that knows
 * the beginnings of all hints; a rule's pattern runs only where its hint stands. So clean text costs
 * about a nanosecond a character, and the time is linear: every rule's match is bounded.
 */
export class Scanner {
  private readonly table = new Uint8Array(TRIPLES);
  /** Hints by their heads: `lists[numbers[head]]`; list 0 is empty. */
  private readonly numbers = new Uint16Array(HEADS);
  private readonly lists: Hint[][] = [[]];
  /** By triple: the classes, a bit each, of the fourth characters with which a hint goes on, or a place may. */
  private readonly fourths = new Uint32Array(TRIPLES);
  private readonly places: Readonly<Record<Trigger, Rule[]>> = {
    at: [],
    number: [],
    'hex-colon': [],
    'hex-sign': [],
  };
  /** Of the text at hand. */
  private units = NO_UNITS;
  /** The classes of the last three characters that were passed. */
  private triple = 0;
  /** End of the last finding whose inside need not be looked at. */
  private skipTo = 0;
  private found: Finding[] = [];
  /** Where a hint matched in what JSON may have as a member's name. */
  private suspects: number[] = [];
  private isJsonLike = false;
  private readonly nextQuote = new NextSign('"');
  /** The last text held characters beyond ASCII. */
  private nonAscii = false;

  constructor(rules: readonly Rule[]) {
    for (const rule of rules) {
      for (const literal of shortest(new Set(rule.hints?.flatMap(inAnyCase)))) this.addHint(rule, literal);
      if (rule.trigger) this.places[rule.trigger].push(rule);
    }
    this.markPlaces();
  }

  /** All findings in the order of their places, overlapping ones too. NO_FINDINGS, always the same, when clean. */
  scan(text: string): readonly Finding[] {
    this.skipTo = 0;
    if (this.suspects.length > 0) this.suspects = [];
    this.isJsonLike = looksLikeJson(text);
    this.nextQuote.restart();
    this.units = unitsOf(text);
    this.triple = 0;
    const { length } = text;
    for (let i = this.nextMark(0, length); i < length; i = this.nextMark(i + 1, length)) this.look(text, i);
    this.units = NO_UNITS;
    this.nonAscii = length < MIN_TO_COUNT ? NON_ASCII.test(text) : Buffer.byteLength(text) !== length;
    if (this.found.length === 0) return NO_FINDINGS;
    const found = this.found;
    this.found = [];
    return found;
  }

  /**
   * Where in the text from `at` on something has to be looked at, `length` when nowhere; `triple` is what stands
   * there. A loop of its own: with the looking in it, it takes twice as long.
   */
  private nextMark(at: number, length: number): number {
    const { table, fourths, numbers, units } = this;
    let { triple } = this;
    let i = at;
    let next = CLASSES[(units[i] as number) & 0xff] as number;
    for (; i < length; i++) {
      triple = ((triple << 5) | next) & TRIPLE_MASK;
      next = CLASSES[(units[i + 1] as number) & 0xff] as number;
      if ((((fourths[triple] as number) >>> next) & 1) === 0) continue;
      if (table[triple] !== HINT || (i >= 2 && numbers[headOf(units, i - 2)] !== 0)) break;
    }
    this.triple = triple;
    return i;
  }

  /** Of the text of the last scan, if it is JSON: where hints stand within names of members, in order. */
  get jsonSuspects(): readonly number[] {
    return this.suspects;
  }

  /** About the text of the last scan. */
  get hadNonAscii(): boolean {
    return this.nonAscii;
  }

  private addHint(rule: Rule, literal: string): void {
    assert(HINT_CHARACTERS.test(literal), `hint of ${rule.id}: ${literal}`);
    const triple = tripleOf(literal);
    const head = headOf((this.units = unitsOf(literal)), 0);
    if (this.numbers[head] === 0) this.numbers[head] = this.lists.push([]) - 1;
    const fourth = literal.length > 3 ? literal.charCodeAt(3) : 0;
    const wordStart = rule.wordStart ?? false;
    const hints = this.hintsAt(0);
    const known = hints.find((hint) => hint.literal === literal && hint.wordStart === wordStart);
    if (known) known.rules.push(rule);
    else hints.push({ literal, units: this.units.slice(0, literal.length), wordStart, rules: [rule] });
    this.mark(triple, HINT, fourth > 0 ? 1 << (CLASSES[fourth & 0xff] as number) : ANY_CLASS);
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
        this.mark(before | AT, PLACE, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.mark(before | COLON, PLACE, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.mark(before | SIGN, PLACE, hexClasses);
        const afterWord = isLetterClass(b) && !isLetterClass(a) && !(a === SIGN && escapes.has(b));
        if (b !== DIGIT && !afterWord) this.mark(before | DIGIT, PLACE, ANY_CLASS);
      }
    }
  }

  /** Those that begin with the three characters at `at`, or seem to. */
  private hintsAt(at: number): Hint[] {
    return this.lists[this.numbers[headOf(this.units, at)] as number] as Hint[];
  }

  private mark(triple: number, kind: number, fourths: number): void {
    this.table[triple] = (this.table[triple] ?? 0) | kind;
    this.fourths[triple] = (this.fourths[triple] ?? 0) | fourths;
  }

  private look(text: string, i: number): void {
    if (i < this.skipTo) return;
    const mark = this.table[this.triple] as number;
    if ((mark & PLACE) !== 0) {
      for (const rule of this.placeRules(text, i)) this.attempt(rule, text, i);
    }
    if ((mark & HINT) !== 0 && i >= 2) this.lookAtHints(text, i);
  }

  private placeRules(text: string, i: number): readonly Rule[] {
    const unit = this.units[i] as number;
    if (unit === 64) return this.places.at;
    if (unit === 58) return this.places['hex-colon'];
    if (unit === 45 || unit === 46) return this.places['hex-sign'];
    return isDigit(unit) && mayBePersonalNumber(text, i) ? this.places.number : NO_RULES;
  }

  private lookAtHints(text: string, i: number): void {
    const at = i - 2;
    for (const hint of this.hintsAt(at)) {
      if (!this.hintStands(text, at, hint)) continue;
      if (this.isJsonLike && this.suspects.at(-1) !== at && this.isInName(text, i)) this.suspects.push(at);
      for (const rule of hint.rules) this.attempt(rule, text, at);
    }
  }

  /** Whether the third character of a hint, at `i`, is in a member's name. */
  private isInName(text: string, i: number): boolean {
    if (this.nextQuote.from(text, i) > i + MAX_REST_OF_NAME) return false;
    REST_OF_NAME.lastIndex = i;
    return REST_OF_NAME.test(text);
  }

  /** @param at in `units` */
  private hintStands(text: string, at: number, { units: literal, wordStart }: Hint): boolean {
    const { units } = this;
    // The last characters differ more often than the first ones.
    for (let k = literal.length - 1; k >= 0; k--) {
      const unit = units[at + k] as number;
      const wanted = literal[k] as number;
      if (unit !== wanted && (unit + 32 !== wanted || !isUpper(unit))) return false;
    }
    return !wordStart || isWordStart(text, at);
  }

  private attempt(rule: Rule, text: string, at: number): void {
    const span = rule.find(text, at);
    if (!span || (rule.kind === 'SECRET' && isPublicPart(text.slice(span.start, span.end)))) return;
    this.found.push({ rule, start: span.start, end: span.end });
    if (rule.consumes && span.end > this.skipTo) this.skipTo = span.end;
  }
}
