import { endOf } from './failure.ts';
import type { ExplanationNode } from './node.ts';
import { parseTime } from './time.ts';

/** Epoch ms. */
export function startOf({ timestamp }: Pick<ExplanationNode, 'timestamp'>): number {
  return parseTime(timestamp) ?? 0;
}

/** In ms, as exactly as a clock tells this start. Some cut it to milliseconds; a start and a length are each cut to microseconds here. */
export function resolutionOf(start: number): number {
  return Number.isInteger(start) ? 1 : 0.002;
}

/**
 * Did `next` begin when `node` had ended, as exactly as their clocks tell? Of two that began at one time neither did: their
 * order is not known, but where one led to the other.
 */
export function isAfter(next: ExplanationNode, node: ExplanationNode): boolean {
  if (node.state === 'RUNNING') return false;
  const [start, other] = [startOf(next), startOf(node)];
  return start > other && endOf(node) < start + Math.max(resolutionOf(start), resolutionOf(other));
}

/** Did both begin at one time, and had `node` ended before its clock went on? */
export function isAtOnce(next: ExplanationNode, node: ExplanationNode): boolean {
  const start = startOf(node);
  return node.state !== 'RUNNING' && startOf(next) === start && endOf(node) < start + resolutionOf(start);
}
