import type { ExplanationNode } from '../../src/client/browser.ts';
import type { GraphStore } from './graph-store.ts';
import { endOf } from './node-times.ts';

/** From the root that took longest down to the step whose end its own end waited for. */
export function slowestPath(store: GraphStore): readonly ExplanationNode[] {
  // What a user asked leads to the root, and takes no time of its own.
  const isRoot = ({ id }: ExplanationNode): boolean =>
    store.causesOf(id).every(({ evidence }) => evidence !== 'parentSpanId');
  const roots = [...store.nodes.values()].filter(isRoot);
  const path: ExplanationNode[] = [];
  const seen = new Set<string>();
  let current = longest(roots);
  while (current && !seen.has(current.id)) {
    seen.add(current.id);
    path.push(current);
    const below = store.effectsOf(current.id).filter(({ evidence }) => evidence === 'parentSpanId');
    current = lastToEnd(below.map(({ to }) => store.nodes.get(to)).filter((node) => node !== undefined));
  }
  return path;
}

function longest(nodes: readonly ExplanationNode[]): ExplanationNode | undefined {
  return nodes.reduce<ExplanationNode | undefined>(
    (best, node) => ((node.latencyMs ?? 0) > (best?.latencyMs ?? -1) ? node : best),
    undefined,
  );
}

function lastToEnd(nodes: readonly ExplanationNode[]): ExplanationNode | undefined {
  // Whoever waits for a step that still runs waits longest for it.
  const end = (node: ExplanationNode): number => endOf(node) ?? Infinity;
  return nodes.reduce<ExplanationNode | undefined>(
    (best, node) => (best === undefined || end(node) > end(best) ? node : best),
    undefined,
  );
}
