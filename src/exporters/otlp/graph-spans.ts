import { Multimap } from '../../base/multimap.ts';
import { spanKey } from '../../model/ids.ts';
import type { ExplanationEdge, ExplanationGraph } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SpanRecord } from '../../model/records.ts';
import { nodeSpan } from './node-span.ts';
import { spanIdsOf } from './span-ids.ts';

/**
 * Makes a span of each node of a graph.
 * @param graph whole, or what of it was asked for: without summaries
 */
export function spanMaker({ nodes, edges }: ExplanationGraph): (detail: NodeDetail) => SpanRecord {
  const ids = spanIdsOf(nodes);
  const keys = new Set([...ids.values()].map(({ traceId, spanId }) => spanKey(traceId, spanId)));
  const into = new Multimap<ExplanationEdge>();
  for (const edge of edges) into.add(edge.to, edge);
  const names = {
    idsOf: (id: string) => ids.get(id),
    has: ({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }) =>
      keys.has(spanKey(traceId, spanId)),
  };
  return (detail) => nodeSpan(detail, [...into.all(detail.node.id)], names);
}
