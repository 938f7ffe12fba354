import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { Metadata } from '@grpc/grpc-js';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { loadConfig } from '../../src/config/load-config.ts';
import { withKeysOf, type OfflineKeys } from '../../src/service/keys-offline.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { filesOf } from './files-of.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { askHttp, askWebSocket, callGrpc, openWebSocket, streamGrpc } from './ways-in.ts';

interface Answer {
  readonly id: string;
  readonly key: string;
  readonly keys?: readonly { readonly id: string }[];
  readonly revoked?: { readonly name: string };
  readonly error?: { readonly message: string };
}

const EXPLAIN = '/explain.v1.ExplainService';

function offline<T>(dataDir: string, use: (keys: OfflineKeys) => Promise<T>): Promise<T> {
  const loaded = loadConfig({
    argv: ['--data-dir', dataDir],
    env: {},
    homeDir: dataDir,
    checkPattern: () => undefined,
    ruleNames: [],
  });
  assert.ok(loaded.ok);
  return withKeysOf(loaded.config, silentLogger, use);
}

test('[AC5] the first key is made on a new folder; more are made, rotated and revoked by its owner over /api/keys', async (t) => {
  const dataDir = await temporaryFolder(t);
  const admin = await offline(dataDir, (keys) => keys.create({ name: 'me', roles: ['admin'] }));
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  assert.match(service.log, /there are keys: whoever comes must show one/);
  await assert.rejects(
    offline(dataDir, async (keys) => keys.list()),
    /in use by another service/,
  );
  const said = { 'x-api-key': admin.key };
  const ask = async (method: string, path: string, status: number, body?: object): Promise<Answer> => {
    const answer = await askHttp(service, method, `/api/keys${path}`, said, body && JSON.stringify(body));
    assert.equal(answer.status, status, answer.text);
    return JSON.parse(answer.text) as Answer;
  };
  const made = await ask('POST', '', 201, { name: 'web', roles: ['reader'], expiresInDays: 1 });
  const seen = async (key: string): Promise<number> =>
    (await askHttp(service, 'GET', '/api/tasks', { authorization: `Bearer ${key}` })).status;
  assert.equal(await seen(made.key), 200);
  const rotated = await ask('POST', `/${made.id}/rotate`, 200, {});
  assert.deepEqual([await seen(made.key), await seen(rotated.key)], [401, 200]);
  const { keys = [] } = await ask('GET', '', 200);
  assert.deepEqual(
    keys.map(({ id }) => id),
    [admin.id, made.id],
  );
  assert.doesNotMatch(JSON.stringify(keys), /explain_|hash/);
  assert.equal((await ask('DELETE', `/${made.id}`, 200)).revoked?.name, 'web');
  assert.equal(await seen(rotated.key), 401);
  await ask('DELETE', `/${made.id}`, 404);
  const audit = async (query: string): Promise<readonly { readonly seq: number }[]> => {
    const { status, text } = await askHttp(service, 'GET', `/api/audit${query}`, said);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /explain_|prev/);
    return (JSON.parse(text) as { entries: { action: string; seq: number }[] }).entries;
  };
  const entries = await audit('');
  assert.deepEqual(
    entries.map((entry) => (entry as { action?: string }).action),
    ['failed', 'denied', 'key-revoke', 'denied', 'key-rotate', 'key-create', 'key-create'],
  );
  assert.deepEqual(await audit(`?limit=2&before=${entries[0]?.seq}`), entries.slice(1, 3));
  assert.equal((await askHttp(service, 'GET', '/api/audit?limit=0', said)).status, 400);
  assert.match((await ask('POST', '', 400, { name: 'x' })).error?.message ?? '', /roles must/);
  await service.stop();
  for (const { name, bytes } of await filesOf(dataDir))
    for (const key of [admin.key, made.key, rotated.key]) assert.ok(!bytes.includes(key), name);
  assert.doesNotMatch(service.log, /explain_[0-9a-z]{20}/);
});

