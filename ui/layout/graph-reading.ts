import type { ExplanationEdge, ExplanationNode } from '../../src/client/browser.ts';
import type { GraphStore } from '../state/graph-store.ts';

/** What placing needs of the records. */
export type Records = Pick<GraphStore, 'nodes' | 'edges' | 'causesOf' | 'effectsOf'>;

/** An edge that says no more than that one span was opened inside another. */
export function isContainment({ evidence, relation, bridged }: ExplanationEdge): boolean {
  return evidence === 'parentSpanId' && relation === 'NEXT_STEP' && bridged !== true;
}

/** A step that only holds others (an agent's run, a workflow): a frame around them, no card of its own. */
export function isContainer(node: ExplanationNode, records: Records): boolean {
  return node.type === 'OTHER' && records.effectsOf(node.id).some(isContainment);
}

/** What led to a step, or to a container that holds it; a container among them stands for what led to it in turn. */
export function leadersOf(id: string, records: Records): readonly string[] {
  const found = new Set<string>();
  const seen = new Set([id]);
  const left = [id];
  for (let one = left.pop(); one !== undefined; one = left.pop())
    for (const { from } of records.causesOf(one)) {
      if (seen.has(from)) continue;
      seen.add(from);
      const node = records.nodes.get(from);
      if (node && isContainer(node, records)) left.push(from);
      else found.add(from);
    }
  return [...found];
}
