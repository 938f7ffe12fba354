import { isDigit } from './characters.ts';
import { markersIn } from './marker.ts';
import type { Finding } from './scanner.ts';

/**
 * Findings in order of offset, without overlaps: overlapping ones are merged under the rule of the best rank. Those
 * that touch a marker of an earlier redaction are dropped, which makes redaction idempotent.
 */
export function mergeFindings(
  text: string,
  found: readonly Finding[],
  rank: (finding: Finding) => number,
): readonly Finding[] {
  const markers = markersIn(text);
  const sorted = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Finding[] = [];
  let nextMarker = 0;
  for (const finding of sorted) {
    while ((markers[nextMarker]?.end ?? Infinity) <= finding.start) nextMarker++;
    if ((markers[nextMarker]?.start ?? Infinity) < finding.end) continue;
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    const rule = rank(finding) < rank(last) ? finding.rule : last.rule;
    merged[merged.length - 1] = { rule, start: last.start, end: Math.max(last.end, finding.end) };
  }
  return merged;
}

const GLUE_BEFORE = /[^\s"'`,([{<|=\]]/;
/** Nothing begins with it. */
const END_OF_SENTENCE = /^[.:!?]\s?$/;
const GLUE_AFTER = /[^\s"'`,;)\]}>|]/;
/** Digits that are read as one number with those of the finding, or as a row of figures. */
const DIGITS_BEFORE = /\d[\s.\-()/]{1,2}$/;
const DIGITS_AFTER = /^[\s.\-()/]{1,2}\d/;

/** Whether the text next to a finding could be a value of its own once the finding is gone. */
export function isGlued(text: string, findings: readonly Finding[]): boolean {
  return findings.some(({ start, end }) => isGluedBefore(text, start) || isGluedBehind(text, end));
}

function isGluedBefore(text: string, start: number): boolean {
  if (start > 0 && text.charCodeAt(start - 1) !== SPACE && GLUE_BEFORE.test(text.charAt(start - 1)))
    return true;
  const hasDigit = isDigit(text.charCodeAt(start - 2)) || isDigit(text.charCodeAt(start - 3));
  return hasDigit && DIGITS_BEFORE.test(text.slice(Math.max(0, start - 3), start));
}

function isGluedBehind(text: string, end: number): boolean {
  if (end >= text.length) return false;
  if (
    text.charCodeAt(end) !== SPACE &&
    GLUE_AFTER.test(text.charAt(end)) &&
    !END_OF_SENTENCE.test(text.slice(end, end + 2))
  )
    return true;
  const hasDigit = isDigit(text.charCodeAt(end + 1)) || isDigit(text.charCodeAt(end + 2));
  return hasDigit && DIGITS_AFTER.test(text.slice(end, end + 3));
}

const SPACE = 32;

/** The text with each finding made unreadable, of the same length, and bounded as a marker is. */
export function blank(text: string, findings: readonly Finding[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of findings) {
    const filler = end - start < 2 ? '\0' : `[${'\0'.repeat(end - start - 2)}]`;
    result += text.slice(copied, start) + filler;
    copied = end;
  }
  return result + text.slice(copied);
}
