import { endsEscape, isAlnum, isDigit } from '../characters.ts';

/** Digits with the separators that people write between them: what cards, phones and accounts have in common. */

const MIN_DIGITS = 6;
const MAX_DIGITS = 19;
const MAX_SEPARATORS = 2;
/** Of a telephone. */
export const EXTENSION = /^ ?(?:x|ext\.? ?)\d{1,6}(?!\w)/i;

export interface NumberText {
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  readonly digits: string;
  readonly before: string;
}

/**
 * What of digits in groups may be a number by itself: it ends before a bracket, before a space, slash or full stop behind
 * dashes, dots or a bracketed area code, or, if it is bare, before any other digits.
 */
const FIRST_OF_TWO =
  /^(?:(?:\d{3}([-.])\d{3}\1\d{4}|\d{3}\)[ .-]{0,2}\d{3}[ .-]\d{4})(?=\.? |\/)|\d{9,15}(?=[ .\-()/]{1,2}\d)|\d(?:[ .\-)/]{0,2}\d){6,18}(?= ?\())/;

/** How many digits stand in the `length` characters from `at` on: most numbers have too few for a rule. */
export function digitsWithin(text: string, at: number, length: number): number {
  const end = Math.min(at + length, text.length);
  let digits = 0;
  for (let i = at; i < end; i++) if (isDigit(text.charCodeAt(i))) digits++;
  return digits;
}

/** Six to nineteen digits with the separators people use, and what leads to them: all there are, and the first number of two. */
export function numbersAt(text: string, at: number): readonly NumberText[] {
  const end = endOfGroups(text, at);
  if (end < 0) return NO_NUMBERS;
  const whole = numberTo(text, at, end);
  const first = mayBeTwo(text, at) ? FIRST_OF_TWO.exec(text.slice(at, at + MAX_TWO))?.[0] : undefined;
  const number = first === undefined ? undefined : numberTo(text, at, at + first.length);
  return [whole, number].filter((found) => found !== undefined);
}

/** Where the groups end; -1 where there are too few digits. */
function endOfGroups(text: string, at: number): number {
  let end = at;
  let digits = 0;
  for (let i = at; digits < MAX_DIGITS && i - end <= MAX_SEPARATORS; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) {
      digits++;
      end = i + 1;
    } else if (!isSeparator(unit) || digits === 0) break;
  }
  return digits < MIN_DIGITS ? -1 : end;
}

/** One of ` .-()/`. */
function isSeparator(unit: number): boolean {
  return unit === 32 || unit === 40 || unit === 41 || (unit >= 45 && unit <= 47);
}

/** Whether a separator stands behind the first digits. */
function mayBeTwo(text: string, at: number): boolean {
  let end = at;
  while (end - at <= MAX_DIGITS && isDigit(text.charCodeAt(end))) end++;
  return isSeparator(text.charCodeAt(end));
}

function numberTo(text: string, at: number, end: number): NumberText | undefined {
  if (isWordCharacter(text.charCodeAt(end)) && !EXTENSION.test(text.slice(end, end + 14))) return undefined;
  const raw = text.slice(at, end);
  const before = endsEscape(text, at) ? '' : text.slice(Math.max(0, at - LOOK_BACK), at);
  return { start: at, end, raw, digits: raw.replace(/\D/g, ''), before };
}

function isWordCharacter(unit: number): boolean {
  return isAlnum(unit) || unit === UNDERSCORE;
}

const UNDERSCORE = 95;
/** How far before a number the word can stand that says what it is. */
const LOOK_BACK = 64;
const NO_NUMBERS: readonly NumberText[] = [];
/** Characters of two numbers that follow one another. */
const MAX_TWO = 40;

/** Part of an id, a path, a version or a decimal number. */
export function isGlued(number: NumberText, text: string): boolean {
  const before = number.before.slice(-1);
  const after = text.slice(number.end, number.end + 2);
  return /[\w/\-.@#$%]/.test(before) || /^[-./:@][A-Za-z0-9]/.test(after);
}
