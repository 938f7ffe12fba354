import assert from 'node:assert/strict';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { onBehalfOf, ON_BEHALF_OF } from '../../src/access/on-behalf-of.ts';
import type { Principal } from '../../src/access/principal.ts';
import { Client } from '../../src/client/client.ts';
import { GrpcTransport } from '../../src/client/grpc-transport.ts';
import { fetchWith } from '../../src/client/node-fetch.ts';
import { DEFAULT_TIMING } from '../../src/client/timing.ts';
import { span } from '../reader-contract/records.ts';
import { TestCertificates } from '../support/test-certificates.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { askHttp, askWebSocket, callGrpc, openWebSocket, streamGrpc, type Said } from './ways-in.ts';

const EXPLAIN = '/explain.v1.ExplainService';
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Nobody guesses it. */
const GATEWAY_TOKEN = 'kG7x2Lq9Zp4Rt8VwYm3Nc6Hb';
const READER: Principal = { by: 'person', id: 'ann', name: 'Ann', roles: ['reader'], project: 'default' };
const ADMIN: Principal = { ...READER, id: 'eve', name: 'Eve', roles: ['admin'] };
const SENDER: Principal = { ...READER, by: 'key', id: 'agents', name: 'agents', roles: ['sender'] };

function headerOf(value: object): Said {
  return { [ON_BEHALF_OF]: Buffer.from(JSON.stringify(value)).toString('base64url') };
}

/** What each way in answers to somebody who wants to read, as the number of HTTP. */
const READING: Readonly<Record<string, (service: RealService, said: Said) => Promise<number>>> = {
  async HTTP(service, said) {
    return (await askHttp(service, 'GET', '/api/tasks', said)).status;
  },
  async WebSocket(service, said) {
    const socket = await openWebSocket(service, said);
    if (typeof socket === 'number') return socket;
    socket.terminate();
    return 200;
  },
  async gRPC(service, said) {
    return HTTP_OF[await callGrpc(addressOf(service), `${EXPLAIN}/ListTasks`, said)] ?? 500;
  },
  async 'a stream of gRPC'(service, said) {
    const { first, end } = streamGrpc(addressOf(service), `${EXPLAIN}/Subscribe`, said);
    return HTTP_OF[await Promise.race([first.then(() => 0), end.then(({ code }) => code)])] ?? 500;
  },
};
const HTTP_OF: Readonly<Record<number, number>> = { 0: 200, 3: 400, 7: 403, 8: 429, 16: 401 };

function addressOf(service: RealService): string {
  const { host, port } = service.service.addresses.readers;
  return `${host}:${port}`;
}

async function onEachWay(service: RealService, said: Said, wanted: number, what: string): Promise<void> {
  for (const [way, ask] of Object.entries(READING))
    assert.equal(await ask(service, said), wanted, `${way}: ${what}`);
}

function cell(t: TestContext, flags: readonly string[] = []) {
  const wanted = {
    gateway: { roles: ['gateway'] },
    // There is a project of that name.
    ofShop: { roles: ['gateway'], project: 'shop' },
    reader: { roles: ['reader'] },
    admin: { roles: ['admin'] },
    sender: { roles: ['sender'] },
  };
  return serviceWithKeys(t, wanted, flags);
}

test('[AC13] over HTTP, WebSocket and gRPC a gateway asks for its callers, who may what they may', async (t) => {
  const { service, keys } = await cell(t);
  const gateway = { 'x-api-key': keys.gateway };
  const asked = (caller: Principal): Said => ({ ...gateway, ...onBehalfOf(caller) });
  await onEachWay(service, asked(READER), 200, 'a reader');
  await onEachWay(service, asked(ADMIN), 200, 'an administrator');
  await onEachWay(service, asked({ ...READER, project: 'shop' }), 200, 'of another project');
  await onEachWay(service, asked(SENDER), 403, 'a sender');
  await onEachWay(service, gateway, 403, 'nobody named');
  await onEachWay(service, { ...onBehalfOf(READER) }, 401, 'no key');
  const me = await askHttp(service, 'GET', '/api/me', asked({ ...READER, project: 'shop' }));
  assert.deepEqual(JSON.parse(me.text), {
    by: 'person',
    name: 'Ann',
    roles: ['reader'],
    rights: ['see'],
    project: 'shop',
  });
  assert.equal((await askHttp(service, 'GET', '/api/keys', asked(ADMIN))).status, 200);
  assert.equal((await askHttp(service, 'GET', '/api/keys', asked(READER))).status, 403);
  assert.equal(await callGrpc(addressOf(service), `${EXPLAIN}/Search`, asked(READER)), 7);
  assert.equal(
    await callGrpc(addressOf(service), `${EXPLAIN}/Search`, asked(ADMIN)),
    3,
    'nothing to search for',
  );
});

