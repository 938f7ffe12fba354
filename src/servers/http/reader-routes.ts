import { exportGraph } from '../../exporters/export-graph.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { GRAPH_QUERY, parseGraphQuery, single } from './graph-query.ts';
import { readObject } from './read-object.ts';
import { pageOf } from './page-query.ts';
import { isLargeGraph } from '../large.ts';
import { jsonAnswer, largeJsonAnswer } from './route.ts';
import type { Route } from './route.ts';

/** The parts of `ReaderApi` that answer once. */
export function readerRoutes(reader: ReaderApi): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/graph',
      query: GRAPH_QUERY,
      handle: async ({ query }) => {
        const { request, format } = parseGraphQuery(query);
        const graph = await reader.getGraph(request);
        const exported = exportGraph(graph, format);
        return isLargeGraph(graph) ? largeJsonAnswer(exported) : jsonAnswer(200, exported);
      },
    },
    {
      method: 'GET',
      path: '/api/tasks',
      query: [],
      handle: () => jsonAnswer(200, { tasks: reader.listTasks() }),
    },
    {
      method: 'GET',
      path: '/api/nodes/{id}',
      query: ['offset', 'limit'],
      handle: async ({ params, query }) => jsonAnswer(200, await reader.getNode(params['id'], pageOf(query))),
    },
    {
      method: 'GET',
      path: '/api/why',
      query: ['nodeId'],
      handle: ({ query }) => jsonAnswer(200, reader.why(single(query, 'nodeId'))),
    },
    {
      method: 'GET',
      path: '/api/spikes',
      query: ['taskId'],
      handle: ({ query }) => jsonAnswer(200, reader.spikes(single(query, 'taskId'))),
    },
    {
      method: 'POST',
      path: '/api/prune',
      query: [],
      handle: async ({ body }) => {
        const { olderThanMinutes } = readObject(await body(), '{"olderThanMinutes": 5}');
        return jsonAnswer(200, await reader.prune(olderThanMinutes));
      },
    },
  ];
}
