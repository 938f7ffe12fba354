import { endsEscape, isAlnum, isDigit, wordsBefore } from '../characters.ts';
import { fitsAt, lengthAt, matchAt } from '../match-at.ts';

/** Digits with the separators that people write between them: what cards, phones and accounts have in common. */

const DIGIT_GROUPS = /\d(?:(?:[ .\-()/]{0,2}|\)? [/-] )\d){5,18}/y;
/** Of a telephone. */
export const EXTENSION = /^ ?(?:x|ext\.? ?)\d{1,6}(?!\w)/i;

export interface NumberText {
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  /** How many. */
  readonly digits: number;
  readonly before: string;
}

/** A date or a time of day: no number goes on with one. */
const TIME = String.raw`(?:(?:19|20)\d\d[-./][01]?\d[-./][0-3]?\d|[0-3]?\d[-./][0-3]?\d[-./](?:19|20)\d\d|[0-2]?\d:[0-5]\d)(?!\d)`;
const BEFORE_TIME = new RegExp(` (?=${TIME})`, 'y');
/**
 * Where a number may end that more digits follow: a slash, a bracket, the end of a sentence, a dash between blanks, unless
 * groups before it stand so too.
 */
const BORDER = /(?<! \/ \d{2,3}) \/ ?|(?<!\/\d{2,3})\/ ?| ?\((?=\d)|(?<!\. \d{1,4})\. |(?<! - \d{1,4}) - /y;
const FEWEST_DIGITS = 6;
/** What a slash or a dash sets off from the rest of the same number: the codes of an area and of its country. */
const AREA = /^\(?0\d{1,5}\)?$|^\d{1,3}[ -]?\(0\)[ -]?\d{2,5}$/;
const AREA_ABROAD = /^(?:00)?\d{1,3}\)?[ -]?(?:\(0\)[ -]?)?\(?\d{2,5}\)?$/;
/** Of digits in groups as far as these look. */
const MAX_REST = 20;
const REST_OF_NUMBER = /^\d(?:[ -]?\d){4}/;
/** Nothing of the number follows behind a dash: North American ones have ten digits, and so many digits are another. */
const WHOLE_NANP = /^(?:1[ .-]?)?\(?[2-9]\d\d\)?[ .-]{0,2}\d{3}[ .-]?\d{4}$/;
const ANOTHER = new RegExp(String.raw`^(?!\d{1,4} ${TIME})\d(?:[ .\-()/]{0,2}\d){6}`);

/**
 * What may be the first of two numbers besides: it ends before a space behind dashes, dots or a bracketed area code, or, if
 * it is bare, before any other digits.
 */
const FIRST_OF_TWO =
  /^(?:(?:\d{3}([-.])\d{3}\1\d{4}|\d{3}\)[ .-]{0,2}\d{3}[ .-]\d{4})(?= )|\d{9,15}(?=[ .\-()/]{1,2}\d))/;

/**
 * Six to nineteen digits with the separators people use, and what leads to them: up to where the number most likely ends
 * first, then as far as they go, then the first number of two.
 */
export function numbersAt(text: string, at: number): readonly NumberText[] {
  const whole = untilTime(text, at, matchAt(DIGIT_GROUPS, text, at)?.[0]);
  if (whole === undefined) return NO_NUMBERS;
  const numbers: NumberText[] = [];
  for (const raw of candidatesOf(text, at, whole)) {
    const end = at + raw.length;
    const isPart = isInWord(text.charCodeAt(end)) && !EXTENSION.test(text.slice(end, end + 14));
    if (!isPart) numbers.push({ start: at, end, raw, digits: digitsIn(raw), before: textBefore(text, at) });
  }
  return numbers;
}

