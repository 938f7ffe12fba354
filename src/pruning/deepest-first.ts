import assert from 'node:assert/strict';
import type { ExplanationEdge } from '../model/node.ts';
import { isTreeEdge } from './step-tree.ts';

/**
 * Edges so that those beside the tree come first, and of the others those further down last: a branch that is whole is hung with one
 * step, whereas step by step each costs as much as what is above it by then. The edges have no cycle.
 */
export function deepestFirst(edges: Iterable<ExplanationEdge>): ExplanationEdge[] {
  const below = new Map<string, ExplanationEdge[]>();
  const led = new Set<string>();
  const ordered: ExplanationEdge[] = [];
  for (const edge of edges) {
    if (!isTreeEdge(edge)) {
      ordered.push(edge);
      continue;
    }
    led.add(edge.to);
    const siblings = below.get(edge.from);
    if (siblings) siblings.push(edge);
    else below.set(edge.from, [edge]);
  }
  let level = [...below.keys()].filter((id) => !led.has(id));
  while (level.length > 0) {
    const next: string[] = [];
    for (const id of level) {
      for (const edge of below.get(id) ?? []) {
        ordered.push(edge);
        next.push(edge.to);
      }
      below.delete(id);
    }
    level = next;
  }
  assert(below.size === 0, 'edges that are linked together have no cycle');
  return ordered;
}
