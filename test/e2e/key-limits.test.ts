import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { encode, withBytes } from '../../src/receivers/otlp/otlp.test-support.ts';
import { askHttp, askWebSocket, callGrpc, openWebSocket, streamGrpc } from './ways-in.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import type { RealService } from './real-service.ts';

/** Of one the first is let through, and the next after 1,000 seconds. */
const ONE = 0.001;
const WAIT = '1000';
const EXPLAIN = '/explain.v1.ExplainService';

async function limited(t: TestContext, limits: object, roles = ['sender', 'reader']) {
  const { service, keys } = await serviceWithKeys(t, {
    limited: { roles, limits },
    other: { roles: ['sender', 'operator'] },
  });
  return { service, said: { 'x-api-key': keys.limited }, other: { 'x-api-key': keys.other } };
}

function traces(spans: number): object {
  const span = (n: number): object => ({
    traceId: 'ab'.repeat(16),
    spanId: (n + 1).toString(16).padStart(16, '0'),
    name: 'a step',
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
  });
  return { resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: spans }, (_, n) => span(n)) }] }] };
}

async function refusedTimes(service: RealService, other: Readonly<Record<string, string>>, what: string) {
  const { text } = await askHttp(service, 'GET', '/metrics', other);
  return Number(new RegExp(`^explain_limits_refused_total\\{what="${what}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

test('[AC30] more requests than a key may make are refused as each protocol says, and others go on', async (t) => {
  const { service, said, other } = await limited(t, { requestsPerSecond: ONE });
  assert.equal((await askHttp(service, 'GET', '/api/tasks', said)).status, 200);
  const response = await fetch(`${service.readers}/api/tasks`, { headers: said });
  assert.deepEqual([response.status, response.headers.get('retry-after')], [429, WAIT]);
  assert.match(await response.text(), /RESOURCE_EXHAUSTED.+requests a second: send again later/);
  for (const url of [`${service.otlpHttp}/v1/traces`, `${service.readers}/v1/traces`]) {
    const refused = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...said },
      body: '{}',
    });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, WAIT]);
    assert.equal(((await refused.json()) as { code: number }).code, 8);
  }
  const readers = service.service.addresses.readers;
  assert.equal(await callGrpc(`${readers.host}:${readers.port}`, `${EXPLAIN}/ListTasks`, said), 8);
  const { code, retry } = await exportSpans(service, said);
  assert.deepEqual([code, retry], [8, true]);
  assert.equal(await openWebSocket(service, said), 429);
  assert.equal((await askHttp(service, 'GET', '/api/tasks', other)).status, 200);
  assert.ok((await refusedTimes(service, other, 'requests')) >= 6);
  const { text } = await askHttp(service, 'GET', '/metrics', other);
  assert.doesNotMatch(text, /key-[0-9a-f]{12}/);
});

/** Whether the refusal says when to come again, as the exporters understand it. */
function exportSpans(
  service: RealService,
  said: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly retry: boolean }> {
  const client = new Client(service.otlpGrpc, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(said)) metadata.set(name, value);
  const same = (bytes: Buffer): Buffer => bytes;
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  const body = encode('traces', withBytes(traces(1)));
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, body, metadata, (error: ServiceError | null) => {
      client.close();
      const [details] = error?.metadata.get('grpc-status-details-bin') ?? [];
      resolve({ code: error?.code ?? 0, retry: details?.includes('google.rpc.RetryInfo') === true });
    });
  });
}

test('[AC30] on a WebSocket each verb counts, and is refused by an error that names its request', async (t) => {
  const { service, said } = await limited(t, { requestsPerSecond: 2.5 });
  const socket = await openWebSocket(service, said);
  assert.ok(typeof socket === 'object');
  t.after(() => socket.close());
  assert.equal((await askWebSocket(socket, { type: 'ping', requestId: 'one' }))['type'], 'pong');
  const refused = await askWebSocket(socket, { type: 'ping', requestId: 'two' });
  assert.deepEqual(
    [refused['type'], refused['requestId'], refused['code'] ?? (refused['error'] as { code?: string })?.code],
    ['error', 'two', 'RESOURCE_EXHAUSTED'],
  );
});

test('[AC31] a batch beyond the rate is taken, the next one waits, on every way in; reading goes on', async (t) => {
  const { service, said, other } = await limited(t, { spansPerSecond: ONE, thoughtsPerSecond: 1e6 });
  const sent = (body: object) => askHttp(service, 'POST', '/v1/traces', said, JSON.stringify(body));
  assert.equal((await sent(traces(50))).status, 200);
  assert.equal((await sent(traces(1))).status, 429);
  assert.equal((await exportSpans(service, said)).code, 8);
  for (const path of ['/api/cot', '/api/events', '/thoughtflow', '/ag-ui/events'])
    assert.equal((await askHttp(service, 'POST', path, said)).status, 429, path);
  assert.equal((await askHttp(service, 'GET', '/api/tasks', said)).status, 200);
  assert.ok((await refusedTimes(service, other, 'spans')) >= 6);
});

test('[AC31] thoughts and bytes count as well', async (t) => {
  const { service, said } = await limited(t, { thoughtsPerSecond: ONE });
  const thought = JSON.stringify({ requestId: 'r', text: 'so', timestamp: 1_750_000_000_000, final: true });
  assert.equal((await askHttp(service, 'POST', '/api/cot', said, thought)).status, 202);
  assert.equal((await askHttp(service, 'POST', '/api/cot', said, thought)).status, 429);
  const bytes = await limited(t, { bytesPerSecond: 10 });
  assert.equal((await exportSpans(bytes.service, bytes.said)).code, 0);
  assert.equal((await exportSpans(bytes.service, bytes.said)).code, 8);
});

test('[AC32] subscriptions of a key are counted over all its connections, and free when they end', async (t) => {
  const { service, said } = await limited(t, { subscriptions: 1, connections: 2 });
  const [socket, second] = [await openWebSocket(service, said), await openWebSocket(service, said)];
  assert.ok(typeof socket === 'object' && typeof second === 'object');
  t.after(() => second.close());
  assert.equal(await openWebSocket(service, said), 429, 'a third connection');
  const subscribe = { type: 'subscribe', requestId: 's', request: {} };
  const subscribed = await askWebSocket(socket, subscribe);
  assert.equal(subscribed['type'], 'subscribed');
  assert.equal((await askWebSocket(second, subscribe))['type'], 'error');
  const { host, port } = service.service.addresses.readers;
  assert.equal((await streamGrpc(`${host}:${port}`, `${EXPLAIN}/Subscribe`, said).end).code, 8);
  const { subscriptionId } = subscribed;
  assert.equal(
    (await askWebSocket(socket, { type: 'unsubscribe', requestId: 'u', subscriptionId }))['type'],
    'ok',
  );
  assert.equal((await askWebSocket(second, subscribe))['type'], 'subscribed');
  const gone = new Promise((resolve) => second.once('close', resolve));
  second.close();
  await gone;
  const again = await askWebSocket(socket, { ...subscribe, requestId: 't' });
  assert.equal(again['type'], 'subscribed', 'whose connection is gone has none');
  socket.close();
});

const SHARED = { mine: { roles: ['reader'] }, other: { roles: ['reader'], project: 'web' } };

test('[AC38] when all subscriptions are taken, who has most makes room, over WebSocket and gRPC, whatever project', async (t) => {
  const { service, keys } = await serviceWithKeys(t, SHARED, ['--max-subscriptions', '4']);
  const [mine, other] = [{ 'x-api-key': keys.mine }, { 'x-api-key': keys.other }];
  const address = service.readers.replace('http://', '');
  const socket = await openWebSocket(service, mine);
  assert.ok(typeof socket === 'object');
  t.after(() => socket.terminate());
  const subscribe = (requestId: string) => ({ type: 'subscribe', requestId, request: {} });
  for (const id of ['1', '2', '3'])
    assert.equal((await askWebSocket(socket, subscribe(id)))['type'], 'subscribed');
  const last = streamGrpc(address, `${EXPLAIN}/Subscribe`, mine);
  await last.first;
  const refused = streamGrpc(address, `${EXPLAIN}/Subscribe`, mine);
  assert.equal((await refused.end).code, 8);
  const theirs = streamGrpc(address, `${EXPLAIN}/Subscribe`, other);
  await theirs.first;
  assert.equal((await last.end).code, 14);
  const answered = new Promise<string>((resolve) =>
    socket.once('message', (data: Buffer) => resolve(data.toString())),
  );
  const second = streamGrpc(address, `${EXPLAIN}/Subscribe`, other);
  await second.first;
  assert.match(await answered, /UNAVAILABLE.*others have less/);
  assert.equal((await streamGrpc(address, `${EXPLAIN}/Subscribe`, other).end).code, 8);
});

test('[AC38] a key that opens connections without an end closes its own, and keeps nobody else out', async (t) => {
  const { service, keys } = await serviceWithKeys(t, SHARED, ['--max-connections', '16']);
  const open = async (key: string) => {
    const socket = await openWebSocket(service, { 'x-api-key': key });
    assert.ok(typeof socket === 'object');
    socket.on('error', () => undefined);
    t.after(() => socket.terminate());
    return socket;
  };
  const first = await open(keys.other);
  for (let n = 0; n < 40; n++) await open(keys.mine);
  const second = await open(keys.other);
  for (let n = 0; n < 40; n++) await open(keys.mine);
  for (const socket of [first, second])
    assert.equal((await askWebSocket(socket, { type: 'ping' }))['type'], 'pong');
});
