import { BoundaryError } from '../base/boundary-error.ts';
import type { CotText } from '../model/facts.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ArchivedNode, RecordStore, SourceRecord } from '../storage/record-store.ts';
import { nodeDetail } from '../subscriptions/node-detail.ts';
import type { Reader } from '../subscriptions/reader.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';

export interface ArchivedReaderOptions {
  readonly reader: Reader;
  readonly store: RecordStore | undefined;
  /** Sees that the texts of a node in memory can be got. */
  readonly loadTexts: (nodeId: string) => Promise<void>;
}

/** The reader's answers; texts, and nodes that left memory, come from the store. */
export function withArchive(options: ArchivedReaderOptions): ReaderApi {
  const { reader, store } = options;
  return {
    subscribe: (request, sink, requestId) => reader.subscribe(request, sink, requestId),
    updateFilters: (id, filters) => reader.updateFilters(id, filters),
    expand: (id, nodeId) => reader.expand(id, nodeId),
    collapse: (id, nodeId) => reader.collapse(id, nodeId),
    expandTask: (id, taskId) => reader.expandTask(id, taskId),
    unsubscribe: (id) => reader.unsubscribe(id),
    prune: (olderThanMinutes) => reader.prune(olderThanMinutes),
    listTasks: () => reader.listTasks(),
    why: (nodeId) => reader.why(nodeId),
    spikes: (taskId) => reader.spikes(taskId),
    getNode: async (nodeId, page): Promise<NodeDetail> => {
      if (typeof nodeId === 'string') await options.loadTexts(nodeId);
      try {
        return reader.getNode(nodeId, page);
      } catch (error) {
        if (!(error instanceof BoundaryError) || error.code !== 'NOT_FOUND') throw error;
        const found = await store?.archivedNode(String(nodeId));
        return found ? detailOf(found) : reader.getRecalledNode(nodeId, page);
      }
    },
    getGraph: (request): Promise<ExplanationGraph> => reader.getWholeGraph(request),
  };
}

function detailOf({ node, records }: ArchivedNode): NodeDetail {
  return nodeDetail(node, {
    sourcesOf: () =>
      records.map(({ facts, texts }) => ({
        ...(facts.kind === 'span' && { spanId: facts.spanId }),
        ...texts,
      })),
    thoughtOf: () => thoughtIn(records),
  });
}

/** Several records may tell of one state of a part. */
function thoughtIn(records: readonly SourceRecord[]): string {
  const parts = new Map<number, CotText>();
  for (const { facts } of records)
    if (facts.kind === 'cot' && facts.revision >= (parts.get(facts.part)?.revision ?? 0))
      parts.set(facts.part, facts);
  return [...parts.values()]
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.part - b.part)
    .map(({ text }) => text)
    .join('\n');
}
