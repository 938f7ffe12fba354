import { endOf } from '../model/failure.ts';
import type { ExplanationNode } from '../model/node.ts';

/** The earliest start first; ids make it whole. */
export function byStart(a: ExplanationNode, b: ExplanationNode): number {
  return a.timestamp !== b.timestamp ? (a.timestamp < b.timestamp ? -1 : 1) : byId(a, b);
}

/** The earliest end first. */
export function byEnd(a: ExplanationNode, b: ExplanationNode): number {
  return endOf(a) - endOf(b) || byId(a, b);
}

function byId(a: ExplanationNode, b: ExplanationNode): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
