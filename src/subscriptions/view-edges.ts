import { byEvidence } from '../graph/acyclic-edges.ts';
import { bridgeId, edgeId } from '../model/ids.ts';
import type { ExplanationEdge } from '../model/node.ts';

/** An edge into a folded node leads into its summary. */
export function redirect(edge: ExplanationEdge, target: string): ExplanationEdge {
  return {
    id: edgeId(edge.from, edge.relation, target),
    from: edge.from,
    to: target,
    relation: edge.relation,
    evidence: edge.evidence,
  };
}

/** A bridged edge says what the last hop of its path says. */
export function bridge(from: string, to: string, last: ExplanationEdge): ExplanationEdge {
  return {
    id: bridgeId(from, to),
    from,
    to,
    relation: last.relation,
    evidence: last.evidence,
    bridged: true,
  };
}

/** Of several edges for one place the one with the strongest evidence stays, whatever their order. */
export function addStronger(edges: Map<string, ExplanationEdge>, edge: ExplanationEdge, key = edge.id): void {
  const held = edges.get(key);
  if (
    !held ||
    byEvidence(edge, held) < 0 ||
    (byEvidence(edge, held) === 0 && edge.relation < held.relation)
  ) {
    edges.set(key, edge);
  }
}
