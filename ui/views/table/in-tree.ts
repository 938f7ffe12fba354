import type { ExplanationNode } from '../../../src/client/browser.ts';
import { EVIDENCE } from '../../../src/model/node.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { byStart } from '../../state/node-times.ts';

export interface TreeRow {
  readonly node: ExplanationNode;
  readonly depth: number;
}

/**
 * Every node once, below one of its causes: that of the strongest kind of evidence, the first by id among equals. So the
 * tree is a function of the graph, and the same live as after a reload.
 */
export function inTree({ nodes, edges }: Pick<GraphStore, 'nodes' | 'edges'>): readonly TreeRow[] {
  const parents = new Map<string, { readonly id: string; readonly rank: string }>();
  for (const { id, from, to, evidence } of edges.values()) {
    if (!nodes.has(from) || !nodes.has(to)) continue;
    const rank = `${EVIDENCE.indexOf(evidence)}${id}`;
    const held = parents.get(to);
    if (held === undefined || rank < held.rank) parents.set(to, { id: from, rank });
  }
  const children = Map.groupBy([...nodes.values()].sort(byStart), ({ id }) => parents.get(id)?.id ?? '');
  const rows: TreeRow[] = [];
  const waiting = (children.get('') ?? []).reverse().map((node) => ({ node, depth: 0 }));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    const depth = row.depth + 1;
    for (const node of (children.get(row.node.id) ?? []).reverse()) waiting.push({ node, depth });
  }
  return rows;
}
