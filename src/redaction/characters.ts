/** Tests on UTF-16 units, for the code that looks around a place without a regular expression. */

/** Letters of scripts that are written without blanks, for a class of a pattern: beside them a word can begin or end. */
export const UNSPACED = String.raw`\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3`;

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || isUpper(code);
}

export function isAlnum(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

export function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}

const BACKSLASH = 92;
const PERCENT = 37;

/**
 * Whether a word can start at `at`. The letter of an escape (`\n`) and the digits of a percent code (`%3D`) do
 * not belong to the word that follows them.
 */
export function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  return !isAlnum(before) || endsEscape(text, at);
}

const SMALL_M = 109;
/** ECMA-48 colours and weights, as terminals write them. */
const COLOUR = /(?:\p{Cc}|\\x1b|\\u001b|\\e|\\033)\[[\d;]{0,8}m$/iu;

/** Whether `\n`, `\t` and the like, `%XX`, or a terminal's colour code, end just before `at`. */
export function endsEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (
    before === SMALL_M &&
    !isLetter(text.charCodeAt(at - 2)) &&
    COLOUR.test(text.slice(Math.max(0, at - 16), at))
  )
    return true;
  if (at >= 2 && text.charCodeAt(at - 2) === BACKSLASH)
    return before === 110 || before === 114 || before === 116;
  return at >= 3 && text.charCodeAt(at - 3) === PERCENT && isHex(text.charCodeAt(at - 2)) && isHex(before);
}

/** Up to `length` characters that stand before `at`. */
export function textBefore(text: string, at: number, length: number): string {
  return text.slice(Math.max(0, at - length), at);
}

const ESCAPES = /\\[nrt]|(?:(?<=\p{Cc})|\\(?:x1b|u001b|e|033))\[[\d;]{0,8}m/giu;

/** With blanks for escapes and a terminal's colour codes, of which no letter belongs to the word behind it. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPES, (escape) => ' '.repeat(escape.length));
}

/** What stands before `at`, without escapes. */
export function wordsBefore(text: string, at: number, length: number): string {
  return withoutEscapes(textBefore(text, at, length));
}

/** No escape and no colour code is longer. */
export const MAX_ESCAPE = 16;

/** As much as tells whether a word goes on at `at`, for a pattern that looks at the last character or two. */
export function signsBefore(text: string, at: number): string {
  return wordsBefore(text, at, MAX_ESCAPE);
}
