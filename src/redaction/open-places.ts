import { isDigit, isHex, isSpace, isWordStart } from './characters.ts';
import { isOpenNumberStart } from './number-start.ts';
import { hitsOf, MAX_AHEAD } from './rule.ts';
import { continuationsOf } from './open-values.ts';
import { isPublicPart } from './public-parts.ts';
import type { Rule, Span } from './rule.ts';

/** A rule looks back no further for the beginning of a match. */
const MAX_BEFORE = 128;
const KEY = 3;
/** An address of a machine or of mail that a sign gives away is not longer. */
const MAX_TRIGGERED = 128;

interface Hint {
  readonly literal: string;
  readonly rule: Rule;
}

/**
 * Tells from where on the end of a text has to wait: the first place at which a rule may still find something, however
 * the text goes on. That is where the last word begins, where the hint of a rule stands that has not decided yet, or may
 * be about to stand, and what belongs to a match whose hint comes later. Each rule says this of itself.
 */
export class OpenPlaces {
  /** By the first characters. */
  private readonly hints = new Map<string, Hint[]>();
  /** Beginnings of hints of more than one word, up to the second word or further. */
  private readonly beginnings = new Set<string>();
  /** Beginnings of the hints of rules whose matches begin before them. */
  private readonly behind = new Map<string, Set<Rule>>();
  private readonly longest: number;
  private readonly triggered: ReadonlyMap<Rule['trigger'], readonly Rule[]>;
  /** Rules whose matches contain their hint: it need not be followed by anything to be a part of what is hidden. */
  private readonly naming: ReadonlySet<Rule>;

  constructor(rules: readonly Rule[]) {
    this.triggered = Map.groupBy(rules, ({ trigger }) => trigger);
    this.naming = new Set(rules.filter(isNaming));
    let longest = 0;
    for (const rule of rules) {
      for (const literal of rule.hints ?? []) {
        const key = literal.slice(0, KEY);
        this.hints.set(key, [...(this.hints.get(key) ?? []), { literal, rule }]);
        const words = literal.trimStart();
        for (let end = words.indexOf(' ') + 1; end > 0 && end < words.length; end++)
          this.beginnings.add(words.slice(0, end));
        longest = Math.max(longest, literal.length);
        for (let end = 0; rule.before && end < literal.length; end++)
          this.behind.set(
            literal.slice(0, end),
            (this.behind.get(literal.slice(0, end)) ?? new Set()).add(rule),
          );
      }
    }
    this.longest = longest;
  }

  /** @param from what is before it has been decided @returns a place after white space, or `from` */
  first(text: string, from: number): number {
    let open = this.lastBeginning(text, from);
    for (let at = from; at < text.length && at < open + MAX_BEFORE; at++) {
      for (const rule of this.rulesAt(text, at)) {
        if (!isOpen(rule, text, at)) continue;
        let start = at;
        while (isSpace(text.charCodeAt(start))) start++;
        open = Math.min(open, rule.before ? startOf(rule.before, text, at, start) : start);
      }
    }
    return wordStart(text, open, from);
  }

  /**
   * What is hidden of a text that ends here if it goes on as values do: of each rule that has not decided what it would
   * find (spans that may end behind the text), and of a match that holds the hint of its rule its beginning.
   */
  *openValues(text: string): Generator<Span> {
    let longer: readonly string[] | undefined;
    for (let at = 0; at < text.length; at++) {
      for (const rule of this.rulesAt(text, at)) {
        // Any number may go on as one of these: `openNumber` says from where on they are hidden.
        if (rule.trigger === 'number' && rule.kind !== 'IP' && rule.kind !== 'SECRET') continue;
        if (rule.trigger !== undefined && text.length - at > MAX_TRIGGERED) continue;
        if (!isOpen(rule, text, at)) continue;
        const match = this.naming.has(rule) ? matchStart(rule, text, at) : undefined;
        if (match !== undefined) yield { start: match, end: match + 1 };
        const value = rule.find.valueAt?.(text, at);
        if (value !== undefined && NO_WORD.test(text.slice(value))) yield { start: value, end: value + 1 };
        longer ??= continuationsOf(text).map((rest) => text + rest);
        for (const whole of longer) {
          const first = rule.find(whole, at);
          for (const span of first ? [first, ...(first.more ?? [])] : []) {
            const isPublic = rule.kind === 'SECRET' && isPublicPart(whole.slice(span.start, span.end));
            if (!isPublic && span.start < text.length) yield span;
          }
        }
      }
    }
  }

  /** Where the last word begins, or a hint that is not there whole. */
  private lastBeginning(text: string, from: number): number {
    const end = text.slice(-this.longest).toLowerCase();
    let open = wordStart(text, text.length, from);
    for (let length = 0; length <= end.length; length++) {
      const beginning = end.slice(end.length - length);
      if (this.beginnings.has(beginning)) open = Math.min(open, text.length - length);
      for (const { before } of this.behind.get(beginning) ?? [])
        if (before) open = startOf(before, text, text.length - length, open);
    }
    return Math.max(open, from);
  }

  private *rulesAt(text: string, at: number): Generator<Rule> {
    const hints = this.hints.get(text.slice(at, at + KEY).toLowerCase());
    if (hints)
      for (const { literal, rule } of hints) {
        if (rule.wordStart === true && !isWordStart(text, at)) continue;
        if (text.slice(at, at + literal.length).toLowerCase() === literal) yield rule;
      }
    const trigger = triggerAt(text, at);
    if (trigger) yield* this.triggered.get(trigger) ?? [];
  }
}

function isNaming(rule: Rule): boolean {
  const { kind, hints } = rule;
  if (kind !== 'SECRET' && kind !== 'ADDRESS') return false;
  return (
    (hints ?? []).length > 0 &&
    hitsOf(rule).every(({ hidden }) => {
      const text = hidden.toLowerCase();
      return hints?.some((hint) => text.includes(hint)) === true;
    })
  );
}

/** What does not say when it has decided is waited for so long. */
function isOpen({ find }: Rule, text: string, at: number): boolean {
  return find.isOpen ? find.isOpen(text, at) : text.length - at <= MAX_AHEAD;
}

/** Of a key so much is no word of a sentence. */
const NO_WORD = /^(?=\S*\d)\S{4}/;

/** Where an undecided match begins that has its hint in it; undefined while it is a word as in any prose. */
function matchStart({ before, wordStart: isAtStart }: Rule, text: string, at: number): number | undefined {
  const word = wordStart(text, at, 0);
  const start = before ? startOf(before, text, at, word) : word;
  return isAtStart === true || /\d/.test(text.slice(start)) ? start : undefined;
}

function triggerAt(text: string, at: number): Rule['trigger'] {
  const unit = text.charCodeAt(at);
  if (unit === 64) return 'at';
  if (unit === 58 || unit === 45 || unit === 46) {
    if (!isHex(text.charCodeAt(at - 1)) || !isHex(text.charCodeAt(at - 2))) return undefined;
    return unit === 58 ? 'hex-colon' : 'hex-sign';
  }
  return isDigit(unit) && isOpenNumberStart(text, at) ? 'number' : undefined;
}

/** Where a match begins whose hint stands at `at`, `otherwise` if that is earlier. */
function startOf(before: NonNullable<Rule['before']>, text: string, at: number, otherwise: number): number {
  const from = Math.max(0, at - MAX_BEFORE);
  const found = before(text.slice(from, at));
  return found < 0 ? otherwise : Math.min(otherwise, from + found);
}

function wordStart(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && !isSpace(text.charCodeAt(start - 1))) start--;
  return Math.max(start, from);
}
