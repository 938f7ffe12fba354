import type { WhyAnswer } from '../../../src/client/browser.ts';
import type { Highlight } from '../../state/task-context.ts';

/** The way back as the views show it: paths that are evidence, and the nodes at their ends. */
export function highlightOf({ nodeId, candidates }: WhyAnswer): Highlight {
  const nodes = new Set([nodeId]);
  const edges = new Set<string>();
  for (const candidate of candidates) {
    nodes.add(candidate.nodeId);
    for (const { evidence } of candidate.reasons) {
      for (const id of evidence.path) nodes.add(id);
      for (const id of evidence.edgeIds) edges.add(id);
    }
  }
  return { nodes, edges, candidates: candidates.map((candidate) => candidate.nodeId) };
}
