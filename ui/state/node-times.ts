import type { ExplanationNode } from '../../src/client/browser.ts';
import { startOf } from '../../src/model/in-time.ts';

export { startOf };

/** Epoch ms; undefined while it runs. */
export function endOf(node: ExplanationNode): number | undefined {
  return node.state === 'RUNNING' ? undefined : startOf(node) + (node.latencyMs ?? 0);
}

/** By start, then by id: the order of reading, the same everywhere. */
export function byStart(a: ExplanationNode, b: ExplanationNode): number {
  return startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1);
}
