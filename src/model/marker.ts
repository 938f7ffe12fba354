/** Longest marker, in characters. */
const MAX_MARKER_CHARS = 36;

/**
 * What stands in the place of what redaction hides: `[EMAIL:k3f9mzq2ab]`. With six characters more it is a tag: what is
 * kept, and never shown (`redaction/shown-markers.ts`).
 */
export const MARKER = /\[(?:[A-Z_]{2,16}:[a-z2-7]{10}(?:[a-z2-7]{6})?|REDACTION_ERROR|CODE_CUT:\d{1,12})\]/g;

const TAG = /\[[A-Z_]{2,16}:[a-z2-7]{16}\]/g;
const MORE_IN_TAG = 6;

/** Characters of a text that is kept, when markers stand in the places of its tags. */
export function shownLength(text: string): number {
  const tags = text.includes('[') ? (text.match(TAG)?.length ?? 0) : 0;
  return text.length - tags * MORE_IN_TAG;
}

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
