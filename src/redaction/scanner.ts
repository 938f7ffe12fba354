import { isDigit, isHex, isWordStart } from './characters.ts';
import {
  addHint,
  AT,
  classAt,
  CLASSES,
  COLON,
  DIGIT,
  HintTrie,
  SIGN,
  tripleAt,
  TRIPLE_MASK,
  TRIPLES,
} from './hint-trie.ts';
import type { Hint } from './hint-trie.ts';
import { looksLikeJson } from './json-text.ts';
import { NextSign } from './next-sign.ts';
import { mayBePersonalNumber } from './number-start.ts';
import { isPublicPart } from './public-parts.ts';
import type { Rule, Span, Trigger } from './rule.ts';
import { NO_UNITS, unitsOf } from '../base/units.ts';
import { fitsAt } from './match-at.ts';
import { forgetReading } from './undecorated.ts';

/** Something to hide and the rule that says so. */
export interface Finding extends Span {
  readonly rule: Rule;
}

const NO_RULES: readonly Rule[] = [];

export const NO_FINDINGS: readonly Finding[] = [];

/** As it is, with a capital and in capitals: beyond ASCII the scan tells cases apart. */
function inAnyCase(literal: string): readonly string[] {
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

/** The hint is in a member's name. */
const REST_OF_NAME = /[\w\p{L} .-]{0,40}\\{0,64}"(?:\s|\\{1,64}[nrt]){0,8}:/uy;
/** What stands behind the quote of most values, and of no name. */
const BEHIND_VALUE = new Set(Array.from(',}]', (sign) => sign.charCodeAt(0)));
/** Its characters and backslashes. */
const MAX_REST_OF_NAME = 40 + 64;

const NON_ASCII = /[^\0-\x7f]/;
const MAX_ASCII = 0x7f;
const ANY_CLASS = 0xffff_ffff;
/** So many characters are passed before what was marked in them is looked at. */
const BLOCK = 4096;
const MARKS = new Uint32Array(BLOCK + 1);

/**
 * Finds what the rules find. One pass in plain code looks up each four characters in a table that knows
 * the beginnings of all hints; a rule's pattern runs only where its hint stands. So clean text costs
 * some nanoseconds a character, and the time is linear: every rule's match is bounded.
 */
export class Scanner {
  private readonly trie: HintTrie;
  /** By triple: 1 where the last of the three may be one of `places`. */
  private readonly mayBePlace = new Uint8Array(TRIPLES);
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
  /** End of the last finding whose inside need not be looked at. */
  private skipTo = 0;
  private found: Finding[] = [];
  /** Where hints of rules stand that look far. */
  private farHeads: Span[] = [];
  /** Where a hint matched in what JSON may have as a member's name. */
  private suspects: number[] = [];
  private isJsonLike = false;
  private readonly nextQuote = new NextSign('"');
  /** All bits of the characters of the last text. */
  private bits = 0;

  constructor(rules: readonly Rule[]) {
    const hints = new Map<string, Hint>();
    for (const rule of rules) {
      for (const literal of shortest(new Set(rule.hints?.flatMap(inAnyCase)))) addHint(hints, literal, rule);
      if (rule.trigger) this.places[rule.trigger].push(rule);
    }
    this.trie = new HintTrie([...hints.values()]);
    for (const { units } of hints.values())
      this.markFourths(tripleAt(units, 0), units.length > 3 ? 1 << classAt(units, 3) : ANY_CLASS);
    this.markPlaces();
  }

  /**
   * All findings in the order of their places, overlapping ones too. NO_FINDINGS, always the same, when clean.
   * @param within where it looks for hints, in order; everywhere without
   * @param heads where hints stand besides
   */
  scan(text: string, within?: readonly Span[], heads: readonly Span[] = []): readonly Finding[] {
    this.skipTo = 0;
    if (this.suspects.length > 0) this.suspects = [];
    if (this.farHeads.length > 0) this.farHeads = [];
    this.isJsonLike = looksLikeJson(text);
    this.nextQuote.restart();
    this.units = unitsOf(text);
    this.bits = 0;
    if (!within) this.scanPart(text, 0, text.length);
    else for (const { start, end } of within) this.scanPart(text, start, end);
    for (const { start } of heads) this.look(text, start + 2);
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
    let bits = units[from] as number;
    let classes =
      (from > 1 ? classAt(units, from - 2) << 10 : 0) | (from > 0 ? classAt(units, from - 1) << 5 : 0);
    classes |= classAt(units, from);
    let count = 0;
    for (let i = from; i < to; i++) {
      const next = units[i + 1] as number;
      bits |= next;
      classes = (classes << 5) | (CLASSES[next] as number);
      MARKS[count] = i;
      count += ((fourths[(classes >>> 5) & TRIPLE_MASK] as number) >>> classes) & 1;
    }
    this.bits |= bits;
    return this.sift(count);
  }

  /** Leaves of MARKS the places of triggers and those where the first characters are a hint's: again without a branch. */
  private sift(count: number): number {
    const { mayBePlace, trie, units } = this;
    let kept = 0;
    for (let k = 0; k < count; k++) {
      const i = MARKS[k] as number;
      const at = Math.max(i - 2, 0);
      MARKS[kept] = i;
      kept += trie.mayBegin(units, at) | (mayBePlace[tripleAt(units, at)] as number) | ((i - 2) >>> 31);
    }
    return kept;
  }

  /** Of the text of the last scan, if it is JSON: where hints stand within names of members, in order. */
  get jsonSuspects(): readonly number[] {
    return this.suspects;
  }

  /** Of the text of the last scan: where heads of lists and tables may stand, as empty spans. */
  get heads(): readonly Span[] {
    return this.farHeads;
  }

  /** Whether the text of the last scan held characters beyond ASCII. */
  get hadNonAscii(): boolean {
    return this.bits > MAX_ASCII;
  }

  /** Triggers are recognised by a character and the two before it; a number starts where no digit precedes. */
  private markPlaces(): void {
    const isHexClass = (a: number): boolean => (a >= 1 && a <= 6) || a === DIGIT;
    let hexClasses = 1 << DIGIT;
    for (let a = 1; a <= 6; a++) hexClasses |= 1 << a;
    for (let a = 0; a < 32; a++) {
      for (let b = 0; b < 32; b++) {
        const before = (a << 10) | (b << 5);
        this.markPlace(before | AT, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.markPlace(before | COLON, ANY_CLASS);
        if (isHexClass(a) && isHexClass(b)) this.markPlace(before | SIGN, hexClasses);
        if (b !== DIGIT) this.markPlace(before | DIGIT, ANY_CLASS);
      }
    }
  }

  private markPlace(triple: number, fourths: number): void {
    this.mayBePlace[triple] = 1;
    this.markFourths(triple, fourths);
  }

  private markFourths(triple: number, fourths: number): void {
    this.fourths[triple] = (this.fourths[triple] as number) | fourths;
  }

  private look(text: string, i: number): void {
    if (i < this.skipTo) return;
    const last = classAt(this.units, i);
    if (last >= DIGIT && last <= SIGN)
      for (const rule of this.placeRules(text, i)) this.attempt(rule, text, i);
    if (i >= 2) this.lookAtHints(text, i - 2);
  }

  private placeRules(text: string, i: number): readonly Rule[] {
    const { units } = this;
    const unit = units[i] as number;
    if (unit === 64) return this.places.at;
    const before = units[i - 1] as number;
    if (isDigit(unit))
      return !isDigit(before) && mayBePersonalNumber(text, i, units) ? this.places.number : NO_RULES;
    if (!isHex(before) || !isHex(units[i - 2] as number)) return NO_RULES;
    if (unit === 58) return this.places['hex-colon'];
    if (unit === 45 || unit === 46) return this.places['hex-sign'];
    return NO_RULES;
  }

  private lookAtHints(text: string, at: number): void {
    const { trie, units } = this;
    let next = at + 3;
    for (let node = trie.rootAt(units, at); node !== 0; node = trie.child(node, classAt(units, next++))) {
      for (let h = trie.firstHint(node), end = trie.firstHint(node + 1); h < end; h++) {
        if (!trie.stands(h, units, at)) continue;
        const hint = trie.hint(h);
        if (hint.wordStart && !isWordStart(text, at)) continue;
        if (this.isJsonLike && this.isInName(text, at + 2) && this.suspects.at(-1) !== at)
          this.suspects.push(at);
        for (const rule of hint.rules) this.attempt(rule, text, at);
      }
    }
  }

  /** Whether the third character of a hint, at `i`, is in a member's name. */
  private isInName(text: string, i: number): boolean {
    const quote = this.nextQuote.from(text, i);
    if (quote > i + MAX_REST_OF_NAME || BEHIND_VALUE.has(text.charCodeAt(quote + 1))) return false;
    return fitsAt(REST_OF_NAME, text, i);
  }

  private attempt(rule: Rule, text: string, at: number): void {
    if (rule.find.headAt && this.farHeads.at(-1)?.start !== at) this.farHeads.push({ start: at, end: at });
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
