/** Line breaks, and what is not shown as the blanks it takes. */
const BREAK = /[\t-\r\u0085\u2028\u2029]|  /;

/** A text on one line: each run of blanks and line breaks is one blank, and none stands at the ends. */
export function oneLine(text: string): string {
  // Most texts are on one line already, and to look is several times faster than to replace.
  return (BREAK.test(text) ? text.replace(/[\s\u0085]{2,}|[^\S ]|\u0085/g, ' ') : text).trim();
}
