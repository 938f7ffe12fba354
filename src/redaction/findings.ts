import { markersIn } from './marker.ts';
import type { Finding } from './scanner.ts';

/**
 * One list in order of place, without overlaps: what overlaps is hidden as one, named by the rule of the best
 * rank. What touches a marker of an earlier redaction is dropped, which makes redaction idempotent.
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