test('[AC13] a gateway sends for its callers, by OTLP on every port', async (t) => {
  const { service, keys } = await cell(t);
  const gateway = { 'x-api-key': keys.gateway, 'content-type': 'application/json' };
  for (const [caller, said, code] of [
    [200, { ...gateway, ...onBehalfOf(SENDER) }, 0],
    [403, { ...gateway, ...onBehalfOf(READER) }, 7],
    [403, gateway, 7],
  ] as const) {
    for (const port of [service.otlpHttp, service.readers]) {
      const { status } = await fetch(`${port}/v1/traces`, { method: 'POST', headers: said, body: '{}' });
      assert.equal(status, caller);
    }
    const { 'content-type': _, ...metadata } = said;
    for (const port of [service.otlpGrpc, addressOf(service)])
      assert.equal(await callGrpc(port, TRACES, metadata), code);
  }
});

test('[AC13] a gateway by itself sees whether a cell is well, and is told what is missing for data', async (t) => {
  const { service, keys } = await cell(t);
  const gateway = { 'x-api-key': keys.gateway };
  for (const path of ['/healthz', '/readyz', '/metrics', '/api/cell', '/api/cell/tasks'])
    assert.equal((await askHttp(service, 'GET', path, gateway)).status, 200, path);
  for (const path of ['/api/tasks', '/api/graph', '/api/keys', '/api/audit']) {
    const { status, text } = await askHttp(service, 'GET', path, gateway);
    assert.equal(status, 403, path);
    assert.match(text, /name the caller in x-explain-on-behalf-of/, path);
  }
  assert.equal(await callGrpc(addressOf(service), '/grpc.health.v1.Health/Check', gateway), 0);
});

test('[AC13] who is no gateway names nobody, whatever they send, and is on record', async (t) => {
  const { service, keys } = await cell(t);
  for (const key of [keys.reader, keys.admin])
    for (const header of [onBehalfOf(READER), onBehalfOf(ADMIN), { [ON_BEHALF_OF]: 'garbage' }])
      await onEachWay(service, { 'x-api-key': key, ...header }, 403, 'no gateway');
  const { text } = await askHttp(service, 'GET', '/api/tasks', {
    'x-api-key': keys.reader,
    ...onBehalfOf(ADMIN),
  });
  assert.match(text, /x-explain-on-behalf-of is for gateways: leave it out/);
  const sent = { 'x-api-key': keys.sender, ...onBehalfOf(SENDER) };
  assert.equal(await callGrpc(service.otlpGrpc, TRACES, sent), 7);
  const audit = await askHttp(service, 'GET', '/api/audit?action=denied', { 'x-api-key': keys.admin });
  const { entries } = JSON.parse(audit.text) as { entries: { name?: string; from?: string; who: string }[] };
  assert.deepEqual([...new Set(entries.map(({ name }) => name))], ['reader']);
  assert.ok(entries.every(({ who, from }) => who.startsWith('key-') && from === '127.0.0.1'));
});

test('[AC13] whatever is wrong in what a gateway says is refused by name, and the cell goes on', async (t) => {
  const { service, keys } = await cell(t);
  const gateway = { 'x-api-key': keys.gateway };
  const wrong: Readonly<Record<string, readonly [Said, number]>> = {
    garbage: [{ [ON_BEHALF_OF]: 'garbage' }, 400],
    'the role gateway': [headerOf({ ...READER, roles: ['gateway'] }), 403],
    'a project that does not exist': [onBehalfOf({ ...READER, project: 'nowhere' }), 403],
    '12 KB': [headerOf({ ...READER, name: 'x'.repeat(9_000) }), 400],
  };
  for (const [what, [header, status]] of Object.entries(wrong))
    await onEachWay(service, { ...gateway, ...header }, status, what);
  for (const path of ['/healthz', '/readyz'])
    assert.equal((await askHttp(service, 'GET', path, gateway)).status, 200);
  await onEachWay(service, { ...gateway, ...onBehalfOf(READER) }, 200, 'after all of it');
});

test('[AC13] a header of a megabyte, and two of them, get nothing, and the cell goes on', async (t) => {
  const { service, keys } = await cell(t);
  const gateway = { 'x-api-key': keys.gateway };
  const huge = { ...gateway, [ON_BEHALF_OF]: 'A'.repeat(1024 * 1024) };
  assert.equal(
    await callGrpc(addressOf(service), `${EXPLAIN}/ListTasks`, huge).then((code) => code === 0),
    false,
  );
  assert.ok([431, 0].includes(await statusOf(service, huge)));
  assert.ok([431, 0].includes(await openWebSocket(service, huge).then(Number, () => 0)));
  const { [ON_BEHALF_OF]: one } = onBehalfOf(READER);
  assert.equal(await statusOf(service, { ...gateway, [ON_BEHALF_OF]: [one, one] }), 400);
  await onEachWay(service, { ...gateway, ...onBehalfOf(READER) }, 200, 'after all of it');
});

