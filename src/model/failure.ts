import { parseTime } from './time.ts';
import type { ExplanationNode } from './node.ts';

/** An error, or a warning such as a rule violation that a critic found. */
export function hasFailed(node: ExplanationNode): boolean {
  return node.status === 'ERROR' || node.status === 'WARNING';
}

/** Epoch ms: when the step ended, or started when that is all that is known. */
export function endOf(node: ExplanationNode): number {
  return (parseTime(node.timestamp) ?? 0) + (node.latencyMs ?? 0);
}
