import { BoundaryError } from '../base/boundary-error.ts';
import type { CotText, StepTexts } from '../model/facts.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { TaskSummary } from '../model/summary.ts';
import { thoughtOf, withTail } from '../model/thought-text.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ArchivedNode, RecordStore, SourceRecord } from '../storage/record-store.ts';
import { nodeDetail } from '../subscriptions/node-detail.ts';
import type { Reader } from '../subscriptions/reader.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';

export interface ArchivedReaderOptions {
  readonly reader: Reader;
  readonly store: RecordStore | undefined;
  /** Sees that the texts of nodes in memory can be got. */
  readonly loadTexts: (nodeIds: readonly string[]) => Promise<void>;
  /** The nodes of a task in memory. */
  readonly nodesOf: (taskId: string) => Iterable<string>;
  /** What of a node's thought is in memory. */
  readonly partsOf: (nodeId: string) => readonly CotText[];
  /** Has a model phrase a summary; absent where rules do. */
  readonly phrase?: ((summary: TaskSummary) => Promise<TaskSummary>) | undefined;
  /** Whether the end of a request's thought must not be shown yet. */
  readonly isHeldBack: IsHeldBack;
}

type IsHeldBack = (requestId: string) => boolean;

/** The reader's answers; texts, and nodes that left memory, come from the store. */
export function withArchive(options: ArchivedReaderOptions): ReaderApi {
  const { reader, store, isHeldBack } = options;
  const nodesOf = async (taskId: string): Promise<readonly string[]> => {
    const ids = new Set(options.nodesOf(taskId));
    for await (const page of store?.archivedTask(taskId) ?? []) for (const { node } of page) ids.add(node.id);
    return [...ids];
  };
  const wholeTask = async (taskId: string): Promise<readonly ExplanationNode[]> => {
    const nodes = new Map<string, ExplanationNode>();
    for await (const page of store?.archivedTask(taskId) ?? [])
      for (const { node } of page) nodes.set(node.id, node);
    // What is in memory again goes before what it was when it left.
    for (const node of await reader.nodesInMemory(taskId)) nodes.set(node.id, node);
    return [...nodes.values()];
  };
  const textsOf = async (nodeIds: readonly string[]): Promise<(nodeId: string) => StepTexts> => {
    await options.loadTexts(nodeIds);
    const left = new Map<string, StepTexts>();
    await Promise.all(
      nodeIds.map(async (id) => {
        const found = reader.textsInMemory(id) ? undefined : await store?.archivedNode(id);
        if (found) left.set(id, detailOf(found, isHeldBack).texts ?? {});
      }),
    );
    return (id) => left.get(id) ?? reader.textsInMemory(id) ?? {};
  };
  const api: ReaderApi = {
    subscribe: (request, sink, requestId) => reader.subscribe(request, sink, requestId),
    updateFilters: (id, filters, requestId) => reader.updateFilters(id, filters, requestId),
    expand: (id, nodeId, requestId) => reader.expand(id, nodeId, requestId),
    collapse: (id, nodeId, requestId) => reader.collapse(id, nodeId, requestId),
    expandTask: (id, taskId, requestId) => reader.expandTask(id, taskId, requestId),
    unsubscribe: (id) => reader.unsubscribe(id),
    prune: (olderThanMinutes) => reader.prune(olderThanMinutes),
    listTasks: (query) => reader.listTasks(query),
    why: (question) => reader.why(question, textsOf),
    spikes: (taskId) => reader.spikes(taskId),
    compare: (question) => reader.compare(question, textsOf),
    summary: async (taskId) => {
      const summary = await reader.summary(taskId, textsOf);
      return (await options.phrase?.(summary)) ?? summary;
    },
    patterns: (filters) => reader.patterns(filters, wholeTask),
    getNode: async (nodeId, page): Promise<NodeDetail> => {
      let found: ArchivedNode | undefined;
      if (typeof nodeId === 'string') {
        found = await store?.archivedNode(nodeId);
        await options.loadTexts([nodeId]);
      }
      try {
        const detail = reader.getNode(nodeId, page);
        return found ? withEarlier(detail, found, isHeldBack, options.partsOf(detail.node.id)) : detail;
      } catch (error) {
        if (!(error instanceof BoundaryError) || error.code !== 'NOT_FOUND') throw error;
        return found ? detailOf(found, isHeldBack) : reader.getRecalledNode(nodeId, page);
      }
    },
    search: (query) => reader.search(query, { nodesOf, node: (nodeId) => api.getNode(nodeId) }),
    getGraph: (request): Promise<ExplanationGraph> => reader.getWholeGraph(request),
  };
  return api;
}

function detailOf({ node, records }: ArchivedNode, isHeldBack: IsHeldBack): NodeDetail {
  return nodeDetail(node, {
    sourcesOf: () =>
      records.map(({ facts, texts }) => ({
        ...(facts.kind === 'span' && { spanId: facts.spanId }),
        ...texts,
      })),
    thoughtOf: () => thoughtIn(records, isHeldBack),
  });
}

/** A node that left memory and came again: with the texts that it left with. @param inMemory parts of its thought */
function withEarlier(
  detail: NodeDetail,
  found: ArchivedNode,
  isHeldBack: IsHeldBack,
  inMemory: readonly CotText[],
): NodeDetail {
  const earlier = detailOf(found, isHeldBack);
  const reasoning = thoughtIn(found.records, isHeldBack, inMemory);
  const texts = { ...earlier.texts, ...detail.texts, ...(reasoning !== '' && { reasoning }) };
  const attributes = { ...earlier.attributes, ...detail.attributes };
  return {
    ...detail,
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

/** Several records may tell of one state of a part. @param inMemory newer ones */
function thoughtIn(
  records: readonly SourceRecord[],
  isHeldBack: IsHeldBack,
  inMemory: readonly CotText[] = [],
): string {
  const parts = new Map<number, CotText>();
  for (const facts of [...records.map((record) => record.facts), ...inMemory])
    if (facts.kind === 'cot' && facts.revision >= (parts.get(facts.part)?.revision ?? 0))
      parts.set(facts.part, facts);
  const inOrder = [...parts.values()].sort((a, b) => a.part - b.part);
  return thoughtOf(inOrder.map((part) => (isHeldBack(part.requestId) ? part : withTail(part))));
}
