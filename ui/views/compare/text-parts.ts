import { cutBefore } from '../../../src/model/marker.ts';

/** Of what both texts begin and end with so much is shown around what differs. */
const MAX_AROUND = 160;

export interface TextParts {
  /** What both have before and after it. */
  readonly before: string;
  readonly inA: string;
  readonly inB: string;
  readonly after: string;
}

/** Where two texts differ, and the words that both have around it; whole words are in one part. */
export function partsOf(a: string, b: string): TextParts {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  start = cutBefore(a, wordStart(a, start));
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  while (end > 0 && !/\s/.test(a[a.length - end] ?? '')) end--;
  const before = a.slice(0, start);
  const after = a.slice(a.length - end);
  return {
    before:
      before.length > MAX_AROUND ? `…${before.slice(wordStart(before, before.length - MAX_AROUND))}` : before,
    inA: a.slice(start, a.length - end),
    inB: b.slice(start, b.length - end),
    after:
      after.length > MAX_AROUND
        ? `${after.slice(0, cutBefore(after, wordStart(after, MAX_AROUND)))}…`
        : after,
  };
}

/** Where the word around a place begins. */
function wordStart(text: string, place: number): number {
  let start = place;
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start--;
  return start;
}
