import { endsEscape } from '../characters.ts';

/** Digits with the separators that people write between them: what cards, phones and accounts have in common. */

const DIGIT_GROUPS = /\d(?:[ .\-()/]{0,2}\d){5,18}/y;
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

/** Six to nineteen digits with the separators people use, and what leads to them: all there are, and the first number of two. */
export function numbersAt(text: string, at: number): readonly NumberText[] {
  DIGIT_GROUPS.lastIndex = at;
  const whole = DIGIT_GROUPS.exec(text)?.[0];
  if (whole === undefined) return NO_NUMBERS;
  const first = FIRST_OF_TWO.exec(text.slice(at, at + MAX_TWO))?.[0];
  const numbers = first === undefined ? [whole] : [whole, first];
  return numbers.flatMap((raw) => {
    const end = at + raw.length;
    if (/^\w/.test(text.charAt(end)) && !EXTENSION.test(text.slice(end, end + 14))) return [];
    const before = endsEscape(text, at) ? '' : text.slice(Math.max(0, at - LOOK_BACK), at);
    return [{ start: at, end, raw, digits: raw.replace(/\D/g, ''), before }];
  });
}

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
