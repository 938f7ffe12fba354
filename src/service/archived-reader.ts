import { BoundaryError } from '../base/boundary-error.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { ArchivedNode, RecordStore } from '../storage/record-store.ts';
import type { Reader } from '../subscriptions/reader.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface ArchivedReaderOptions {
  readonly reader: Reader;
  readonly store: RecordStore | undefined;
  readonly graph: CausalGraph;
  readonly logger: Logger;
  /** Answers questions about any graph, as the reader does about the one in memory. */
  readonly readerOf: (graph: CausalGraph) => Pick<Reader, 'getGraph'>;
  /** Sees that the texts of a node in memory can be got. */
  readonly loadTexts: (nodeId: string) => Promise<void>;
}

/** Nodes that left memory and are put into one answer: it is made in memory, and sent as one. */
const MAX_ARCHIVED = 200_000;
/** Nodes that are put into a graph in one go. */
const SLICE_NODES = 500;

/** The reader's answers, nodes that left memory included: what is asked once comes from the store as well. */
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
        if (!found) throw error;
        return detailOf(found);
      }
    },
    getGraph: async (request): Promise<ExplanationGraph> => {
      const graph = store && wantsAll(request) ? await graphWithArchive(options, store, request) : undefined;
      return graph ? options.readerOf(graph).getGraph(request) : reader.getGraph(request);
    },
  };
}

type GraphRequest = { readonly collapse?: unknown; readonly filters?: { readonly taskIds?: unknown } };

/** What is wrong with a request is said by who reads all of it. */
function wantsAll(request: unknown): request is GraphRequest {
  return typeof request === 'object' && request !== null && (request as GraphRequest).collapse === 'none';
}

/** Undefined when nothing that is asked for left memory. */
async function graphWithArchive(
  { graph, logger }: ArchivedReaderOptions,
  store: RecordStore,
  { filters }: GraphRequest,
): Promise<CausalGraph | undefined> {
  const archived = await store.archivedTasks();
  const asked = Array.isArray(filters?.taskIds) ? new Set<unknown>(filters.taskIds) : undefined;
  const tasks = archived.filter((task) => asked?.has(task) ?? true);
  if (tasks.length === 0) return undefined;
  const nodes = new Map<string, ExplanationNode>();
  const edges = new Map<string, ExplanationEdge>();
  for (const task of tasks) {
    for await (const page of store.archivedTask(task)) {
      for (const left of page) {
        nodes.set(left.node.id, left.node);
        for (const edge of left.edges) edges.set(edge.id, edge);
      }
    }
    if (nodes.size <= MAX_ARCHIVED) continue;
    logger.warn({ nodes: nodes.size }, 'more left memory than one answer holds: ask for fewer tasks');
    break;
  }
  const { nodes: inMemory, edges: amongThem } = graph.everything();
  for (const node of inMemory) nodes.set(node.id, node);
  for (const edge of amongThem) edges.set(edge.id, edge);
  return graphOf(nodes, edges.values());
}

async function graphOf(
  nodes: ReadonlyMap<string, ExplanationNode>,
  edges: Iterable<ExplanationEdge>,
): Promise<CausalGraph> {
  const graph = new CausalGraph();
  await inSlices(nodes.values(), (node) => graph.putNode(node));
  const into = new Map<string, ExplanationEdge[]>();
  for (const edge of edges) {
    if (!nodes.has(edge.from) || !nodes.has(edge.to)) continue;
    const others = into.get(edge.to);
    if (others) others.push(edge);
    else into.set(edge.to, [edge]);
  }
  await inSlices(into, ([target, leading]) => graph.putInEdges(target, leading));
  return graph;
}

async function inSlices<T>(items: Iterable<T>, put: (item: T) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    put(item);
    if (++count % SLICE_NODES === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** As `nodeDetail` makes it of a node in memory. */
function detailOf({ node, records }: ArchivedNode): NodeDetail {
  let texts: StepTexts = {};
  const attributes: { [spanId: string]: { readonly [key: string]: unknown } } = {};
  const thoughts: { readonly part: number; readonly text: string }[] = [];
  for (const { facts, texts: kept } of records) {
    texts = { ...texts, ...kept?.texts };
    if (facts.kind === 'span' && kept?.attributes) attributes[facts.spanId] = kept.attributes;
    if (facts.kind === 'cot' && facts.text !== '') thoughts.push(facts);
  }
  const thought = thoughts
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
