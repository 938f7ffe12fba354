import assert from 'node:assert/strict';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { exampleRequest } from './tls-requests.ts';
import { BOUNDED } from '../support/until.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The head of the answer to bytes, each line in small letters. */
async function headOf(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(sent, 'latin1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.on('close', resolve).on('end', () => socket.end()));
  return (Buffer.concat(chunks).toString('latin1').split('\r\n\r\n')[0] ?? '').toLowerCase();
}

test(
  '[AC80] every answer of HTTP, on every port, has the security headers and a strict policy',
  BOUNDED,
  async (t) => {
    const service = await RealService.of(t);
    const { readers, otlpHttp, otlpGrpc } = service.service.addresses;
    const get = (path: string, more = ''): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`;
    const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
    const asked: readonly (readonly [number, string])[] = [
      ...['/', '/healthz', '/readyz', '/metrics', '/nope', '/api/tasks', '/api/nodes/none', '/icon.svg'].map(
        (path) => [readers.port, get(path)] as const,
      ),
      [readers.port, get('/', 'Origin: https://evil.example\r\n')],
      [readers.port, 'neither\r\n\r\n'],
      [readers.port, get('/v1/traces')],
      [
        readers.port,
        `GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${upgrade}Sec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
      ],
      [
        readers.port,
        `GET /explain HTTP/1.1\r\nHost: localhost\r\n${upgrade.replace('13', '9')}Sec-WebSocket-Key: x\r\n\r\n`,
      ],
      [readers.port, get('/healthz', 'Expect: nothing\r\n')],
      [otlpHttp.port, get('/v1/traces', 'Expect: nothing\r\n')],
      [
        otlpHttp.port,
        `GET /explain HTTP/1.1\r\nHost: localhost\r\n${upgrade.replace('Upgrade\r\nSec', 'Upgrade, close\r\nSec')}\r\n`,
      ],
      [otlpHttp.port, get('/v1/traces')],
      [otlpHttp.port, get('/nope')],
      [otlpHttp.port, 'neither\r\n\r\n'],
      [otlpGrpc.port, get('/')],
    ];
    for (const [port, sent] of asked) {
      const head = await headOf(port, sent);
      const what = JSON.stringify(sent);
      assert.match(head, /^http\/1\.1 \d{3}/, what);
      assert.match(head, /\r\nx-content-type-options: nosniff/, what);
      assert.match(head, /\r\nx-frame-options: deny/, what);
      assert.match(head, /\r\nreferrer-policy: no-referrer/, what);
      assert.match(head, /\r\ncross-origin-opener-policy: same-origin/, what);
      assert.match(
        head,
        /\r\ncontent-security-policy: default-src '(?:none|self)'.*frame-ancestors 'none'/,
        what,
      );
      assert.doesNotMatch(head, /unsafe-|\*/, what);
      assert.doesNotMatch(head, /\r\nserver:|x-powered-by/, what);
    }
    const taken = await fetch(`${service.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(exampleRequest()),
    });
    assert.equal(taken.status, 200);
    assert.equal(taken.headers.get('x-content-type-options'), 'nosniff');
  },
);

test('[AC81] secrets that come with requests are in no answer, log or metric', async (t) => {
  const [token, admin] = ['canary-of-the-token', 'canary-of-the-admin-token'];
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--auth', JSON.stringify({ token, adminToken: admin })],
  });
  t.after(() => service.stop());
  const wrong = 'canary-of-a-wrong-token';
  const said: string[] = [];
  const ask = async (url: string, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(url, init);
    said.push(JSON.stringify([...response.headers]), await response.text());
  };
  for (const secret of [token, admin, wrong]) {
    const ways: readonly Record<string, string>[] = [
      { authorization: `Bearer ${secret}` },
      { authorization: `Basic ${secret}` },
      { 'x-api-key': secret },
      { cookie: `session=${secret}` },
    ];
    for (const headers of ways) {
      for (const path of ['/api/tasks', '/nope', '/readyz', '/api/nodes/none?include=x'])
        await ask(service.readers + path, { headers });
      await ask(`${service.otlpHttp}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, ...JSON_TYPE },
        body: '{"a"',
      });
      await ask(`${service.readers}/api/prune`, {
        method: 'POST',
        headers: { ...headers, ...JSON_TYPE },
        body: secret,
      });
    }
    await ask(`${service.readers}/api/tasks?access_token=${secret}`);
    await ask(`${service.readers}/explain?access_token=${secret}`);
    said.push(
      await headOf(
        service.service.addresses.readers.port,
        `GET / HTTP/1.1\r\nAuthorization ${secret}\r\n\r\n`,
      ),
    );
  }
  const metrics = await fetch(`${service.readers}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  said.push(await metrics.text(), service.log);
  assert.doesNotMatch(said.join('\n'), /canary-of/i);
});

test('[AC82] a data folder that others could read is for its owner alone after a start, and that is said', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const first = await RealService.start({ dataDir });
  await first.stop();
  const inner = join(dataDir, 'vault');
  await mkdir(inner, { recursive: true });
  const files = [join(dataDir, 'explain.db'), join(dataDir, 'redaction.key'), join(inner, 'old')];
  await writeFile(join(inner, 'old'), '');
  const elsewhere = join(await temporaryFolder(t), 'elsewhere');
  await writeFile(elsewhere, '', { mode: 0o644 });
  await symlink(elsewhere, join(dataDir, 'audit-old.ndjson'));
  for (const file of files) await chmod(file, 0o644);
  for (const folder of [inner, dataDir]) await chmod(folder, 0o755);
  const second = await RealService.start({ dataDir });
  t.after(() => second.stop());
  for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600, file);
  for (const folder of [inner, dataDir]) assert.equal((await stat(folder)).mode & 0o777, 0o700, folder);
  assert.equal((await stat(elsewhere)).mode & 0o777, 0o644, 'what a link leads to stays');
  assert.match(second.log, /other users of this machine could read or change files of dataDir/);
});

test('[AC82] a folder that only holds other things keeps its mode', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'shared');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'letter.txt'), '');
  await chmod(join(dataDir, 'letter.txt'), 0o644);
  await chmod(dataDir, 0o755);
  await RealService.start({ dataDir }).then((first) => first.stop());
  await chmod(join(dataDir, 'explain.db'), 0o644);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  assert.equal((await stat(dataDir)).mode & 0o777, 0o755);
  assert.equal((await stat(join(dataDir, 'letter.txt'))).mode & 0o777, 0o644);
  assert.equal(
    (await stat(join(dataDir, 'explain.db'))).mode & 0o777,
    0o600,
    'what the service made is its own',
  );
});
