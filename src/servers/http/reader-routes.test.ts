import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { readerRoutes } from './reader-routes.ts';
import type { HttpRequest } from './route.ts';

test('[SU27] a graph is wanted as long as the connection that asked is there', async () => {
  const wanted: boolean[] = [];
  const response = { destroyed: false };
  const reader = {
    getGraph: (_request: unknown, isWanted: () => boolean) => {
      wanted.push(isWanted());
      response.destroyed = true;
      wanted.push(isWanted());
      return { nodes: [], edges: [], lastUpdated: '' };
    },
  } as unknown as ReaderApi;
  const route = readerRoutes(reader).find(({ path }) => path === '/api/graph');
  await route?.handle({ query: new URLSearchParams() } as HttpRequest, response as ServerResponse);
  assert.deepEqual(wanted, [true, false]);
});
