import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { connect } from '../../src/client/node.ts';
import { run } from '../cli/run-command.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { until } from './until.ts';
import { SpawnedService } from './spawned-service.ts';

const TOKEN = 'reader-token';
const ADMIN = 'admin-token-1';
const AUTH = ['--auth', JSON.stringify({ token: TOKEN, adminToken: ADMIN })];

function traceOf(task: string): string {
  return Buffer.from(task).toString('hex').padEnd(32, '0');
}

function traces(task: string, spans: readonly string[]): object {
  const attributes = [
    { key: 'taskID', value: { stringValue: task } },
    { key: 'input.value', value: { stringValue: `what ${task} was told` } },
  ];
  return {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map((spanId, index) => ({
              traceId: traceOf(task),
              spanId: spanId.repeat(16),
              ...(index > 0 && { parentSpanId: (spans[index - 1] ?? '').repeat(16) }),
              name: `step ${spanId} of ${task}`,
              startTimeUnixNano: '1750000000000000000',
              endTimeUnixNano: '1750000001000000000',
              attributes,
            })),
          },
        ],
      },
    ],
  };
}

async function send(service: RealService, body: object, token?: string): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  assert.equal((await fetch(`${service.otlpHttp}/v1/traces`, init)).status, 200);
}

/** One step, and below it some that are quick enough to be folded. */
function quickSteps(task: string, spans: readonly string[]): object {
  const all = ['1', ...spans].map((spanId) => ({
    traceId: traceOf(task),
    spanId: spanId.repeat(16),
    ...(spanId !== '1' && { parentSpanId: '1'.repeat(16) }),
    name: `step ${spanId} of ${task}`,
    startTimeUnixNano: `175000000${spanId}000000000`,
    endTimeUnixNano: spanId === '1' ? '1750000099000000000' : `175000000${spanId}001000000`,
    attributes: [{ key: 'taskID', value: { stringValue: task } }],
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans: all }] }] };
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status, 200);
}

async function onDisk(dataDir: string): Promise<string> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
  return texts.join('\n');
}

function namesIn({ nodes }: ExplanationGraph): string[] {
  return nodes
    .map(({ name }) => name)
    .filter((name) => name.startsWith('step'))
    .sort();
}

test('[ST31] what left memory can be read: the node with its texts, and with collapse none its task, edges included', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  await send(service, traces('T1', ['1', '2', '3']));
  const before = await service.graph('collapse=none&taskIds=T1');
  const id = `${traceOf('T1')}:${'2'.repeat(16)}`;
  const detail = await service.json(`/api/nodes/${id}`);
  const headers = { 'content-type': 'application/json' };
  const pruned = await fetch(`${service.readers}/api/prune`, {
    method: 'POST',
    headers,
    body: '{"olderThanMinutes":0}',
  });
  assert.equal(pruned.status, 200);
  assert.deepEqual((await service.graph('taskIds=T1')).nodes, []);
  const sorted = (graph: ExplanationGraph): object => ({
    nodes: graph.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    edges: graph.edges.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
  assert.deepEqual(sorted(await service.graph('collapse=none&taskIds=T1')), sorted(before));
  assert.deepEqual(await service.json(`/api/nodes/${id}`), detail);
  assert.match(JSON.stringify(detail), /what T1 was told/);
  // What is in memory of another task, and filters, are as ever.
  await send(service, traces('T2', ['4']));
  assert.deepEqual(namesIn(await service.graph('collapse=none')), [
    'step 1 of T1',
    'step 2 of T1',
    'step 3 of T1',
    'step 4 of T2',
  ]);
  assert.deepEqual(namesIn(await service.graph('collapse=none&text=step%202')), ['step 2 of T1']);
});

test('[SU14] who asks for it sees what left memory, live: folded, a task opened, and by the summaries’ members', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const quick = ['2', '3', '4', '5'];
  await send(service, quickSteps('T1', quick));
  const before = await service.graph('taskIds=T1');
  const summary = before.nodes.find(({ type }) => type === 'SUMMARY');
  assert.ok(summary);
  for (const url of [service.readers, service.readers.replace('http:', 'grpc:')]) {
    const client = connect({ url });
    t.after(() => client.close());
    const usual = client.subscribe({ filters: { taskIds: ['T1'] } });
    const recalling = client.subscribe({ filters: { taskIds: ['T1'] }, include: ['archived'] });
    await until('both follow', () => recalling.state === 'live' && usual.state === 'live');
    await post(`${service.readers}/api/prune`, { olderThanMinutes: 0 });
    await until('it left memory', () => usual.graph.order === 0);
    await until('it is back', () => recalling.graph.order === before.nodes.length);
    assert.deepEqual(recalling.graph.nodes().sort(), before.nodes.map(({ id }) => id).sort());
    await recalling.expand(summary.id);
    await until('it is open', () => recalling.graph.order === 1 + quick.length);
    await usual.expandTask('T1');
    await until('the task is back', () => usual.graph.order === 1 + quick.length);
    await assert.rejects(usual.expandTask('T9'), /no task with this id is known/);
    await client.close();
  }
  assert.deepEqual((await service.graph('taskIds=T1&include=archived')).nodes, before.nodes);
  const detail = (await service.json(`/api/nodes/${summary.id}`)) as { readonly members: readonly object[] };
  assert.equal(detail.members.length, quick.length);
});

