/** Line breaks, and what is not shown as the blanks it takes. */
const BREAKS = ['\n', '  ', '\t', '\r', '\u2028', '\u2029', '\v', '\f', '\u0085'];

/** A text on one line: each run of blanks and line breaks is one blank, and none stands at the ends. */
export function oneLine(text: string): string {
  // Most texts are on one line already, and looking for nine strings is several times faster than a pattern.
  for (const sign of BREAKS)
    if (text.includes(sign)) return text.replace(/[\s\u0085]{2,}|[^\S ]|\u0085/g, ' ').trim();
  return text.trim();
}
