import { endsEscape, isAlnum, isDigit, isLetter } from './characters.ts';

/** Whether a number starts at `at` that is long enough for any rule: seven digits, four with three dots, or an IBAN. */
export function mayBePersonalNumber(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  // Part of an id, a date or a version: no rule takes such a number.
  if (before === DASH || before === UNDERSCORE) return false;
  if (isLetter(before) && !endsEscape(text, at)) {
    // Two letters and two digits, as an IBAN begins.
    return (
      isLetter(text.charCodeAt(at - 2)) &&
      isDigit(text.charCodeAt(at + 1)) &&
      !isAlnum(text.charCodeAt(at - 3))
    );
  }
  // In a row of single digits the first one was looked at, and all that it reaches.
  if (before === SPACE_SIGN && isSingleDigit(text, at) && isSingleDigit(text, at - 2)) return false;
  let digits = 0;
  let dots = 0;
  for (let i = at; i < at + 24; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) digits++;
    else if (unit === DOT) dots++;
    else if (unit !== 32 && (unit < 40 || unit > 47)) break;
    if (digits >= 7 || (dots === 3 && digits >= 4)) return true;
  }
  return false;
}

function isSingleDigit(text: string, at: number): boolean {
  return (
    isDigit(text.charCodeAt(at)) && !isDigit(text.charCodeAt(at + 1)) && !isAlnum(text.charCodeAt(at - 1))
  );
}

const SPACE_SIGN = 32;
const DOT = 46;
const DASH = 45;
const UNDERSCORE = 95;
