import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { TestCertificates } from '../../../test/support/test-certificates.ts';
import { BOUNDED } from '../../../test/support/until.ts';
import { systemClock } from '../../base/clock.ts';
import type { CertificatePair } from '../../base/x509.ts';
import { silentLogger as logger } from '../../telemetry/logger.ts';
import { Connections, type Connection } from '../connections.ts';
import { TcpListener } from '../tcp-listener.ts';
import { Certificates } from './certificates.ts';
import { certificateOf, type ClientCertificate } from './client-certificate.ts';
import { TlsEntrance } from './tls-entrance.ts';

interface Port {
  readonly port: number;
  readonly connections: Connections;
  readonly pairs: TestCertificates;
  readonly next: () => Promise<Connection>;
}

async function listening(
  t: TestContext,
  clientCertificates?: 'optional' | 'required',
  handshakeTimeoutMs = 10_000,
): Promise<Port> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  t.after(() => rm(folder, { recursive: true }));
  const pairs = new TestCertificates(folder);
  const { certFile, keyFile, caFile } = await pairs.write();
  const files = clientCertificates
    ? { certFile, keyFile, caFile, clientCertificates }
    : { certFile, keyFile };
  const clock = systemClock;
  const certificates = new Certificates({ files, clock, logger });
  await certificates.start();
  t.after(() => certificates.stop());
  const connections = new Connections({ maxConnections: 20, clock, logger });
  const taken: Connection[] = [];
  const wanted: ((connection: Connection) => void)[] = [];
  const listener = new TcpListener({
    host: '127.0.0.1',
    port: 0,
    connections,
    logger,
    tls: new TlsEntrance({ certificates, clock, logger, handshakeTimeoutMs }),
    accept: (connection) => {
      const want = wanted.shift();
      if (want) want(connection);
      else taken.push(connection);
    },
  });
  const { port } = await listener.start();
  t.after(() => listener.stop());
  const next = async (): Promise<Connection> =>
    taken.shift() ?? (await new Promise((resolve) => wanted.push(resolve)));
  return { port, connections, pairs, next };
}

async function shownAs(
  { port, pairs, next }: Port,
  pair: Partial<CertificatePair>,
): Promise<ClientCertificate | undefined> {
  const socket = connectTls({ port, host: '127.0.0.1', ca: pairs.ca.cert, ...pair });
  socket.on('error', () => undefined);
  const connection = await next();
  socket.destroy();
  return certificateOf(connection.socket);
}

test('[AC68] the names and the fingerprint of a client certificate go on with its connection', async (t) => {
  const port = await listening(t, 'optional');
  const { ended, ...plain } = (await shownAs(port, port.pairs.client)) ?? {};
  assert.equal(ended?.aborted, false);
  const { fingerprint256: fingerprint } = new X509Certificate(port.pairs.client.cert);
  assert.deepEqual(plain, { subject: 'collector-1', names: ['collector-1'], fingerprint });
  const named = port.pairs.signed({
    use: 'client',
    commonName: 'collector, the "second"',
    names: ['c2.example', '10.0.0.7', 'a,DNS:admin'],
  });
  assert.deepEqual((await shownAs(port, named))?.names, [
    'collector, the "second"',
    'c2.example',
    '10.0.0.7',
    'a,DNS:admin',
  ]);
  assert.equal(await shownAs(port, {}), undefined, 'one may be left out');
  assert.equal(certificateOf(undefined), undefined);
});

test('[AC68] a session that is taken up again keeps its certificate', async (t) => {
  const port = await listening(t, 'required');
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const options = {
      port: port.port,
      host: '127.0.0.1',
      ca: port.pairs.ca.cert,
      ...port.pairs.client,
      minVersion: version,
      maxVersion: version,
    };
    const first = connectTls(options);
    const [session] = (await once(first, 'session')) as [Buffer];
    await port.next();
    first.destroy();
    const second: TLSSocket = connectTls({ ...options, session });
    await once(second, 'secureConnect');
    const { socket } = await port.next();
    assert.ok(second.isSessionReused(), version);
    assert.equal(certificateOf(socket)?.subject, 'collector-1', version);
    second.destroy();
  }
});

test('[AC68] it is found by what HTTP/2 hands out for a socket, and not when that is gone', async (t) => {
  const port = await listening(t, 'required');
  const server = createHttp2Server();
  const client = connectHttp2(`https://127.0.0.1:${port.port}`, {
    ca: port.pairs.ca.cert,
    ...port.pairs.client,
  });
  client.on('error', () => undefined);
  const { socket } = await port.next();
  const begun = once(server, 'session');
  server.emit('connection', socket);
  const [session] = (await begun) as [{ readonly socket: object; destroy(): void }];
  const standIn = session.socket;
  assert.notEqual(standIn, socket);
  assert.equal(certificateOf(standIn)?.subject, 'collector-1');
  session.destroy();
  await once(socket, 'close');
  assert.equal(certificateOf(standIn), undefined);
  client.destroy();
});

test('[AC63] a connection in its handshake is one of the idle, and goes after a time', BOUNDED, async (t) => {
  const port = await listening(t, undefined, 200);
  const silent = connectTls({ port: port.port, host: '127.0.0.1', ca: port.pairs.ca.cert });
  await once(silent, 'secureConnect');
  assert.equal(port.connections.size, 1, 'the secure one stands for it');
  for (const first of ['', '\x16', '\x16\x03\x01\x02\x00']) {
    const half = connect(port.port, '127.0.0.1');
    half.on('error', () => undefined);
    half.write(first, 'latin1');
    await once(half, 'close');
  }
  assert.equal(port.connections.size, 1);
  assert.ok(!silent.destroyed, 'the bound is for handshakes alone');
  silent.destroy();
});
