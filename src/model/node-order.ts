import { compareText } from './compare-text.ts';
import { endOf } from './failure.ts';
import type { ExplanationNode } from './node.ts';
import { compareIso } from './time.ts';

/** The earliest start first, of several what a copy of the run shows the same of; ids make it whole. */
export function byStart(a: ExplanationNode, b: ExplanationNode): number {
  return compareIso(a.timestamp, b.timestamp) || byLooks(a, b);
}

/** The order of reading: the earliest start first, of several the smaller id. */
export function byStartAndId(
  a: Pick<ExplanationNode, 'timestamp' | 'id'>,
  b: Pick<ExplanationNode, 'timestamp' | 'id'>,
): number {
  return compareIso(a.timestamp, b.timestamp) || compareText(a.id, b.id);
}

/** The earliest end first. */
export function byEnd(a: ExplanationNode, b: ExplanationNode): number {
  return endOf(a) - endOf(b) || byLooks(a, b);
}

/** Of steps that contain the same one: what lies within another comes after it. */
export function outermostFirst(a: ExplanationNode, b: ExplanationNode): number {
  const [latencyA, latencyB] = [a.latencyMs ?? Infinity, b.latencyMs ?? Infinity];
  return (
    compareIso(a.timestamp, b.timestamp) || (latencyA === latencyB ? 0 : latencyB - latencyA) || byLooks(a, b)
  );
}

/** Ids are others in each run: they decide last. */
function byLooks(a: ExplanationNode, b: ExplanationNode): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.agent, b.agent) ||
    compareText(a.title, b.title) ||
    compareText(a.promptSummary ?? '', b.promptSummary ?? '') ||
    compareText(a.id, b.id)
  );
}
