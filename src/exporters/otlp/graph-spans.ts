import { atOnce } from '../../base/in-turns.ts';
import { Multimap } from '../../base/multimap.ts';
import { spanKey } from '../../model/ids.ts';
import type { ExplanationEdge, ExplanationGraph } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SpanRecord } from '../../model/records.ts';
import { inSteps } from '../rests.ts';
import { nodeSpan } from './node-span.ts';
import { spanIdsOf } from './span-ids.ts';

/** Makes the span of a node. */
export type SpanMaker = (detail: NodeDetail) => SpanRecord;

/**
 * Makes a span of each node of a graph.
 * @param graph whole, or what of it was asked for: without summaries
 */
export function spanMaker(graph: ExplanationGraph): SpanMaker {
  return atOnce(spanMakerInSteps(graph));
}

/** The same, of a large graph. */
export function* spanMakerInSteps({ nodes, edges }: ExplanationGraph): Generator<void, SpanMaker> {
  const ids = yield* spanIdsOf(nodes);
  const keys = new Set<string>();
  yield* inSteps(ids.values(), ({ traceId, spanId }) => keys.add(spanKey(traceId, spanId)));
  const into = new Multimap<ExplanationEdge>();
  yield* inSteps(edges, (edge) => into.add(edge.to, edge));
  const names = {
    idsOf: (id: string) => ids.get(id),
    has: ({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }) =>
      keys.has(spanKey(traceId, spanId)),
  };
  return (detail) => nodeSpan(detail, [...into.all(detail.node.id)], names);
}
