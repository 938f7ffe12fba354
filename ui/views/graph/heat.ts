import type { ExplanationNode } from '../../../src/client/browser.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import type { Heat } from './graph-state.ts';

const STEPS = 5;

function valueOf(node: ExplanationNode, by: Heat): number {
  if (by === 'cost') return node.summary?.totalCostUsd ?? node.costUsd ?? 0;
  return node.latencyMs ?? 0;
}

/** The greatest value among the cards. */
export function hottest(store: GraphStore, cards: Iterable<string>, by: Heat): number {
  let most = 0;
  for (const id of cards) {
    const node = store.nodes.get(id);
    if (node) most = Math.max(most, valueOf(node, by));
  }
  return most;
}

/** From 1 (cool) to 5 (the hottest); 0 without a value. Roots, since a few steps cost most of it all. */
export function heatOf(node: ExplanationNode, by: Heat, most: number): number {
  const value = valueOf(node, by);
  if (value <= 0 || most <= 0) return 0;
  return Math.min(STEPS, Math.max(1, Math.ceil(Math.sqrt(value / most) * STEPS)));
}