test('[ST32] an administrator erases a task: nothing of it is on the disk or to be read, the rest is', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir, flags: AUTH });
  t.after(() => service.stop());
  await send(service, traces('T1', ['1', '2']), TOKEN);
  await send(service, traces('T2', ['3']), TOKEN);
  const erase = (token: string, body: object): Promise<Response> =>
    fetch(`${service.readers}/api/erase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  assert.equal((await erase(TOKEN, { taskId: 'T1' })).status, 403);
  assert.equal((await erase(ADMIN, { taskId: 'T1', userId: 'u' })).status, 400);
  const answer = await erase(ADMIN, { taskId: 'T1' });
  assert.equal(answer.status, 200);
  const { tasks, nodesInMemory } = (await answer.json()) as { tasks: string[]; nodesInMemory: number };
  assert.deepEqual(tasks, ['T1']);
  assert.ok(nodesInMemory >= 2);
  const text = await onDisk(dataDir);
  assert.ok(!text.includes('of T1') && !text.includes('T1 was told'), 'nothing of it is on the disk');
  assert.ok(text.includes('step 3 of T2'));
  assert.deepEqual(((await (await erase(ADMIN, { taskId: 'T1' })).json()) as { tasks: string[] }).tasks, []);
});

test('[ST32] `erase --offline` does it without a service, and says what it removed', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  await send(service, traces('T1', ['1', '2']));
  await send(service, traces('T2', ['3']));
  const busy = await run(t, ['erase', '--offline', '--task', 'T1', '--data-dir', dataDir]);
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, /in use by another service/);
  await service.stop();
  const done = await run(t, ['erase', '--offline', '--task', 'T1', '--data-dir', dataDir]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /Removed for good: 1 task/);
  const text = await onDisk(dataDir);
  assert.ok(!text.includes('of T1'));
  assert.ok(text.includes('step 3 of T2'));
});

test('[ST9] records of a snapshot from before there was a log are taken over once; one of a newer version is refused', async (t) => {
  const dataDir = await temporaryFolder(t);
  const at = 1_750_000_000_000;
  const fact = {
    kind: 'cot',
    requestId: 'old',
    part: 1,
    revision: 1,
    text: 'an old thought',
    final: true,
    first: at,
    last: at,
  };
  const old = { format: 1, nodes: [], edges: [], lastUpdated: '', facts: [fact], texts: [] };
  await writeFile(join(dataDir, 'explain_graph.json'), JSON.stringify(old));
  for (let start = 0; start < 2; start++) {
    const service = await SpawnedService.ready(t, dataDir);
    const { nodes } = (await service.get('/api/graph?collapse=none')) as ExplanationGraph;
    assert.ok(nodes.some(({ id }) => id === 'req:old'));
    service.process.kill('SIGKILL');
    await service.exit();
    const snapshot = JSON.parse(
      await readFile(join(dataDir, 'explain_graph.json'), 'utf8'),
    ) as ExplanationGraph;
    assert.ok(snapshot.nodes.some(({ id }) => id === 'req:old'));
    assert.equal('facts' in snapshot, false);
  }
  await writeFile(join(dataDir, 'explain_graph.json'), JSON.stringify({ ...old, format: 3 }));
  const refused = new SpawnedService(t, dataDir, [
    'serve',
    '--port',
    '0',
    '--otlp-grpc-port',
    '0',
    '--otlp-http-port',
    '0',
    '--data-dir',
    dataDir,
  ]);
  assert.equal(await refused.exit(), 1);
  assert.match(refused.stderr, /has format 3, and this version reads 2/);
});