/** The status of `/api/tasks`; 0 where the connection ended. */
function statusOf(
  service: RealService,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<number> {
  return new Promise((resolve) => {
    request(`${service.readers}/api/tasks`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', () => resolve(0))
      .end();
  });
}

test('[AC13] auth.gatewayToken makes a gateway; its session, and who has another token, speak for nobody', async (t) => {
  const auth = { token: 'token-of-all', adminToken: 'admin-token', gatewayToken: GATEWAY_TOKEN };
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir, flags: ['--auth', JSON.stringify(auth)] });
  t.after(() => service.stop());
  const asked = (token: string): Said => ({ authorization: `Bearer ${token}`, ...onBehalfOf(READER) });
  await onEachWay(service, asked(auth.gatewayToken), 200, 'the token of a gateway');
  await onEachWay(service, asked(auth.adminToken), 403, 'the token of an administrator');
  const login = await fetch(`${service.readers}/login/token`, {
    method: 'POST',
    headers: { origin: service.readers, 'content-type': 'application/json' },
    body: JSON.stringify({ token: auth.gatewayToken }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.match(cookie, /^explain=/);
  assert.equal((await askHttp(service, 'GET', '/readyz', { cookie })).status, 200);
  assert.equal((await askHttp(service, 'GET', '/api/tasks', { cookie, ...onBehalfOf(READER) })).status, 403);
});

const FAR = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test(
  '[AC13] from another machine a gateway shows a client certificate, or is told so',
  { skip: FAR === undefined && 'this machine has no address but loopback' },
  async (t) => {
    const dataDir = await temporaryFolder(t);
    const certificates = new TestCertificates(join(dataDir, 'tls'));
    const server = certificates.signed({ use: 'server', commonName: 'cell', names: [FAR ?? ''] });
    const tls = {
      ...(await certificates.write(server)),
      clientCertificates: 'optional',
      clients: { 'collector-1': { roles: ['gateway'] } },
    };
    const auth = { token: 'token-of-all', gatewayToken: GATEWAY_TOKEN };
    const flags = ['--host', '0.0.0.0', '--auth', JSON.stringify(auth), '--tls', JSON.stringify(tls)];
    const service = await RealService.start({ dataDir, flags });
    t.after(() => service.stop());
    const target = `${FAR}:${service.service.addresses.readers.port}`;
    const ca = certificates.ca.cert;
    const withCertificate = { ca, ...certificates.client };
    for (const [secure, token, isLetIn] of [
      [withCertificate, undefined, true],
      [withCertificate, GATEWAY_TOKEN, true],
      [{ ca }, GATEWAY_TOKEN, false],
    ] as const) {
      const headers = {
        ...onBehalfOf(READER),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetchWith(secure)(`https://${target}/api/tasks`, { headers });
      assert.equal(answer.status, isLetIn ? 200 : 403);
      if (!isLetIn) assert.match(await answer.text(), /over loopback, or with a client certificate/);
      const client = clientOf(target, { token, tls: secure, headers: onBehalfOf(READER) });
      t.after(() => client.close());
      if (isLetIn) await client.findTasks();
      else await assert.rejects(client.findTasks(), { code: 'PERMISSION_DENIED' });
    }
  },
);

function clientOf(
  target: string,
  options: Pick<ConstructorParameters<typeof GrpcTransport>[0], 'token' | 'tls' | 'headers'>,
): Client {
  return new Client(new GrpcTransport({ target, timing: DEFAULT_TIMING, ...options }), DEFAULT_TIMING);
}

test('[AC14] without auth a caller may be named who may less than everybody, and no one who may more', async (t) => {
  const service = await RealService.of(t);
  await service.feed([span({ trace: 1, span: 1, name: 'a step' })]);
  await service.flush();
  await onEachWay(service, onBehalfOf(READER), 200, 'a reader');
  await onEachWay(service, onBehalfOf({ ...READER, roles: ['sender', 'operator'] }), 200, 'everybody');
  await onEachWay(service, onBehalfOf(SENDER), 403, 'a sender');
  await onEachWay(service, onBehalfOf(ADMIN), 403, 'an administrator');
  await onEachWay(service, onBehalfOf({ ...READER, project: 'shop' }), 403, 'another project');
  await onEachWay(service, { [ON_BEHALF_OF]: 'garbage' }, 400, 'garbage');
  const whole = await askHttp(service, 'GET', '/api/graph?collapse=none', {});
  const structure = await askHttp(service, 'GET', '/api/graph?collapse=none', onBehalfOf(READER));
  assert.match(whole.text, /a step/);
  assert.doesNotMatch(structure.text, /a step/);
  assert.equal((await askHttp(service, 'GET', '/api/search?q=step', onBehalfOf(READER))).status, 403);
});

test('[AC15] what a gateway does for a caller is on record as the caller’s, by way of the gateway', async (t) => {
  const { service, keys } = await cell(t);
  const operator: Principal = { ...READER, id: 'olga', name: 'Olga', roles: ['operator'] };
  const said = { 'x-api-key': keys.gateway, ...onBehalfOf(operator) };
  const body = JSON.stringify({ olderThanMinutes: 1e6 });
  assert.equal((await askHttp(service, 'POST', '/api/prune', said, body)).status, 200);
  const refused = { 'x-api-key': keys.gateway, ...headerOf({ ...READER, roles: ['gateway'] }) };
  assert.equal((await askHttp(service, 'GET', '/api/tasks', refused)).status, 403);
  const { text } = await askHttp(service, 'GET', '/api/audit', { 'x-api-key': keys.admin });
  const { entries } = JSON.parse(text) as { entries: Record<string, string>[] };
  const of = (action: string) => {
    const { who, via, by, name, role, from } = entries.find((entry) => entry['action'] === action) ?? {};
    return { who, via, by, name, role, from };
  };
  const { id } = await gatewayOf(service, keys.admin);
  assert.deepEqual(of('prune'), {
    who: `${id}/olga`,
    via: id,
    by: 'person',
    name: 'Olga',
    role: 'operator',
    from: '127.0.0.1',
  });
  const gateway = { who: id, via: undefined, by: 'key', name: 'gateway', role: 'gateway', from: '127.0.0.1' };
  assert.deepEqual(of('denied'), gateway);
});

async function gatewayOf(service: RealService, admin: string): Promise<{ readonly id: string }> {
  const { text } = await askHttp(service, 'GET', '/api/keys', { 'x-api-key': admin });
  const { keys } = JSON.parse(text) as { keys: { id: string; name: string }[] };
  const found = keys.find(({ name }) => name === 'gateway');
  assert.ok(found);
  return found;
}

test('[AC15] when the key of a gateway is revoked, what its callers have open ends', async (t) => {
  const { service, keys } = await cell(t);
  const said = { 'x-api-key': keys.gateway, ...onBehalfOf(READER) };
  const socket = await openWebSocket(service, said);
  assert.ok(typeof socket === 'object');
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const stream = streamGrpc(addressOf(service), `${EXPLAIN}/Subscribe`, said);
  await stream.first;
  const { id } = await gatewayOf(service, keys.admin);
  const revoked = await askHttp(service, 'DELETE', `/api/keys/${id}`, { 'x-api-key': keys.admin });
  assert.equal(revoked.status, 200);
  assert.deepEqual([await closed, (await stream.end).code], [1008, 16]);
});

test('[AC16] the limits of the settings count for each caller of a gateway, and not for all of them together', async (t) => {
  const { service, keys } = await cell(t, ['--limits', '{"subscriptions": 1}']);
  const streamOf = (n: number) => {
    const said = { 'x-api-key': keys.gateway, ...onBehalfOf({ ...READER, id: `reader-${n}` }) };
    return streamGrpc(addressOf(service), `${EXPLAIN}/Subscribe`, said);
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => streamOf(n).first));
  assert.equal((await streamOf(0).end).code, 8);
});

test('[AC16] limits that the key of a gateway names hold for all its callers together', async (t) => {
  const limits = { subscriptions: 2, requestsPerSecond: 1e6 };
  const { service, keys } = await serviceWithKeys(t, { gateway: { roles: ['gateway'], limits } });
  const socketOf = async (id: string) => {
    const socket = await openWebSocket(service, {
      'x-api-key': keys.gateway,
      ...onBehalfOf({ ...READER, id }),
    });
    assert.ok(typeof socket === 'object');
    t.after(() => socket.terminate());
    return askWebSocket(socket, { type: 'subscribe', requestId: 's', request: {} });
  };
  assert.equal((await socketOf('a'))['type'], 'subscribed');
  assert.equal((await socketOf('b'))['type'], 'subscribed');
  assert.match(JSON.stringify(await socketOf('c')), /the key of this gateway may have 2 subscriptions/);
});
