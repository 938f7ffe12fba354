import { endOf } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';

/** The earliest start first, of several what a copy of the run shows the same of; ids make it whole. */
export function byStart(a: ExplanationNode, b: ExplanationNode): number {
  return order(a.timestamp, b.timestamp) || byLooks(a, b);
}

/** The earliest end first. */
export function byEnd(a: ExplanationNode, b: ExplanationNode): number {
  return endOf(a) - endOf(b) || byLooks(a, b);
}

/** Ids are others in each run: they decide last. */
function byLooks(a: ExplanationNode, b: ExplanationNode): number {
  return (
    order(a.name, b.name) ||
    order(a.agent, b.agent) ||
    order(a.title, b.title) ||
    order(a.promptSummary ?? '', b.promptSummary ?? '') ||
    order(a.id, b.id)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
