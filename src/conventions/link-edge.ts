import type { SpanLinkFacts } from '../model/facts.ts';
import { EDGE_RELATIONS, EVIDENCE } from '../model/node.ts';
import type { SpanLink } from '../model/records.ts';
import { EDGE } from '../model/retold.ts';
import { oneOf } from './read.ts';

/** The edge that a link stands for; of a link without these words it is what any link is. */
export function linkEdge({ traceId, spanId, attributes }: SpanLink): SpanLinkFacts {
  const relation = oneOf(EDGE_RELATIONS, attributes.get(EDGE.relation));
  const evidence = oneOf(EVIDENCE, attributes.get(EDGE.evidence));
  return { traceId, spanId, ...(relation && { relation }), ...(evidence && { evidence }) };
}
