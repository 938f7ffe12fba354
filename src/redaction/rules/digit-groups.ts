import { endsEscape, isAlnum, isDigit } from '../characters.ts';
import { matchAt } from '../match-at.ts';

/** Digits with the separators that people write between them: what cards, phones and accounts have in common. */

const DIGIT_GROUPS = /\d(?:(?:[ .\-()/]{0,2}| [/-] )\d){5,18}/y;
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

/**
 * What of digits in groups may be a number by itself: it ends before a bracket, before a space, slash or full stop behind
 * dashes, dots or a bracketed area code, or, if it is bare, before any other digits.
 */
const FIRST_OF_TWO =
  /^(?:(?:\d{3}([-.])\d{3}\1\d{4}|\d{3}\)[ .-]{0,2}\d{3}[ .-]\d{4})(?=\.? |\/)|\d{9,15}(?=[ .\-()/]{1,2}\d)|\d(?:[ .\-)/]{0,2}\d){6,18}(?= ?\())/;

/** Six to nineteen digits with the separators people use, and what leads to them: all there are, and the first number of two. */
export function numbersAt(text: string, at: number): readonly NumberText[] {
  const whole = matchAt(DIGIT_GROUPS, text, at)?.[0];
  if (whole === undefined) return NO_NUMBERS;
  const first = mayBeTwo(text, at) ? FIRST_OF_TWO.exec(text.slice(at, at + MAX_TWO))?.[0] : undefined;
  const numbers: NumberText[] = [];
  for (const raw of first === undefined ? [whole] : [whole, first]) {
    const end = at + raw.length;
    const isPart = isInWord(text.charCodeAt(end)) && !EXTENSION.test(text.slice(end, end + 14));
    if (!isPart) numbers.push({ start: at, end, raw, digits: digitsIn(raw), before: textBefore(text, at) });
  }
  return numbers;
}

/** Cheaper than the pattern, and so for nearly all numbers. */
function mayBeTwo(text: string, at: number): boolean {
  const fourth = text.charCodeAt(at + 3);
  if (fourth === DASH || fourth === DOT || fourth === CLOSING) return true;
  return isDigit(text.charCodeAt(at + 8)) || text.slice(at, at + MAX_TWO).includes('(');
}

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
  return endsEscape(text, at) ? '' : text.slice(Math.max(0, at - LOOK_BACK), at);
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
