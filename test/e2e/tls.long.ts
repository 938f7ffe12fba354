import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { test, type TestContext } from 'node:test';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { Client, connectivityState, credentials, type ServiceError } from '@grpc/grpc-js';
import { WebSocket } from 'ws';
import { fetchWith, type ClientTls } from '../../src/client/node-fetch.ts';
import type { TlsPort } from '../../src/config/tls.ts';
import { LOOPBACK_NAMES, TestCertificates, testCertificate } from '../support/test-certificates.ts';
import { until } from '../support/until.ts';
import { exampleRequest } from './tls-requests.ts';
import { protobufOf } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const PORTS: readonly TlsPort[] = ['readers', 'otlpGrpc', 'otlpHttp'];

interface Started {
  readonly service: RealService;
  readonly certificates: TestCertificates;
  /** `host:port` */
  readonly at: (port: TlsPort) => string;
}

async function started(t: TestContext, more: object = {}, flags: readonly string[] = []): Promise<Started> {
  const dataDir = await temporaryFolder(t);
  const certificates = new TestCertificates(join(dataDir, 'tls'));
  const { certFile, keyFile, caFile } = await certificates.write();
  const tls = {
    certFile,
    keyFile,
    ...('clientCertificates' in more && { caFile }),
    ...more,
  };
  const service = await RealService.start({ dataDir, flags: ['--tls', JSON.stringify(tls), ...flags] });
  t.after(() => service.stop());
  return {
    service,
    certificates,
    at: (port) => `127.0.0.1:${service.service.addresses[port].port}`,
  };
}

async function answerOf(url: string, tls: ClientTls, init?: RequestInit): Promise<[number, string]> {
  const response = await fetchWith(tls)(url, init);
  return [response.status, await response.text()];
}

/** The error of a call over gRPC, or its answer's length. */
function exportByGrpc(target: string, tls: ClientTls | undefined): Promise<ServiceError | number> {
  const { ca, cert, key } = tls ?? {};
  const pem = (text: string | Buffer | undefined): Buffer | null =>
    text === undefined ? null : Buffer.from(text);
  const client = new Client(
    target,
    tls ? credentials.createSsl(pem(ca), pem(key), pem(cert)) : credentials.createInsecure(),
    { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_http_proxy': 0 },
  );
  const same = (bytes: Buffer): Buffer => bytes;
  const body = protobufOf('traces', exampleRequest());
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, body, (error: ServiceError | null, answer?: Buffer) => {
      client.close();
      resolve(error ?? answer?.length ?? -1);
    });
  });
}

/** Everything that comes until the other side closes. */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks);
}

async function tlsTo(target: string, options: ConnectionOptions): Promise<TLSSocket> {
  const [host, port] = target.split(':');
  const socket = connectTls({ host: host ?? '', port: Number(port), ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function tcpTo(target: string): Promise<Socket> {
  const [host, port] = target.split(':');
  const socket = connectTcp(Number(port), host);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('[AC60] one certificate serves all ports: gRPC, HTTP and WebSocket share the readers’ port', async (t) => {
  const { certificates, at } = await started(t);
  const tls = { ca: certificates.ca.cert };
  assert.equal(await exportByGrpc(at('readers'), tls), 0);
  assert.equal(await exportByGrpc(at('otlpGrpc'), tls), 0);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(exampleRequest()),
  };
  for (const port of ['readers', 'otlpHttp'] as const)
    assert.equal((await answerOf(`https://${at(port)}/v1/traces`, tls, init))[0], 200, port);
  const [status, graph] = await answerOf(`https://${at('readers')}/api/graph?collapse=none`, tls);
  assert.equal(status, 200);
  assert.match(graph, /"name":"step over TLS"/);
  const socket = new WebSocket(`wss://${at('readers')}/explain`, tls);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'subscribe', requestId: '1', request: {} }));
  const [message] = (await once(socket, 'message')) as [Buffer];
  assert.match(message.toString(), /"type":"subscribed"/);
  socket.close();
  await once(socket, 'close');
});

