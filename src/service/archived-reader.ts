import { BoundaryError } from '../base/boundary-error.ts';
import type { CotText, OverrideFacts, StepTexts } from '../model/facts.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { broughtUnder, type SourceKey } from '../model/source-key.ts';
import type { TaskSummary } from '../model/summary.ts';
import { derivedThought, thoughtTexts, withTail } from '../model/thought-text.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import { recordKey } from '../storage/record-key.ts';
import type { ArchivedNode, RecordStore, SourceRecord } from '../storage/record-store.ts';
import type { SourceTexts } from '../storage/text-store.ts';
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
  /** What belongs to a node in memory, as readers see it. */
  readonly shown: (nodeId: string, texts: StepTexts) => StepTexts;
  /** What belongs to a node that left memory, as readers see it. */
  readonly shownOfLeft: <T extends Pick<NodeDetail, 'texts' | 'attributes'>>(
    node: ExplanationNode,
    brought: T,
    override: OverrideFacts | undefined,
  ) => T;
  /** Where texts of a node in memory are that came with records behind others. */
  readonly borrowedBy: (nodeId: string) => readonly SourceKey[];
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
  /** What these records brought, whose nodes may be in memory or not. */
  const lent = async (keys: readonly SourceKey[]): Promise<ReadonlyMap<string, SourceTexts>> => {
    const found = new Map<string, SourceTexts>();
    for (const { key, behind } of keys) {
      const left = behind === undefined ? undefined : await store?.archivedNode(behind);
      const texts = (left && textsBySource(left.records).get(key)) ?? (await store?.texts([key]))?.get(key);
      if (texts) found.set(key, texts);
    }
    return found;
  };
  /** The texts of a node in memory that came with records of others, which may have left. */
  const lentTo = async (nodeId: string): Promise<StepTexts | undefined> => {
    const keys = options.borrowedBy(nodeId);
    if (keys.length === 0) return undefined;
    const found = await lent(keys);
    const texts = broughtUnder(keys, (key) => found.get(key)).map((brought) => brought.texts);
    return options.shown(nodeId, Object.assign({}, ...texts) as StepTexts);
  };
  const shown = <T extends Pick<NodeDetail, 'texts' | 'attributes'>>(
    { node, override }: ArchivedNode,
    brought: T,
  ): T => options.shownOfLeft(node, brought, override);
  const archived = async (found: ArchivedNode | undefined): Promise<NodeDetail | undefined> =>
    found && shown(found, detailOf(found, isHeldBack, await lent(found.borrowed ?? [])));
  const textsOf = async (nodeIds: readonly string[]): Promise<(nodeId: string) => StepTexts> => {
    await options.loadTexts(nodeIds);
    const left = new Map<string, StepTexts>();
    await Promise.all(
      nodeIds.map(async (id) => {
        const isHere = reader.textsInMemory(id) !== undefined;
        const detail = isHere ? undefined : await archived(await store?.archivedNode(id));
        const texts = isHere ? await lentTo(id) : detail?.texts;
        if (texts) left.set(id, texts);
      }),
    );
    return (id) => ({ ...left.get(id), ...reader.textsInMemory(id) });
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
    why: (question, detail) => reader.why(question, detail, textsOf),
    spikes: (taskId) => reader.spikes(taskId),
    compare: (question, detail) => reader.compare(question, detail, textsOf),
    summary: async (taskId, detail) => {
      const summary = await reader.summary(taskId, detail, textsOf);
      if (detail) return summary;
      return (await options.phrase?.(summary)) ?? summary;
    },
    patterns: (filters, detail) => reader.patterns(filters, detail, wholeTask),
    adaptationEffect: (timeline) => reader.adaptationEffect(timeline, wholeTask),
    getNode: async (nodeId, page): Promise<NodeDetail> => {
      let found: ArchivedNode | undefined;
      let earlier: NodeDetail | undefined;
      let texts: StepTexts | undefined;
      if (typeof nodeId === 'string') {
        found = await store?.archivedNode(nodeId);
        earlier = await archived(found);
        texts = await lentTo(nodeId);
        await options.loadTexts([nodeId]);
      }
      try {
        const detail = withTexts(reader.getNode(nodeId, page), texts);
        if (!found || !earlier) return detail;
        return withEarlier(
          detail,
          earlier,
          shown(found, {
            texts: options.shown(
              detail.node.id,
              thoughtIn(found.records, isHeldBack, options.partsOf(detail.node.id)),
            ),
          }).texts,
        );
      } catch (error) {
        if (!(error instanceof BoundaryError) || error.code !== 'NOT_FOUND') throw error;
        return earlier ?? reader.getRecalledNode(nodeId, page);
      }
    },
    search: (query) => reader.search(query, { nodesOf, node: (nodeId) => api.getNode(nodeId) }),
    getGraph: (request, isWanted, detail): Promise<ExplanationGraph> =>
      reader.getWholeGraph(request, isWanted, detail),
  };
  return api;
}

