/** Longest marker, in characters. */
const MAX_MARKER_CHARS = 32;

/** What redaction puts in the place of what it hides: `[EMAIL:k3f9mzq2ab]`. */
export const MARKER = /\[(?:[A-Z_]{2,16}:[a-z2-7]{10}|REDACTION_ERROR|CODE_CUT:\d{1,12})\]/g;

const MARKER_HERE = new RegExp(MARKER.source, 'y');

/** Where to cut a text so that at most `end` UTF-16 units are left, and neither a marker nor a code point is cut in two. */
export function cutBefore(text: string, end: number): number {
  const open = text.lastIndexOf('[', end - 1);
  if (open >= 0 && open > end - MAX_MARKER_CHARS) {
    MARKER_HERE.lastIndex = open;
    if (MARKER_HERE.test(text) && MARKER_HERE.lastIndex > end) return open;
  }
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
