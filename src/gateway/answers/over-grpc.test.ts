import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { GrpcTransport } from '../../client/grpc-transport.ts';
import { DEFAULT_TIMING } from '../../client/timing.ts';
import { nodeId, TRACE } from '../../../test/support/records.ts';
import { startTestServers } from '../../../test/support/test-servers.ts';
import { makeSpan } from '../../../test/support/world.ts';
import type { SpanRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { GatewayAnswers } from './gateway-answers.ts';

const START = 1_750_000_000_000;
const OTHER = 'b'.repeat(32);

function step(n: number, traceId: string, taskID: string, status: SpanRecord['status'] = 'OK'): SpanRecord {
  const start = epochMs(START + 1000 * n);
  return makeSpan({
    traceId,
    spanId: String(n).repeat(16),
    parentSpanId: n === 1 ? undefined : '1'.repeat(16),
    name: `find ${n}`,
    start,
    end: epochMs(start + 5),
    status,
    attrs: { taskID, 'model.name': 'm', 'cost.usd': n },
  });
}

test('[GA12] over gRPC all questions are answered as in one process', async () => {
  const spans: readonly (readonly SpanRecord[])[] = [
    [step(1, TRACE, 'T'), step(2, TRACE, 'T', 'ERROR'), step(5, 'c'.repeat(32), 'S')],
    [step(1, OTHER, 'U'), step(3, OTHER, 'U'), step(6, 'd'.repeat(32), 'S', 'ERROR')],
  ];
  const services = [await startTestServers(), await startTestServers(), await startTestServers()];
  const [first, second, one] = services;
  assert.ok(first && second && one);
  await first.feed(spans[0] ?? []);
  await second.feed(spans[1] ?? []);
  await one.feed(spans.flat());
  const transports = [first, second].map(
    ({ address }) =>
      new GrpcTransport({
        target: `127.0.0.1:${address.port}`,
        tls: undefined,
        token: undefined,
        timing: DEFAULT_TIMING,
      }),
  );
  const cells = transports.map((answers, i) => ({ name: `c${i}`, answers }));
  const gateway = new GatewayAnswers({ cells: () => cells, clock: systemClock, pace: new Pace(systemClock) });
  const { reader } = one;
  try {
    const { notices, ...graph } = await gateway.getGraph({
      collapse: 'none',
      filters: { status: ['ERROR'] },
    });
    assert.deepEqual(
      graph.nodes,
      reader.getGraph({ collapse: 'none', filters: { status: ['ERROR'] } }).nodes,
    );
    assert.equal(notices, undefined);
    const node = nodeId(2);
    assert.deepEqual(await gateway.getNode(node), reader.getNode(node));
    for (const sort of ['newest', 'oldest'] as const) {
      const [page, whole] = [await gateway.listTasks({ sort }), await reader.listTasks({ sort })];
      assert.deepEqual(
        page.tasks.map(({ taskId, costUsd, status }) => [taskId, costUsd, status]),
        whole.tasks.map(({ taskId, costUsd, status }) => [taskId, costUsd, status]),
      );
      assert.deepEqual(page.tasks.find(({ taskId }) => taskId === 'S')?.cells, ['c0', 'c1']);
    }
    const hits = (await gateway.search({ text: 'FIND' })).hits.map((hit) => hit.nodeId);
    assert.deepEqual(
      new Set(hits),
      new Set((await reader.search({ text: 'find' })).hits.map((hit) => hit.nodeId)),
    );
    assert.equal((await gateway.why({ taskId: 'T' })).nodeId, node);
    const { notices: said, ...summary } = await gateway.summary('S');
    assert.deepEqual(summary, await reader.summary('S'));
    assert.match(said?.[0] ?? '', /S \(c0, c1\)/);
    assert.deepEqual(await gateway.compare({ a: 'T', b: 'U' }), await reader.compare({ a: 'T', b: 'U' }));
    assert.deepEqual(await gateway.spikes(undefined), await reader.spikes(undefined));
    assert.deepEqual(await gateway.patterns({}), await reader.patterns({}));
    assert.deepEqual(await gateway.prune(1e9), { prunedNodes: 0 });
    await assert.rejects(gateway.getNode('none'), {
      code: 'NOT_FOUND',
      message: 'nodeId: no node with this id is known',
    });
    await assert.rejects(gateway.listTasks({ cursor: 'x' }), { code: 'INVALID_ARGUMENT' });
    await second.stop();
    const page = await gateway.listTasks();
    assert.match(page.notices?.[0] ?? '', /do not answer: c1 \(/);
    assert.equal(page.tasks.length, 2);
  } finally {
    for (const transport of transports) await transport.close();
    for (const service of [first, one]) await service.stop();
  }
});
