import {
  DETAILED_MEDIA_TYPES,
  exportDetailed,
  exportGraph,
  isDetailed,
} from '../../exporters/export-graph.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { detailOf, detailsOf } from '../../subscriptions/task-content.ts';
import type { Space } from '../space.ts';
import { FILTER_QUERY, GRAPH_QUERY, parseFilterQuery, parseGraphQuery } from './graph-query.ts';
import { single } from '../query.ts';
import { madeWhenWritten } from './json-pieces.ts';
import { pageOf, SEARCH_QUERY, searchQueryOf, TASK_QUERY, taskQueryOf } from './page-query.ts';
import { jsonAnswer, jsonPiecesAnswer, jsonRoute, largeJsonAnswer, textAnswer, type Route } from './route.ts';

/** Nodes and edges, from which on an answer is encoded in steps: of so many it takes some milliseconds. */
const LARGE_ITEMS = 2_000;

/** The parts of `ReaderApi` that answer once. */
export function readerRoutes(reader: ReaderApi, pruned?: Space['pruned']): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/graph',
      needs: 'see',
      query: GRAPH_QUERY,
      handle: async ({ query }, response) => {
        const { request, format } = parseGraphQuery(query);
        const graph = await reader.getGraph(request, () => !response.destroyed);
        if (isDetailed(format)) {
          const isWanted = (): boolean => !response.destroyed;
          return jsonPiecesAnswer(
            exportDetailed(graph, format, {
              details: (nodes) => detailsOf(reader, nodes, isWanted),
              detail: (id) => detailOf(reader, id),
            }),
            DETAILED_MEDIA_TYPES[format],
          );
        }
        const isLarge = graph.nodes.length + graph.edges.length > LARGE_ITEMS;
        const exported = exportGraph(graph, format, isLarge ? madeWhenWritten : undefined);
        if ('lines' in exported) return textAnswer(exported.mediaType, exported.lines);
        return isLarge ? largeJsonAnswer(exported.json) : jsonAnswer(200, exported.json);
      },
    },
    jsonRoute('GET /api/tasks', 'see', ({ query }) => reader.listTasks(taskQueryOf(query)), {
      query: TASK_QUERY,
    }),
    jsonRoute('GET /api/search', 'read', ({ query }) => reader.search(searchQueryOf(query)), {
      query: SEARCH_QUERY,
    }),
    jsonRoute('GET /api/nodes/{id}', 'see', ({ id, query }) => reader.getNode(id, pageOf(query)), {
      query: ['offset', 'limit'],
    }),
    asked('why', ['nodeId', 'taskId'], (nodeId, taskId) => reader.why({ nodeId, taskId })),
    asked('spikes', ['taskId'], (taskId) => reader.spikes(taskId)),
    asked('compare', ['a', 'b'], (a, b) => reader.compare({ a, b })),
    asked('summary', ['taskId'], (taskId) => reader.summary(taskId)),
    jsonRoute('GET /api/patterns', 'see', ({ query }) => reader.patterns(parseFilterQuery(query)), {
      query: FILTER_QUERY,
    }),
    jsonRoute('POST /api/prune', 'operate', async ({ given, principal }) => {
      const { olderThanMinutes } = await given('{"olderThanMinutes": 5}');
      const done = await reader.prune(olderThanMinutes);
      pruned?.(principal, done.prunedNodes);
      return done;
    }),
  ];
}

/** A question with parameters that are given once at most. */
function asked(
  name: string,
  query: readonly string[],
  answer: (...given: readonly (string | undefined)[]) => unknown,
): Route {
  return jsonRoute(
    `GET /api/${name}`,
    'see',
    (request) => answer(...query.map((parameter) => single(request.query, parameter))),
    { query },
  );
}
