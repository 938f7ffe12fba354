import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/client/node.ts';
import { BOUNDED, until } from '../support/until.ts';
import { federation, spans, traceOf } from './federation.ts';
import { RealService } from './real-service.ts';

async function post(url: string, body: unknown): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

for (const over of ['http', 'grpc'] as const) {
  test(
    `[GV6] what is sent to a gateway is shared out among its cells, and who subscribes or asks there over ${over} sees all of it`,
    BOUNDED,
    async (t) => {
      const { cells, url, client } = await federation(t, 3);
      const live = client(url.replace('http:', `${over}:`)).subscribe({ collapse: 'none' });
      await live.ready;
      const sent = await post(`${url}/v1/traces`, spans(12));
      assert.equal(sent.status, 200);
      await until('all of it is shown', () => live.graph.order === 36 && live.graph.size === 24);
      const counts = await Promise.all(
        cells.map(async (cell) => (await cell.graph('collapse=none')).nodes.length),
      );
      assert.equal(
        counts.reduce((sum, nodes) => sum + nodes),
        36,
      );
      assert.ok(counts.filter((nodes) => nodes > 0).length > 1, counts.join());

      const fresh = await client().getGraph({ collapse: 'none' });
      assert.equal(fresh.nodes.length, 36);
      const { tasks, nextCursor } = await client().findTasks({ limit: 5, sort: 'oldest' });
      assert.deepEqual(
        tasks.map(({ taskId }) => taskId),
        [0, 1, 2, 3, 4].map((n) => `task-${n}`),
      );
      const rest = await client().findTasks({ limit: 50, sort: 'oldest', cursor: nextCursor });
      assert.deepEqual(
        rest.tasks.map(({ taskId }) => taskId),
        [5, 6, 7, 8, 9, 10, 11].map((n) => `task-${n}`),
      );
      const one = await client().getNode(`${traceOf(7)}:${'81'.padStart(16, '0')}`);
      assert.equal(one.node.taskId, 'task-7');
    },
  );
}

test(
  '[GV6] a thought that is sent to a gateway joins the step of its trace, as in one service',
  BOUNDED,
  async (t) => {
    const { url, client } = await federation(t, 3);
    const alone = await RealService.of(t);
    const urls = [url, `http://127.0.0.1:${alone.service.addresses.readers.port}`];
    for (const to of urls) {
      await post(`${to}/v1/traces`, spans(5));
      for (let n = 0; n < 5; n++) {
        const { status, json } = await post(`${to}/api/cot`, {
          requestId: `r${n}`,
          timestamp: 1_750_000_000_000,
          text: `I think of ${n}.`,
          final: true,
          traceId: traceOf(n),
          spanId: `${n + 1}2`.padStart(16, '0'),
        });
        assert.equal(status, 202, JSON.stringify(json));
      }
    }
    const [all, one] = urls.map((to) => client(to)) as [Client, Client];
    const idsOf = async (read: Client): Promise<readonly string[]> =>
      (await read.getGraph({ collapse: 'none' })).nodes.map(({ id }) => id).sort();
    await until(
      'the thoughts are there',
      async () => (await idsOf(all)).filter((id) => id === 'req:r4').length === 1,
    );
    assert.deepEqual(await idsOf(all), await idsOf(one));
  },
);
