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
import { readObject } from './read-object.ts';
import { pageOf, SEARCH_QUERY, searchQueryOf, TASK_QUERY, taskQueryOf } from './page-query.ts';
import { jsonAnswer, jsonPiecesAnswer, largeJsonAnswer, textAnswer } from './route.ts';
import type { Route } from './route.ts';

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
    {
      method: 'GET',
      path: '/api/tasks',
      needs: 'see',
      query: TASK_QUERY,
      handle: async ({ query }) => jsonAnswer(200, await reader.listTasks(taskQueryOf(query))),
    },
    {
      method: 'GET',
      path: '/api/search',
      needs: 'read',
      query: SEARCH_QUERY,
      handle: async ({ query }) => jsonAnswer(200, await reader.search(searchQueryOf(query))),
    },
    {
      method: 'GET',
      path: '/api/nodes/{id}',
      needs: 'see',
      query: ['offset', 'limit'],
      handle: async ({ params, query }) => jsonAnswer(200, await reader.getNode(params['id'], pageOf(query))),
    },
    {
      method: 'GET',
      path: '/api/why',
      needs: 'see',
      query: ['nodeId', 'taskId'],
      handle: async ({ query }) =>
        jsonAnswer(
          200,
          await reader.why({ nodeId: single(query, 'nodeId'), taskId: single(query, 'taskId') }),
        ),
    },
    {
      method: 'GET',
      path: '/api/spikes',
      needs: 'see',
      query: ['taskId'],
      handle: async ({ query }) => jsonAnswer(200, await reader.spikes(single(query, 'taskId'))),
    },
    {
      method: 'GET',
      path: '/api/compare',
      needs: 'see',
      query: ['a', 'b'],
      handle: async ({ query }) =>
        jsonAnswer(200, await reader.compare({ a: single(query, 'a'), b: single(query, 'b') })),
    },
    {
      method: 'GET',
      path: '/api/summary',
      needs: 'see',
      query: ['taskId'],
      handle: async ({ query }) => jsonAnswer(200, await reader.summary(single(query, 'taskId'))),
    },
    {
      method: 'GET',
      path: '/api/patterns',
      needs: 'see',
      query: FILTER_QUERY,
      handle: async ({ query }) => jsonAnswer(200, await reader.patterns(parseFilterQuery(query))),
    },
    {
      method: 'POST',
      path: '/api/prune',
      needs: 'operate',
      query: [],
      handle: async ({ body, principal }) => {
        const { olderThanMinutes } = readObject(await body(), '{"olderThanMinutes": 5}');
        const done = await reader.prune(olderThanMinutes);
        pruned?.(principal, done.prunedNodes);
        return jsonAnswer(200, done);
      },
    },
  ];
}
