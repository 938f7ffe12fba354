import { BoundaryError } from '../base/boundary-error.ts';
import type { CotText, StepTexts } from '../model/facts.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ArchivedNode, RecordStore } from '../storage/record-store.ts';
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

/** As `nodeDetail` makes it of a node in memory. */
function detailOf({ node, records }: ArchivedNode): NodeDetail {
  let texts: StepTexts = {};
  const attributes: { [spanId: string]: { readonly [key: string]: unknown } } = {};
  // Several records may tell of one state of a part.
  const thoughts = new Map<number, CotText>();
  for (const { facts, texts: kept } of records) {
    texts = { ...texts, ...kept?.texts };
    if (facts.kind === 'span' && kept?.attributes) attributes[facts.spanId] = kept.attributes;
    if (facts.kind === 'cot' && facts.revision >= (thoughts.get(facts.part)?.revision ?? 0))
      thoughts.set(facts.part, facts);
  }
  const thought = [...thoughts.values()]
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.part - b.part)
    .map(({ text }) => text)
    .join('\n');
  if (thought !== '') texts = { ...texts, reasoning: thought };
  return {
    node,
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}