test('[AC2] real exporters, sockets and streams come in with keys of their roles, and without are refused', async (t) => {
  const dataDir = await temporaryFolder(t);
  const { sender, reader } = await offline(dataDir, async (keys) => ({
    sender: await keys.create({ name: 's', roles: ['sender'] }),
    reader: await keys.create({ name: 'r', roles: ['reader'] }),
  }));
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const address = service.readers.replace('http://', '');
  const sends = async (exporter: SpanExporter): Promise<number> => {
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const span = provider.getTracer('t').startSpan('step');
    const { spanId, traceId } = span.spanContext();
    span.end();
    await provider.shutdown();
    return (await askHttp(service, 'GET', `/api/nodes/${traceId}:${spanId}`, { 'x-api-key': reader.key }))
      .status;
  };
  for (const [key, status] of [
    [sender.key, 200],
    [reader.key, 404],
    ['none', 404],
  ] as const) {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${key}`);
    for (const url of [service.readers, `http://${service.otlpGrpc}`])
      assert.equal(await sends(new GrpcTraces({ url, metadata })), status, url);
    for (const url of [service.readers, service.otlpHttp])
      assert.equal(
        await sends(new ProtoTraces({ url: `${url}/v1/traces`, headers: { 'x-api-key': key } })),
        status,
        url,
      );
  }

  for (const [key, status] of [
    [reader.key, undefined],
    [sender.key, 403],
    ['none', 401],
  ] as const) {
    const ways = [
      () => openWebSocket(service, { authorization: `Bearer ${key}` }),
      () => openWebSocket(service, { 'x-api-key': key }),
      () => openWebSocket(service, {}, ['explain.v1', `explain.bearer.${key}`]),
      () => openWebSocket(service, {}, [`explain.bearer.${key}`]),
    ];
    for (const [at, open] of ways.entries()) {
      const socket = await open();
      if (typeof socket === 'number') {
        assert.equal(socket, status, `way ${at}`);
        continue;
      }
      assert.equal(status, undefined);
      if (at === 2) assert.equal(socket.protocol, 'explain.v1');
      assert.equal((await askWebSocket(socket, { type: 'ping' }))['type'], 'pong');
      const pruned = await askWebSocket(socket, { type: 'prune', olderThanMinutes: 1, requestId: 'p' });
      assert.match(JSON.stringify(pruned), /PERMISSION_DENIED/);
      socket.terminate();
    }
  }
  for (const [key, see, operate] of [
    [reader.key, 0, 7],
    [sender.key, 7, 7],
    ['none', 16, 16],
  ] as const) {
    const said = { authorization: `Bearer ${key}` };
    assert.equal(await callGrpc(address, `${EXPLAIN}/ListTasks`, said), see);
    assert.equal(await callGrpc(address, `${EXPLAIN}/Prune`, { 'x-api-key': key }), operate);
  }
});

test('[AC6] a revoked key ends its sockets, streams and answers under way, and nobody else\u2019s', async (t) => {
  const dataDir = await temporaryFolder(t);
  const { admin, gone, stays } = await offline(dataDir, async (keys) => ({
    admin: await keys.create({ name: 'a', roles: ['admin'] }),
    gone: await keys.create({ name: 'g', roles: ['sender', 'reader'] }),
    stays: await keys.create({ name: 's', roles: ['reader'] }),
  }));
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const address = service.readers.replace('http://', '');
  const open = async (key: string) => {
    const said = { authorization: `Bearer ${key}` };
    const socket = await openWebSocket(service, said);
    assert.ok(typeof socket === 'object');
    const stream = streamGrpc(address, `${EXPLAIN}/Subscribe`, said);
    await stream.first;
    return { socket, stream, said };
  };
  const mine = await open(gone.key);
  const other = await open(stays.key);
  const cot = { requestId: 'r1', tokens: ['hm'], sequence: 0, final: false, timestamp: Date.now() };
  assert.equal((await askHttp(service, 'POST', '/api/cot', mine.said, JSON.stringify(cot))).status, 202);
  const run = await fetch(`${service.readers}/ag-ui/run`, {
    method: 'POST',
    headers: { ...mine.said, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({
      threadId: 'r1',
      runId: 'x',
      messages: [],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    }),
  });
  const read = run.text().then(
    () => 'whole',
    () => 'cut off',
  );
  const closed = once(mine.socket, 'close') as Promise<[number, Buffer]>;
  const { status } = await askHttp(service, 'DELETE', `/api/keys/${gone.id}`, { 'x-api-key': admin.key });
  assert.equal(status, 200);
  const [code, reason] = await closed;
  assert.deepEqual([code, reason.toString()], [1008, 'the key was revoked']);
  assert.deepEqual(await mine.stream.end, { code: 16, details: 'the key was revoked' });
  if (run.status === 200) assert.equal(await read, 'cut off');
  else assert.fail(`the run was refused: ${await run.text().catch(String)}`);
  assert.equal((await askWebSocket(other.socket, { type: 'ping' }))['type'], 'pong');
  other.socket.terminate();
});