/** Of a run of digits what stands before a date or a time of day; undefined where that is too short. */
function untilTime(text: string, at: number, run: string | undefined): string | undefined {
  if (run === undefined) return undefined;
  for (let i = run.indexOf(' '); i >= 0; i = run.indexOf(' ', i + 1)) {
    if (!fitsAt(BEFORE_TIME, text, at + i)) continue;
    const before = run.slice(0, i);
    return digitsIn(before) < FEWEST_DIGITS ? undefined : before;
  }
  return run;
}

function candidatesOf(text: string, at: number, whole: string): readonly string[] {
  const first = firstIn(text, at, whole);
  const two = mayBeTwo(text, at) ? FIRST_OF_TWO.exec(text.slice(at, at + MAX_TWO))?.[0] : undefined;
  const candidates = first === undefined ? [whole] : [first, whole];
  if (two !== undefined) candidates.push(two);
  return candidates;
}

/** What ends at the first border in `whole`, if that is long enough. */
function firstIn(text: string, at: number, whole: string): string | undefined {
  let digits = 0;
  for (let i = 0; i < whole.length; i++) {
    if (isDigit(whole.charCodeAt(i))) {
      digits++;
      continue;
    }
    if (digits < FEWEST_DIGITS || isPlainGap(whole, i)) continue;
    const length = lengthAt(BORDER, text, at + i);
    if (length === 0) continue;
    if (isEnd(text, at, at + i, at + i + length)) return whole.slice(0, i);
    i += length - 1;
  }
  return undefined;
}

/** One sign between two groups: cheaper than the pattern, and so in nearly all numbers. */
function isPlainGap(whole: string, i: number): boolean {
  const unit = whole.charCodeAt(i);
  return (unit === SPACE || unit === DASH || unit === DOT) && isDigit(whole.charCodeAt(i + 1));
}

/** Whether the number that starts at `at` ends at `end`, with the border up to `next`. */
function isEnd(text: string, at: number, end: number, next: number): boolean {
  const first = text.slice(at, end);
  const rest = text.slice(next, next + MAX_REST);
  const isAbroad = text[at - 1] === '+' || text.slice(at - 2, at) === '+(' || first.startsWith('00');
  if ((AREA.test(first) || (isAbroad && AREA_ABROAD.test(first))) && REST_OF_NUMBER.test(rest)) return false;
  return text.slice(end, next) !== ' - ' || WHOLE_NANP.test(first) || ANOTHER.test(rest);
}

/** Cheaper than the pattern, and so for nearly all numbers. */
function mayBeTwo(text: string, at: number): boolean {
  const fourth = text.charCodeAt(at + 3);
  return fourth === DASH || fourth === DOT || fourth === CLOSING || isDigit(text.charCodeAt(at + 8));
}

const SPACE = 32;
const CLOSING = 41;
const DASH = 45;
const DOT = 46;
const UNDERSCORE = 95;

function isInWord(unit: number): boolean {
  return isAlnum(unit) || unit === UNDERSCORE;
}

function digitsIn(raw: string): number {
  let count = 0;
  for (let i = 0; i < raw.length; i++) if (isDigit(raw.charCodeAt(i))) count++;
  return count;
}

function textBefore(text: string, at: number): string {
  return endsEscape(text, at) ? '' : wordsBefore(text, at, LOOK_BACK);
}

/** How far before a number the word can stand that says what it is. */
const LOOK_BACK = 64;
const NO_NUMBERS: readonly NumberText[] = [];
/** Characters of two numbers that follow one another. */
const MAX_TWO = 40;

/** Part of an id, a path, a version or a decimal number. */
export function isGlued(before: string, text: string, end: number): boolean {
  const last = before.charCodeAt(before.length - 1);
  if (isInWord(last) || GLUE_BEFORE.has(last)) return true;
  return GLUE_BEHIND.has(text.charCodeAt(end)) && isAlnum(text.charCodeAt(end + 1));
}

const GLUE_BEFORE = new Set(Array.from('/-.@#$%', (sign) => sign.charCodeAt(0)));
const GLUE_BEHIND = new Set(Array.from('-./:@', (sign) => sign.charCodeAt(0)));
