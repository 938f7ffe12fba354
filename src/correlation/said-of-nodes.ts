import { annotationIdOf, annotationsOf, ANNOTATION_KINDS, type Annotation } from '../model/annotation.ts';
import { approvalIdOfExpiry } from '../model/approval.ts';
import { compareText } from '../model/compare-text.ts';
import { eventRefs } from '../model/event-refs.ts';
import type { EventFacts } from '../model/facts.ts';
import { eventNodeId } from '../model/ids.ts';
import type { ExplanationNode } from '../model/node.ts';
import { toIso } from '../model/time.ts';

/** What people said of nodes, and what became of what agents asked them; by the node that it is about. */
export class SaidOfNodes {
  private readonly byNode = new Map<string, Map<string, EventFacts>>();

  /** @returns the node that it is about; undefined when it is about none, or somebody else's word */
  add(facts: EventFacts): string | undefined {
    const nodeId = aboutNode(facts);
    if (nodeId === undefined) return undefined;
    const ofNode = this.byNode.get(nodeId);
    if (ofNode) ofNode.set(facts.eventId, facts);
    else this.byNode.set(nodeId, new Map([[facts.eventId, facts]]));
    return nodeId;
  }

  /** @returns the node that it was about */
  delete(facts: EventFacts): string | undefined {
    const nodeId = aboutNode(facts);
    if (nodeId === undefined) return undefined;
    const ofNode = this.byNode.get(nodeId);
    ofNode?.delete(facts.eventId);
    if (ofNode?.size === 0) this.byNode.delete(nodeId);
    return nodeId;
  }

  /** In the order in which it was said. */
  of(nodeId: string): readonly EventFacts[] {
    const said = this.byNode.get(nodeId);
    return said
      ? [...said.values()].sort((a, b) => a.time - b.time || compareText(a.eventId, b.eventId))
      : [];
  }
}

/** Only the service itself says who said what. */
export function aboutNode(facts: EventFacts): string | undefined {
  const isOwn = annotationIdOf(facts) !== undefined || approvalIdOfExpiry(facts) !== undefined;
  return isOwn ? eventRefs(facts).nodeId : undefined;
}

/**
 * A node with what stands of what was said of it: what a later word replaces or withdraws does not.
 * @param said of the node, or of the one that it was made from @param partId of a node that was made from another
 */
export function withAnnotations(
  node: ExplanationNode,
  said: readonly EventFacts[],
  partId?: string,
): ExplanationNode {
  if (said.length === 0) return node;
  const replaced = new Set(said.map(({ payload }) => payload['replaces']));
  const standing = said.flatMap((facts) => {
    const id = annotationIdOf(facts);
    if (id === undefined || replaced.has(id)) return [];
    const annotation = annotationIn(id, facts);
    return annotation?.partId === partId && annotation ? [annotation] : [];
  });
  if (standing.length === 0) return node;
  // Another service that told of the node may have had some of its own.
  const ids = new Set(said.map(annotationIdOf));
  const told = annotationsOf(node).filter(({ id }) => !ids.has(id));
  return { ...node, details: { ...node.details, annotations: [...told, ...standing] } };
}

const SHOWN_FIELDS = ['text', 'verdict', 'decision', 'option', 'partId'] as const;

function annotationIn(id: string, { eventId, time, payload }: EventFacts): Annotation | undefined {
  const kind = ANNOTATION_KINDS.find((one) => one === payload['kind']);
  if (kind === undefined) return undefined;
  const told = SHOWN_FIELDS.filter((name) => payload[name] !== undefined).map((name) => [
    name,
    payload[name],
  ]);
  return {
    id,
    nodeId: eventNodeId(eventId),
    kind,
    by: String(payload['saidBy']),
    at: toIso(time),
    ...(Object.fromEntries(told) as Pick<Annotation, (typeof SHOWN_FIELDS)[number]>),
  };
}
