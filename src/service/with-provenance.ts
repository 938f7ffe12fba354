import { promptProvenance } from '../correlation/prompt-provenance.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';

/** The reader's nodes say what their prompts were made of: worked out when asked, from what is kept. */
export function withProvenance(reader: ReaderApi, graph: Pick<GraphReader, 'node' | 'inEdges'>): ReaderApi {
  const explained = (detail: NodeDetail): NodeDetail => {
    const before = graph.inEdges(detail.node.id).flatMap(({ from }) => graph.node(from) ?? []);
    const provenance = promptProvenance(detail, before);
    return provenance === undefined ? detail : { ...detail, promptProvenance: provenance };
  };
  return {
    ...reader,
    getNode: (nodeId, page) => {
      const detail = reader.getNode(nodeId, page);
      return detail instanceof Promise ? detail.then(explained) : explained(detail);
    },
  };
}