test('[AC60] who offers HTTP/1.1 and HTTP/2 gets the page, as a browser does', async (t) => {
  const { certificates, at } = await started(t);
  const socket = await tlsTo(at('readers'), {
    ca: certificates.ca.cert,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  assert.equal(socket.alpnProtocol, 'http/1.1');
  socket.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  assert.match((await readAll(socket)).toString(), /^HTTP\/1\.1 200 OK\r\n/);
});

test('[AC61] nothing older than TLS 1.2 is spoken, and each port answers bad handshakes by itself', async (t) => {
  const { certificates, service, at } = await started(t);
  for (const port of PORTS) {
    const old = connectTls({
      port: Number(at(port).split(':')[1]),
      ca: certificates.ca.cert,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [error] = (await once(old, 'error')) as [NodeJS.ErrnoException];
    assert.match(error.code ?? '', /PROTOCOL_VERSION/, port);
    const garbage = await tcpTo(at(port));
    garbage.write(Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]));
    await readAll(garbage);
  }
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await tlsTo(at('readers'), {
      ca: certificates.ca.cert,
      minVersion: version,
      maxVersion: version,
    });
    assert.equal(socket.getProtocol(), version);
    socket.destroy();
  }
  assert.match(service.log, /a handshake of TLS failed/);
});

test('[AC62] plain text at a port with TLS is told so, and TLS at a port without', async (t) => {
  const { service, at } = await started(t);
  for (const port of PORTS) {
    const response = await fetch(`http://${at(port)}/api/graph`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /this port speaks TLS: https:\/\//);
    assert.equal(typeof (await exportByGrpc(at(port), undefined)), 'object');
  }
  assert.match(service.log, /plain text to a port that speaks TLS/);

  const plain = await RealService.of(t);
  for (const port of PORTS) {
    const socket = connectTls({ port: plain.service.addresses[port].port, host: '127.0.0.1' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    assert.match(error.code ?? '', /ALERT_UNEXPECTED_MESSAGE/, port);
  }
  assert.match(plain.log, /TLS to a port without it/);
  assert.equal(plain.log.match(/TLS to a port without it/g)?.length, PORTS.length, 'once for each port');
});

test('[AC63] handshakes that stop hold nothing up, and end', async (t) => {
  const { certificates, at } = await started(t);
  const tls = { ca: certificates.ca.cert };
  const half = await Promise.all(Array.from({ length: 1_000 }, () => tcpTo(at('readers'))));
  t.after(() => half.forEach((socket) => socket.destroy()));
  for (const [n, socket] of half.entries())
    socket.write(Buffer.from(n % 2 === 0 ? [0x16] : [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
  assert.equal((await answerOf(`https://${at('readers')}/healthz`, tls))[0], 200);
  assert.equal(await exportByGrpc(at('readers'), tls), 0);
  await until('all of them are closed', () => half.every((socket) => socket.closed || socket.readableEnded));
  assert.equal((await answerOf(`https://${at('readers')}/healthz`, tls))[0], 200);
});

test('[AC64] client certificates that are asked for: without one nobody gets anything', async (t) => {
  const { certificates, at } = await started(t, { clientCertificates: 'required' });
  const { ca, client } = certificates;
  const mine = { ca: ca.cert, ...client };
  assert.equal((await answerOf(`https://${at('readers')}/api/tasks`, mine))[0], 200);
  for (const port of ['readers', 'otlpGrpc'] as const) assert.equal(await exportByGrpc(at(port), mine), 0);

  const other = testCertificate({ use: 'authority', commonName: 'test authority' });
  const DAY_MS = 86_400_000;
  const bad: Readonly<Record<string, readonly [ClientTls, RegExp]>> = {
    none: [{}, /none was given, and this port asks for one/],
    'of another authority': [
      testCertificate({ use: 'client', commonName: 'collector-1', signedBy: other }),
      /no authority of this service has signed it/,
    ],
    'signed by itself': [
      testCertificate({ use: 'client', commonName: 'collector-1' }),
      /no authority of this service has signed it/,
    ],
    expired: [
      certificates.signed({
        use: 'client',
        commonName: 'collector-1',
        validTo: new Date(Date.now() - DAY_MS / 2),
      }),
      /it has expired/,
    ],
    'not valid yet': [
      certificates.signed({
        use: 'client',
        commonName: 'collector-1',
        validFrom: new Date(Date.now() + DAY_MS / 2),
      }),
      /it is not valid yet/,
    ],
    'of a server': [certificates.server, /no authority of this service has signed it for clients/],
  };
  for (const [what, [tls, problem]] of Object.entries(bad)) {
    const [status, text] = await answerOf(`https://${at('readers')}/api/tasks`, { ca: ca.cert, ...tls });
    assert.equal(status, 400, what);
    assert.match(text, problem, what);
    for (const port of ['readers', 'otlpGrpc'] as const)
      assert.equal(typeof (await exportByGrpc(at(port), { ca: ca.cert, ...tls })), 'object', what);
  }
});

test('[AC64] each port has what it is given: senders show certificates, readers need none', async (t) => {
  const dataDir = await temporaryFolder(t);
  const certificates = new TestCertificates(join(dataDir, 'tls'));
  const { certFile, keyFile, caFile } = await certificates.write();
  const tls = {
    certFile,
    keyFile,
    otlpGrpc: { caFile, clientCertificates: 'required' },
    otlpHttp: 'terminated',
  };
  const service = await RealService.start({ dataDir, flags: ['--tls', JSON.stringify(tls)] });
  t.after(() => service.stop());
  const { readers, otlpGrpc, otlpHttp, tls: speaking } = service.service.addresses;
  assert.deepEqual([...speaking], ['readers', 'otlpGrpc']);
  const ca = { ca: certificates.ca.cert };
  assert.equal((await answerOf(`https://127.0.0.1:${readers.port}/api/tasks`, ca))[0], 200);
  assert.equal(typeof (await exportByGrpc(`127.0.0.1:${otlpGrpc.port}`, ca)), 'object');
  assert.equal(await exportByGrpc(`127.0.0.1:${otlpGrpc.port}`, { ...ca, ...certificates.client }), 0);
  assert.equal((await fetch(`http://127.0.0.1:${otlpHttp.port}/v1/traces`)).status, 405);
});

test('[AC65] a pair that changes is used for new connections; a broken one is not', async (t) => {
  const { certificates, service, at } = await started(t);
  const tls = { ca: certificates.ca.cert };
  const fingerprint = async (): Promise<string> => {
    const socket = await tlsTo(at('otlpHttp'), tls);
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const readiness = async (): Promise<string> => (await answerOf(`https://${at('readers')}/readyz`, tls))[1];
  const first = await fingerprint();
  const second = certificates.signed({ use: 'server', commonName: 'second', names: LOOPBACK_NAMES });
  await certificates.write(second);
  await until('the second pair is used', async () => (await fingerprint()) !== first);
  const kept = await fingerprint();
  await certificates.write({ cert: certificates.server.cert, key: second.key });
  await until('it is told', async () => (await readiness()).includes('the ones of before stay'));
  assert.equal(await fingerprint(), kept);
  assert.match(await readiness(), /is not the key of the certificate/);
  assert.match(await readiness(), /"ready":true/);
  assert.match(service.log, /changed files of TLS are not used/);
  await certificates.write(second);
  await until('all is well', async () => !(await readiness()).includes('the ones of before stay'));
});

test('[AC68] names in certificates give roles on every way in; a token counts before them', async (t) => {
  const { certificates, at } = await started(
    t,
    {
      clientCertificates: 'optional',
      clients: { 'collector-1': { roles: ['sender'] }, 'spiffe.example': { roles: ['reader', 'sender'] } },
    },
    ['--auth', '{"token": "token-of-all"}'],
  );
  const ca = certificates.ca.cert;
  const sender = { ca, ...certificates.client };
  const both = {
    ca,
    ...certificates.signed({ use: 'client', commonName: 'some one', names: ['spiffe.example'] }),
  };
  const stranger = { ca, ...certificates.signed({ use: 'client', commonName: 'stranger' }) };
  const prototype = { ca, ...certificates.signed({ use: 'client', commonName: 'constructor' }) };
  const tasks = `https://${at('readers')}/api/tasks`;
  const headers = { authorization: 'Bearer token-of-all' };
  assert.equal((await answerOf(tasks, sender))[0], 403);
  assert.equal((await answerOf(tasks, both))[0], 200);
  for (const tls of [stranger, prototype, { ca }]) assert.equal((await answerOf(tasks, tls))[0], 401);
  assert.equal((await answerOf(tasks, sender, { headers }))[0], 200);
  assert.equal((await answerOf(tasks, both, { headers: { authorization: 'Bearer wrong' } }))[0], 401);
  assert.equal((await answerOf(tasks, both, { headers: { cookie: 'theme=dark' } }))[0], 200);
  for (const port of ['readers', 'otlpGrpc'] as const) {
    assert.equal(await exportByGrpc(at(port), sender), 0, port);
    assert.equal(((await exportByGrpc(at(port), stranger)) as ServiceError).code, 16, port);
  }
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(exampleRequest()),
  };
  for (const port of ['readers', 'otlpHttp'] as const) {
    assert.equal((await answerOf(`https://${at(port)}/v1/traces`, sender, init))[0], 200, port);
    assert.equal((await answerOf(`https://${at(port)}/v1/traces`, stranger, init))[0], 401, port);
  }
  for (const [tls, status] of [
    [both, 101],
    [sender, 403],
    [stranger, 401],
  ] as const) {
    const socket = new WebSocket(`wss://${at('readers')}/explain`, tls);
    const got = await new Promise((resolve) => {
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode));
    });
    assert.equal(got, status);
    socket.on('error', () => undefined);
    socket.terminate();
  }
});

test('[AC71] when an authority is taken out of caFile, whoever it vouched for is out, and nobody else', async (t) => {
  const { service, certificates, at } = await started(t, {
    clientCertificates: 'optional',
    clients: { 'collector-1': { roles: ['sender', 'reader'] } },
  });
  const { caFile } = await certificates.write();
  const second = testCertificate({ use: 'authority', commonName: 'second authority' });
  const both = `${certificates.ca.cert}${second.cert}`;
  const before = (service.log.match(/new certificate for TLS is used/g) ?? []).length;
  await writeFile(caFile, both);
  const used = (): number => (service.log.match(/new certificate for TLS is used/g) ?? []).length - before;
  await until('both authorities are used', () => used() > 0);

  const open = async (tls: ClientTls) => {
    const socket = new WebSocket(`wss://${at('readers')}/explain`, tls);
    const closed = once(socket, 'close') as Promise<[number, Buffer]>;
    await once(socket, 'open');
    const stream = new Client(at('readers'), sslOf(tls), { 'grpc.use_local_subchannel_pool': 1 });
    const call = stream.makeServerStreamRequest(
      '/explain.v1.ExplainService/Subscribe',
      asIs,
      asIs,
      Buffer.alloc(0),
    );
    const status = new Promise<{ code: number; details: string }>((resolve) => {
      call.on('error', () => undefined).on('status', resolve);
    });
    await once(call, 'data');
    const idle = await Promise.all(
      (['readers', 'otlpHttp'] as const).map((port) => keptAlive(`https://${at(port)}/v1/traces`, tls)),
    );
    const sender = new Client(at('otlpGrpc'), sslOf(tls), { 'grpc.use_local_subchannel_pool': 1 });
    t.after(() => {
      socket.terminate();
      stream.close();
      sender.close();
      for (const one of idle) one.destroy();
    });
    await new Promise<void>((resolve) =>
      sender.waitForReady(Date.now() + 10_000, (error) => {
        assert.ifError(error);
        resolve();
      }),
    );
    return { socket, closed, status, idle, sender };
  };
  const ca = certificates.ca.cert;
  const mine = await open({ ca, ...certificates.client });
  const other = await open({
    ca,
    ...testCertificate({ use: 'client', commonName: 'collector-1', signedBy: second }),
  });
  await writeFile(caFile, certificates.ca.cert);
  await until('its socket is closed', () => other.socket.readyState === WebSocket.CLOSED);
  const [code, reason] = await other.closed;
  assert.deepEqual([code, /authority is trusted no more/.test(reason.toString())], [1008, true]);
  assert.equal((await other.status).code, 16);
  await until('idle connections are closed', () => other.idle.every(({ closed }) => closed));
  await until(
    'that of the sender, too',
    () => other.sender.getChannel().getConnectivityState(false) !== connectivityState.READY,
  );
  assert.equal(mine.socket.readyState, WebSocket.OPEN);
  assert.equal(mine.sender.getChannel().getConnectivityState(false), connectivityState.READY);
  assert.ok(mine.idle.every(({ closed }) => !closed));
});

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function sslOf({ ca, cert, key }: ClientTls): ReturnType<typeof credentials.createSsl> {
  const [root, own, chain] = [ca, key, cert].map((pem) => Buffer.from(pem ?? ''));
  return credentials.createSsl(root, own, chain);
}

/** A connection of HTTP/1.1 on which a request was answered, and nothing runs. */
async function keptAlive(url: string, tls: ClientTls): Promise<Socket> {
  const request = httpsRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: new Agent({ keepAlive: true, ...tls }),
  });
  request.end(JSON.stringify(exampleRequest()));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
  await once(response, 'end');
  assert.ok(request.socket);
  return request.socket;
}

test('[AC7] with the first key, which a certificate may make, sockets and streams of nobody end', async (t) => {
  const { certificates, at } = await started(t, {
    clientCertificates: 'optional',
    clients: { 'collector-1': { roles: ['admin'] } },
  });
  const ca = certificates.ca.cert;
  const socket = new WebSocket(`wss://${at('readers')}/explain`, { ca });
  const closed = once(socket, 'close') as Promise<[number, Buffer]>;
  await once(socket, 'open');
  const admin = new WebSocket(`wss://${at('readers')}/explain`, { ca, ...certificates.client });
  await once(admin, 'open');
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name": "first", "roles": ["reader"]}',
  };
  const made = await answerOf(`https://${at('readers')}/api/keys`, { ca, ...certificates.client }, init);
  assert.equal(made[0], 201, made[1]);
  await until('its socket is closed', () => socket.readyState === WebSocket.CLOSED);
  assert.equal((await closed)[0], 1008);
  assert.equal(admin.readyState, WebSocket.OPEN);
  admin.terminate();
});
