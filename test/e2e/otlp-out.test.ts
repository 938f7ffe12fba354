import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import { RealService } from './real-service.ts';

const RECORDINGS = new URL('../fixtures/telemetry/', import.meta.url).pathname;

async function started(t: TestContext): Promise<RealService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'otlp-out-'));
  const service = await RealService.start({ dataDir });
  t.after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return service;
}

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
  const [first, second] = [await started(t), await started(t)];
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
  const { readers } = await started(t);
  const answer = await fetch(`${readers}/api/graph?format=otlp&collapse=auto`);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /collapse: this format has every step/);
  assert.deepEqual(await (await fetch(`${readers}/api/graph?format=otlp`)).json(), { resourceSpans: [] });
});
