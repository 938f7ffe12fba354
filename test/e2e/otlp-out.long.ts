import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { until } from '../support/until.ts';
import { RealService } from './real-service.ts';

const RECORDINGS = new URL('../fixtures/telemetry/', import.meta.url).pathname;

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.ok(response.ok, `${url} ${response.status} ${await response.text()}`);
}

/** Recordings of real SDKs, a thought with an address in it, and what a ReflexionAdapter says of it. */
async function fill({ otlpHttp, readers }: RealService): Promise<void> {
  for (const name of await readdir(RECORDINGS))
    await post(`${otlpHttp}/v1/traces`, await readFile(join(RECORDINGS, name), 'utf8'));
  const cot = {
    requestId: 'req-1',
    timestamp: '2026-03-01T10:00:00.000Z',
    taskId: 'T1',
    agent: 'CoderAgent',
  };
  await post(
    `${readers}/api/cot`,
    JSON.stringify([
      { ...cot, tokens: ['I write to jane.doe', '@example.org first.\n'], sequence: 1 },
      {
        ...cot,
        tokens: ['Then I change the parser, ', 'password = "hunter2-hunter2"'],
        sequence: 2,
        final: true,
      },
    ]),
  );
  const event = { eventType: 'PlanUpdated', component: 'CriticAgent', timestamp: '2026-03-01T10:00:05.000Z' };
  await post(
    `${readers}/api/events`,
    JSON.stringify({
      ...event,
      eventID: 'e-1',
      payload: { requestId: 'req-1', plan: 'ask jane.doe@example.org' },
    }),
  );
}

interface Shown {
  readonly nodes: readonly unknown[];
  readonly edges: ExplanationGraph['edges'];
}

async function shown(service: RealService): Promise<Shown> {
  await service.flush();
  const graph = await service.graph();
  const nodes = graph.nodes.map(async ({ id }) => {
    const detail = (await service.json(`/api/nodes/${encodeURIComponent(id)}`)) as NodeDetail;
    return { node: detail.node, texts: detail.texts };
  });
  const byId = graph.edges.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { nodes: await Promise.all(nodes), edges: byId };
}

test('[OX1] [OX2] over a real socket a second service shows the same steps, texts and edges, and hides no more', async (t) => {
  const [first, second] = [await RealService.of(t), await RealService.of(t)];
  await fill(first);
  const before = await shown(first);
  assert.ok(before.nodes.length > 20 && before.edges.length > 20, String(before.nodes.length));
  const response = await fetch(`${first.readers}/api/graph?format=otlp`);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const exported = await response.text();
  assert.doesNotMatch(exported, /jane\.doe|hunter2/);
  await post(`${second.otlpHttp}/v1/traces`, exported);
  const after = await shown(second);
  assert.deepEqual(after.edges, before.edges);
  assert.deepEqual(after.nodes, before.nodes);
  const again = await (await fetch(`${second.readers}/api/graph?format=otlp`)).text();
  assert.deepEqual(JSON.parse(again), JSON.parse(exported), 'exported again it is the same');
});

test('[OX7] OTLP has no summaries, and says so to whoever asks for them', async (t) => {
  const { readers } = await RealService.of(t);
  const answer = await fetch(`${readers}/api/graph?format=otlp&collapse=auto`);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /collapse: this format has every step/);
  assert.deepEqual(await (await fetch(`${readers}/api/graph?format=otlp`)).json(), { resourceSpans: [] });
});

/** `protocol` as `forward` and `export` take it. */
const endpointOf = (service: RealService, protocol: 'grpc' | 'http'): string =>
  protocol === 'grpc' ? `grpc://${service.otlpGrpc}` : service.otlpHttp;

for (const protocol of ['grpc', 'http'] as const)
  test(`[OX8] what has ended goes on by ${protocol}, and the second service shows the same`, async (t) => {
    const second = await RealService.of(t, ['--auth', '{"token":"secret-token-2"}']);
    const headers = { authorization: 'Bearer secret-token-2' };
    const forward = { endpoint: endpointOf(second, protocol), headers };
    const first = await RealService.of(t, ['--forward', JSON.stringify(forward)]);
    await fill(first);
    const before = await shown(first);
    const ask = async (path: string): Promise<Response> => fetch(second.readers + path, { headers });
    await until('all has been sent on', async () => {
      const graph = (await (await ask('/api/graph?collapse=none')).json()) as ExplanationGraph;
      return graph.nodes.length === before.nodes.length && graph.edges.length === before.edges.length;
    });
    const there = (await (await ask('/api/graph?format=otlp')).json()) as object;
    const here = (await (await fetch(`${first.readers}/api/graph?format=otlp`)).json()) as object;
    assert.deepEqual(there, here);
    assert.match(
      await first.metrics(),
      new RegExp(`explain_spans_forwarded_total ${before.nodes.length}\\b`),
    );
    assert.doesNotMatch(first.log, /secret-token-2/);
  });

test('[OX8] a service never forwards to itself, by whatever name', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'otlp-own-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const free = await freePort();
  const forward = { endpoint: `http://localhost:${free}` };
  const flags = ['--otlp-http-port', String(free), '--forward', JSON.stringify(forward)];
  const service = await RealService.start({ dataDir, flags });
  await service.stop();
  assert.match(service.log, /nothing is forwarded: the endpoint of `forward` is this service/);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
