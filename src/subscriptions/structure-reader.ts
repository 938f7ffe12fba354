import { BoundaryError } from '../base/boundary-error.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { WantedNodes } from '../model/filters.ts';
import type { NodeDetail, ServerFrame } from '../model/reader-messages.ts';
import { parseFilters, parseRequest, parseSearchQuery, parseTaskQuery } from './parse-request.ts';
import type { ReaderApi, SubscriberSink } from './reader-api.ts';
import { structureOf, structureOfTask } from './structure-node.ts';

/** What each filter goes by. One that goes by texts would tell what they hold, by what it finds. */
const GOES_BY: { readonly [Name in keyof WantedNodes]-?: 'structure' | 'texts' } = {
  nodeTypes: 'structure',
  status: 'structure',
  taskIds: 'structure',
  traceIds: 'structure',
  sessionIds: 'structure',
  reasoningKinds: 'texts',
  contextPaths: 'texts',
  minCostUsd: 'structure',
  minLatencyMs: 'structure',
  agentNames: 'structure',
  timeRange: 'structure',
  text: 'texts',
};

/**
 * What somebody is given who may see structure, and no texts: for every server, since each of them is a translation of this
 * interface. What is worked out (views, why, compare, summary, patterns) is worked out from nodes without texts, so that no
 * answer goes by them; the rest loses them here. What could be asked of texts is refused.
 */
export function structureReader(reader: ReaderApi): ReaderApi {
  return {
    subscribe: (request, sink, requestId) => {
      refuseTexts(parseRequest(request).spec.filters);
      return reader.subscribe(request, structureSink(sink), requestId);
    },
    updateFilters: (id, filters, requestId) => {
      refuseTexts(parseFilters(filters));
      return reader.updateFilters(id, filters, requestId);
    },
    expand: (id, nodeId, requestId) => reader.expand(id, nodeId, requestId),
    collapse: (id, nodeId, requestId) => reader.collapse(id, nodeId, requestId),
    expandTask: (id, taskId, requestId) => reader.expandTask(id, taskId, requestId),
    unsubscribe: (id) => reader.unsubscribe(id),
    prune: (olderThanMinutes) => reader.prune(olderThanMinutes),
    getGraph: (request, isWanted) => {
      refuseTexts(parseRequest(request).spec.filters);
      return reader.getGraph(request, isWanted, 'structure');
    },
    getNode: async (nodeId, page) => structureOfDetail(await reader.getNode(nodeId, page)),
    listTasks: async (query) => {
      const { text, userId } = parseTaskQuery(query);
      if (text !== undefined) throw refused('text');
      if (userId !== undefined) throw refused('userId');
      const page = await reader.listTasks(query);
      return { ...page, tasks: page.tasks.map(structureOfTask) };
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- it rejects, as the interface says
    search: async (query) => {
      parseSearchQuery(query);
      throw refused('text');
    },
    why: (question) => reader.why(question, 'structure'),
    spikes: (taskId) => reader.spikes(taskId),
    compare: async (question) => structureOfCompare(await reader.compare(question, 'structure')),
    summary: (taskId) => reader.summary(taskId, 'structure'),
    patterns: async (filters) => {
      refuseTexts(parseFilters(filters));
      return reader.patterns(filters, 'structure');
    },
    adaptationEffect: (timeline) => reader.adaptationEffect(timeline),
  };
}

/** @throws BoundaryError PERMISSION_DENIED, naming the first filter that goes by texts */
function refuseTexts(filters: WantedNodes): void {
  const name = Object.keys(filters).find((field) => GOES_BY[field as keyof WantedNodes] !== 'structure');
  if (name !== undefined) throw refused(name);
}

function refused(field: string): BoundaryError {
  return new BoundaryError(
    'PERMISSION_DENIED',
    `${field} looks into texts, which needs the right "read" (role analyst); what you may see is structure, types, status, time and cost`,
  );
}

function structureOfDetail({ node, memberCount, members, memberEdges, notices }: NodeDetail): NodeDetail {
  return {
    node: structureOf(node),
    ...(memberCount !== undefined && { memberCount }),
    ...(members && { members: members.map(structureOf) }),
    ...(memberEdges && { memberEdges }),
    ...(notices && { notices }),
  };
}

/** No text was compared. */
function structureOfCompare({ counts, totals, ...answer }: CompareAnswer): CompareAnswer {
  return {
    ...answer,
    counts: { ...counts, textsCompared: 0 },
    totals: { a: structureOfTask(totals.a), b: structureOfTask(totals.b) },
  };
}

/** Tells that its view is to be without texts; that goes with the subscription, whichever connection takes it up. */
function structureSink(sink: SubscriberSink): SubscriberSink {
  return {
    detail: 'structure',
    connection: sink.connection ?? sink,
    get writable() {
      return sink.writable;
    },
    write: (frame: ServerFrame) => sink.write(frame),
    close: (reason) => sink.close(reason),
  };
}
