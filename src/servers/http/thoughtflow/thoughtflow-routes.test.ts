import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServers } from '../../../../test/support/test-servers.ts';
import { makeSpan } from '../../../../test/support/world.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { thoughtflowRoutes } from './thoughtflow-routes.ts';

test('[TF7] of a name with many dots two tasks are looked through at most', async (t) => {
  const engine = await startTestServers();
  t.after(() => engine.stop());
  const ids = Array.from({ length: 30 }, (_, dots) => `a${'.b'.repeat(dots)}`);
  await engine.feed(
    ids.map((taskID, i) => makeSpan({ traceId: (i + 1).toString(16).padStart(32, '0'), attrs: { taskID } })),
  );
  let shown = 0;
  const reader: ReaderApi = Object.assign(Object.create(engine.reader) as ReaderApi, {
    getGraph: async (...asked: Parameters<ReaderApi['getGraph']>) => {
      const graph = engine.reader.getGraph(...asked);
      if (graph.nodes.length > 0) shown++;
      return graph;
    },
  });
  const [route] = thoughtflowRoutes(reader);
  const servers = await startTestServers({ http: { routes: route ? [route] : [] } });
  t.after(() => servers.stop());
  const url = `http://${servers.address.host}:${servers.address.port}/thoughtflow`;
  const status = async (name: string): Promise<number> => (await fetch(`${url}/${name}`)).status;

  assert.equal(await status('a.b.b.json'), 200);
  shown = 0;
  assert.equal(await status(`${ids.at(-1)}.nope.json`), 404);
  assert.equal(shown, 2);
});