/** @param lent texts that came with records behind other nodes */
function detailOf(
  { node, records, sources, borrowed = [] }: ArchivedNode,
  isHeldBack: IsHeldBack,
  lent: ReadonlyMap<string, SourceTexts>,
): NodeDetail {
  const own = textsBySource(records);
  const spans = new Map(
    records.flatMap(({ facts }) =>
      facts.kind === 'span' ? [[recordKey(facts).source, facts.spanId] as const] : [],
    ),
  );
  // What it left with an earlier time, and what is no longer behind it since, is the weakest.
  const before = [...own.keys()].filter((key) => !sources.includes(key));
  const keys: SourceKey[] = [...before, ...sources].map((key) => {
    const spanId = spans.get(key);
    return spanId === undefined ? { key } : { key, spanId };
  });
  return nodeDetail(node, {
    sourcesOf: () => broughtUnder([...keys, ...borrowed], (key) => own.get(key) ?? lent.get(key)),
    thoughtOf: () => (records.length === 0 ? derivedThought(node) : thoughtIn(records, isHeldBack)),
  });
}

/** Of several states of a record the last one's, as of one in memory. */
function textsBySource(records: readonly SourceRecord[]): ReadonlyMap<string, SourceTexts> {
  const found = new Map<string, SourceTexts>();
  for (const { facts, texts } of records) if (texts) found.set(recordKey(facts).source, texts);
  return found;
}

/** @param weaker yields to what the node has itself */
function withTexts(detail: NodeDetail, weaker: NodeDetail['texts']): NodeDetail {
  const texts = { ...weaker, ...detail.texts };
  return Object.keys(texts).length === 0 ? detail : { ...detail, texts };
}

/** A node that left memory and came again: with the texts that it left with. @param thought of both times */
function withEarlier(detail: NodeDetail, earlier: NodeDetail, thought: StepTexts): NodeDetail {
  const attributes = { ...earlier.attributes, ...detail.attributes };
  const whole = withTexts(detail, earlier.texts);
  return {
    ...whole,
    ...(Object.keys(thought).length > 0 && { texts: { ...whole.texts, ...thought } }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

/** Several records may tell of one state of a part. @param inMemory newer ones */
function thoughtIn(
  records: readonly SourceRecord[],
  isHeldBack: IsHeldBack,
  inMemory: readonly CotText[] = [],
): StepTexts {
  const parts = new Map<number, CotText>();
  for (const facts of [...records.map((record) => record.facts), ...inMemory])
    if (facts.kind === 'cot' && facts.revision >= (parts.get(facts.part)?.revision ?? 0))
      parts.set(facts.part, facts);
  const inOrder = [...parts.values()].sort((a, b) => a.part - b.part);
  return thoughtTexts(inOrder.map((part) => (isHeldBack(part.requestId) ? part : withTail(part))));
}
