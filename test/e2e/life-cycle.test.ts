import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { connectGrpc } from '../reader-contract/grpc-client.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const TRACE = 'a'.repeat(32);

interface SpanSketch {
  readonly span: string;
  readonly parent?: string;
  readonly name: string;
}

function traces(...sketches: readonly SpanSketch[]): object {
  const spans = sketches.map(({ span, parent, name }) => ({
    traceId: TRACE,
    spanId: span.repeat(16),
    ...(parent !== undefined && { parentSpanId: parent.repeat(16) }),
    name,
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
    status: { code: 2, message: 'failed' },
    attributes: [{ key: 'input.value', value: { stringValue: `what ${name} was told` } }],
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

async function graphOf(service: SpawnedService): Promise<ExplanationGraph> {
  return (await service.get('/api/graph?collapse=none')) as ExplanationGraph;
}

function contentOf({ nodes, edges }: ExplanationGraph): object {
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
  return { nodes: nodes.toSorted(byId), edges: edges.toSorted(byId) };
}

const THOUGHT = {
  requestId: 'r1',
  timestamp: 1_750_000_000_000,
  text: 'Let me think',
  final: true,
  taskId: 'T1',
};

test('[E2E2] it prints a line per listener with its real address and, last, ready', async (t) => {
  const service = await SpawnedService.ready(t, await temporaryFolder(t));
  const lines = service.stdout.trimEnd().split('\n');
  assert.equal(lines.length, 4);
  assert.equal(lines.at(-1), 'ready');
  for (const address of [service.readers, service.otlpHttp, service.otlpGrpc]) {
    const [host = '', port] = address.split(':');
    assert.equal(host, '127.0.0.1');
    const socket = connect(Number(port), host);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.destroy();
  }
  assert.deepEqual(await service.get('/readyz'), { ready: true, reasons: [] });
});

test('[E2E3] SIGTERM drains: readers are told why, what came is stored, exit code 0, a repeated signal changes nothing', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await SpawnedService.ready(t, dataDir);
  const [host = '', port] = service.readers.split(':');
  const socket = new WebSocket(`ws://${service.readers}/explain`);
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  const subscribed = new Promise((resolve) => socket.addEventListener('message', resolve));
  socket.addEventListener('open', () => socket.send('{"type":"subscribe","request":{}}'));
  await subscribed;
  const grpc = await connectGrpc({ host, port: Number(port) });
  const { frames } = await grpc.subscribe({});
  t.after(() => grpc.disconnect());

  assert.equal((await service.post('/v1/traces', traces({ span: '1', name: 'last words' }))).status, 200);
  assert.equal((await service.post('/api/cot', THOUGHT)).status, 202);
  service.process.kill('SIGTERM');
  service.process.kill('SIGTERM');
  service.process.kill('SIGINT');
  const { code, reason } = await closed;
  assert.equal(code, 1001);
  assert.match(reason, /stopped/);
  await until('the gRPC stream has ended', () => frames.endReason !== undefined);
  assert.match(frames.endReason ?? '', /stopped/);
  assert.equal(await service.exit(), 0);

  const snapshot = JSON.parse(
    await readFile(join(dataDir, 'explain_graph.json'), 'utf8'),
  ) as ExplanationGraph;
  assert.deepEqual(snapshot.nodes.map(({ name }) => name).includes('last words'), true);
  assert.ok(snapshot.nodes.some(({ id }) => id === 'req:r1'));
});

test('[E2E3] signals that go on until the process has ended leave the exit code 0', async (t) => {
  const service = await SpawnedService.ready(t, await temporaryFolder(t));
  // One every millisecond: some fall into the drain, some into what Node does behind it.
  const again = setInterval(() => service.process.kill('SIGTERM'), 1);
  t.after(() => clearInterval(again));
  const code = await service.exit();
  assert.deepEqual([code, service.process.signalCode], [0, null]);
});

test('[E2E4] after a restart the graph is the same, what is delivered again is no second node, and a late child finds its parent', async (t) => {
  const dataDir = await temporaryFolder(t);
  const run = traces(
    { span: '1', name: 'root' },
    { span: '2', parent: '1', name: 'child' },
    { span: '4', parent: '3', name: 'orphan' },
  );
  const first = await SpawnedService.ready(t, dataDir);
  await first.post('/v1/traces', run);
  await first.post('/api/cot', THOUGHT);
  const before = await graphOf(first);
  // Three steps, a thought, and the one step of the thought.
  assert.equal(before.nodes.length, 5);
  const rootId = `${TRACE}:${'1'.repeat(16)}`;
  const details = await first.get(`/api/nodes/${encodeURIComponent(rootId)}`);
  first.process.kill('SIGTERM');
  assert.equal(await first.exit(), 0, first.stderr);

  const second = await SpawnedService.ready(t, dataDir);
  assert.deepEqual(contentOf(await graphOf(second)), contentOf(before));
  assert.deepEqual(await second.get(`/api/nodes/${encodeURIComponent(rootId)}`), details);
  assert.match(JSON.stringify(details), /what root was told/);

  await second.post('/v1/traces', run);
  await second.post('/api/cot', THOUGHT);
  assert.deepEqual(contentOf(await graphOf(second)), contentOf(before));

  await second.post(
    '/v1/traces',
    traces({ span: '3', parent: '2', name: 'late' }, { span: '5', parent: '1', name: 'late child' }),
  );
  const after = await graphOf(second);
  const nameOf = (id: string): string | undefined => after.nodes.find((node) => node.id === id)?.name;
  assert.deepEqual(after.edges.map(({ from, to }) => `${nameOf(from)} → ${nameOf(to)}`).sort(), [
    'chain of thought → thought 1',
    'child → late',
    'late → orphan',
    'root → child',
    'root → late child',
  ]);
});

test('[RD6] after a SIGKILL every acknowledged character of a thought is there, and what is sent again is not there twice', async (t) => {
  const dataDir = await temporaryFolder(t);
  let sent = 0;
  const bodyOf = (token: string): object => ({
    requestId: 'killed',
    timestamp: 1750000000000,
    // No two requests are alike byte for byte but where one is repeated.
    model: token === ' | cell' ? `m${sent++}` : 'm',
    tokens: [token],
  });
  const tokens = Array.from({ length: 120 }, (_, i) =>
    i % 3 === 0 ? ' | cell' : ` and row ${i} of the table`,
  );
  const first = await SpawnedService.ready(t, dataDir);
  for (const token of tokens) assert.equal((await first.post('/api/cot', bodyOf(token))).status, 202);
  first.process.kill('SIGKILL');
  await first.exit();

  const second = await SpawnedService.ready(t, dataDir);
  // Its sender may have had no answer.
  await second.post('/api/cot', bodyOf(tokens.at(-1) ?? ''));
  const reasoning = async (): Promise<string> => {
    const { texts } = (await second.get('/api/nodes/req:killed')) as {
      readonly texts: { readonly reasoning: string };
    };
    return texts.reasoning;
  };
  // What could be the beginning of a secret is held back until the thought has been silent for 2 s.
  await until('its end is shown', async () => (await reasoning()).length >= tokens.join('').length);
  assert.equal(await reasoning(), tokens.join(''));
});

test('[E2E5] a bad configuration: exit code 2, and all that is wrong at once', async (t) => {
  const home = await temporaryFolder(t);
  const config = join(home, 'config.json');
  const wrong = { maxCoTDepth: 'five', noSuchKey: 1, redactionPatterns: ['('] };
  await writeFile(config, JSON.stringify({ explainabilityAgent: wrong }));
  const args = ['serve', '--config', config, '--port', '70000', '--no-such-flag', 'x'];
  const service = new SpawnedService(t, home, args);
  assert.equal(await service.exit(), 2);
  for (const named of ['maxCoTDepth', 'noSuchKey', 'redactionPatterns', '--port', '--no-such-flag']) {
    assert.ok(service.stderr.includes(named), `${named} is named in:\n${service.stderr}`);
  }
  assert.equal(service.stdout, '');
});

test('[E2E6] a port that is taken: exit code 1, and the message says which and what to do', async (t) => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  t.after(() => holder.close());
  const address = holder.address();
  const taken = String(typeof address === 'object' && address !== null ? address.port : '');
  for (const flag of ['--port', '--otlp-grpc-port', '--otlp-http-port']) {
    const dataDir = await temporaryFolder(t);
    const free = ['--port', '--otlp-grpc-port', '--otlp-http-port'].flatMap((name) => [
      name,
      name === flag ? taken : '0',
    ]);
    const service = new SpawnedService(t, dataDir, ['serve', '--data-dir', dataDir, ...free]);
    assert.equal(await service.exit(), 1, service.stderr);
    assert.match(service.stderr, new RegExp(`port ${taken}.*in use.*another with ${flag} `), flag);
    assert.doesNotMatch(service.stdout, /ready/);
  }
});

test('[E2E7] what comes while the service drains is refused with 503 and the time to come again', async (t) => {
  const service = await RealService.of(t);
  const body = JSON.stringify(traces({ span: '1', name: 'too late' }));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    // The service has the request before the drain begins, and its body after.
    expect: '100-continue',
  };
  const sending = request(`${service.otlpHttp}/v1/traces`, { method: 'POST', headers });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.flushHeaders();
  await once(sending, 'continue');
  const stopped = service.stop();
  sending.end(body);
  const [answer] = await answered;
  answer.resume();
  assert.equal(answer.statusCode, 503);
  assert.ok(Number(answer.headers['retry-after']) >= 1);
  await stopped;
});
