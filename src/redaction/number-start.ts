import { unitsOf } from '../base/units.ts';
import { endsEscape, isAlnum, isDigit, isLetter, isUpper, isWordStart } from './characters.ts';

/**
 * Whether a number starts at `at` that is long enough for any rule: seven digits, six in groups, four
 * with three dots, an IBAN (two letters and two digits), or an id of a person that begins with letters.
 */
export function mayBePersonalNumber(text: string, at: number, units: Uint16Array): boolean {
  return startsNumber(text, at, units, false);
}

/** Whether one starts there, or may when the text goes on. */
export function isOpenNumberStart(text: string, at: number): boolean {
  const from = Math.max(0, at - MAX_LOOK_BACK);
  const part = text.slice(from, at + MAX_LOOK_AHEAD + 1);
  return startsNumber(part, at - from, unitsOf(part), true);
}

const MAX_LOOK_BACK = 24;
const MAX_LOOK_AHEAD = 24;

/**
 * @param units those of the text
 * @param atEnd the answer where the text ends before it is certain
 */
function startsNumber(text: string, at: number, units: Uint16Array, atEnd: boolean): boolean {
  const before = units[at - 1] as number;
  // Part of an id, a date or a version: no rule takes such a number.
  if (before === DASH || before === UNDERSCORE) return false;
  if (isLetter(before) && !endsEscape(text, at)) {
    return (
      isLetter(units[at - 2] as number) &&
      (isDigit(units[at + 1] as number) || (atEnd && at + 1 === text.length)) &&
      (isWordStart(text, at - 2) || standsBehindCapitals(text, at, units))
    );
  }
  // In a row of single digits the first one was looked at, and all that it reaches.
  const isSingle = before === SPACE_SIGN && isSingleDigit(units, at) && isSingleDigit(units, at - 2);
  if (isSingle && !(atEnd && at + 1 === text.length)) return false;
  let digits = 0;
  let dots = 0;
  let gaps = 0;
  for (let i = at; i < at + MAX_LOOK_AHEAD; i++) {
    if (atEnd && i >= text.length) return true;
    const unit = units[i] as number;
    if (isDigit(unit)) digits++;
    else if (unit === DOT) dots++;
    else if (unit === SPACE_SIGN || unit === DASH) gaps++;
    else if ((unit < 40 || unit > 47) && !isWide(unit)) break;
    if (digits >= 7 || (dots === 3 && digits >= 4)) return true;
  }
  return digits === 6 && gaps > 0;
}

/** Four or six capitals and nothing before them, as ids of people in Mexico and Italy begin. */
function standsBehindCapitals(text: string, at: number, units: Uint16Array): boolean {
  let start = at;
  while (at - start < 7 && isUpper(units[start - 1] as number)) start--;
  return (at - start === 4 || at - start === 6) && isWordStart(text, start);
}

function isSingleDigit(units: Uint16Array, at: number): boolean {
  return (
    isDigit(units[at] as number) && !isDigit(units[at + 1] as number) && !isAlnum(units[at - 1] as number)
  );
}

/** Between the groups of a card number, where it was written in columns, rows or names of files. */
function isWide(unit: number): boolean {
  return unit === UNDERSCORE || unit === 9 || unit === 10 || unit === 13;
}

const SPACE_SIGN = 32;
const DOT = 46;
const DASH = 45;
const UNDERSCORE = 95;

/** Of the number of a card, an account or a person nothing is longer. */
const MAX_NUMBER = 48;
/** Eight digits or more in groups, six or more behind a plus or with a trunk prefix, or the beginning of an IBAN or of an id of letters, at the end of a text. */
const OPEN_NUMBER =
  /(?<![\w.])(?:\+?\(?\d(?:[ .\-()/]{0,2}\d){7,}|(?:\+\d|\(?0[1-9])(?:[ .\-()/]{0,2}\d){4,}|[A-Z]{6}\d\d[A-EHLMPRST][A-Z\d]{0,6}|[A-Z]{4}\d{6}[HMX][A-Z\d]{0,6}|(?:[A-Z]{2}\d\d(?: ?[A-Z\d]){3,}|[a-z]{2}\d\d(?=[a-z]{0,6}\d)[a-z\d]{3,}))[ .\-(]{0,2}$/;
const WHOLE_DATE = /^(?:19|20)\d\d[-./]\d\d[-./]\d\d\W?$/;

/** Where a number starts, from `from` on, that the text ends in and that may go on as one that is hidden. */
export function openNumber(text: string, from: number): number | undefined {
  const start = Math.max(from, text.length - MAX_NUMBER);
  const number = OPEN_NUMBER.exec(text.slice(start));
  return number && !WHOLE_DATE.test(number[0]) ? start + number.index : undefined;
}
