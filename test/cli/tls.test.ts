import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect, type ClientTls } from '../../src/client/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { LOOPBACK_NAMES, TestCertificates, testCertificate } from '../support/test-certificates.ts';
import { Command, run } from './run-command.ts';

const DAY_MS = 86_400_000;

async function certs(
  t: TestContext,
  ...args: readonly string[]
): Promise<{ folder: string; at: (name: string) => string }> {
  const folder = join(await temporaryFolder(t), 'made');
  const made = await run(['certs', folder, ...args]);
  assert.equal(made.code, 0, made.stderr);
  return { folder, at: (name) => join(folder, name) };
}

async function serviceWith(t: TestContext, tls: object): Promise<string> {
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--tls', JSON.stringify(tls)],
  });
  t.after(() => service.stop());
  return `https://localhost:${service.service.addresses.readers.port}`;
}

test('[AC67] certs makes what a service and its clients need, keys for their owner alone, and changes nothing', async (t) => {
  const { folder, at } = await certs(
    t,
    '--name',
    'explain.internal',
    '--client',
    'collector-1',
    '--days',
    '30',
  );
  for (const name of ['ca', 'server', 'collector-1']) {
    assert.equal((await stat(at(`${name}.key`))).mode & 0o777, 0o600, name);
    assert.match(await readFile(at(`${name}.crt`), 'utf8'), /^-----BEGIN CERTIFICATE-----\n/);
  }
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const server = new X509Certificate(await readFile(at('server.crt')));
  for (const name of ['localhost', 'explain.internal']) assert.equal(server.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1']) assert.equal(server.checkIP(address), address);
  assert.ok(Date.parse(server.validTo) - Date.now() <= 30 * DAY_MS);
  const before = await readFile(at('server.crt'), 'utf8');
  const again = await run(['certs', folder, '--client', 'second']);
  assert.match(again.stdout, /there is .*server\.crt already; it stays/);
  assert.equal(await readFile(at('server.crt'), 'utf8'), before);
  const second = new X509Certificate(await readFile(at('second.crt')));
  assert.ok(second.checkIssued(new X509Certificate(await readFile(at('ca.crt')))));
});

test('[AC67] what certs cannot use is said, and nothing is written', async (t) => {
  const folder = join(await temporaryFolder(t), 'none');
  for (const [args, problem] of [
    [['--name', 'a b'], /--name must be a name/],
    [['--client', '../../etc/x'], /--client must be/],
    [['--client', 'ca'], /neither ca nor server/],
    [['--days', '3650'], /--days must be a whole number from 1 to 397/],
  ] as const) {
    const { code, stderr } = await run(['certs', folder, ...args]);
    assert.equal(code, 2);
    assert.match(stderr, problem);
  }
  await assert.rejects(stat(folder));
});

test('[AC69] a demo that does not trust its own certificate says so, and ends when it is told to', async (t) => {
  const { folder, at } = await certs(t);
  const tls = JSON.stringify({ certFile: at('server.crt'), keyFile: at('server.key') });
  const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];
  const demo = new Command(t, ['demo', ...ports, '--tls', tls], { env: { HOME: folder } });
  await demo.prints(/The story broke off: .* signed by no authority that is trusted here/);
  demo.process.kill('SIGTERM');
  assert.equal(await demo.exit(), 0);
});

test('[AC69] every command speaks TLS, with --ca, --cert and --key or their variables', async (t) => {
  const { folder, at } = await certs(t);
  const url = await serviceWith(t, {
    certFile: at('server.crt'),
    keyFile: at('server.key'),
    caFile: at('ca.crt'),
    clientCertificates: 'required',
  });
  const options = ['--url', url, '--ca', at('ca.crt'), '--cert', at('client.crt'), '--key', at('client.key')];
  const thought = JSON.stringify({
    requestId: 'r1',
    sequence: 0,
    timestamp: 1,
    textDelta: 'Over TLS.',
    isFinal: true,
  });
  const sent = await run(['send', '-', ...options], { input: thought });
  assert.equal(sent.code, 0, sent.stderr + sent.stdout);
  const tasks = await run(['tasks', '--json', ...options]);
  assert.equal(tasks.code, 0, tasks.stderr);
  assert.match(tasks.stdout, /"nodes":1/);
  const env = {
    EXPLAINABILITY_AGENT_URL: url.replace('https', 'grpcs'),
    EXPLAINABILITY_AGENT_CA: at('ca.crt'),
    EXPLAINABILITY_AGENT_CERT: at('client.crt'),
    EXPLAINABILITY_AGENT_KEY: at('client.key'),
  };
  const byGrpc = await run(['tasks', '--json'], { env });
  assert.match(byGrpc.stdout, /"nodes":1/, byGrpc.stderr);
  const asked = await run(['adaptations', 'list', ...options]);
  assert.equal(asked.code, 0, asked.stderr);
  const checked = await run(['config', 'check'], { env: { ...env, HOME: folder } });
  assert.equal(checked.code, 0, checked.stderr);
});

test('[AC69] what is wrong with a certificate is said in one line', async (t) => {
  const folder = await temporaryFolder(t);
  const certificates = new TestCertificates(join(folder, 'tls'));
  const paths = await certificates.write();
  const { certFile, keyFile, caFile } = paths;
  const url = await serviceWith(t, { certFile, keyFile, caFile, clientCertificates: 'required' });
  const stray = testCertificate({ use: 'authority', commonName: 'somebody else' });
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const strayCa = await file('stray.crt', stray.cert);
  const cert = await file('c.crt', certificates.client.cert);
  const key = await file('c.key', certificates.client.key);
  const otherKey = await file('o.key', stray.key);
  const expired = certificates.signed({
    use: 'client',
    commonName: 'late',
    validTo: new Date(Date.now() - DAY_MS / 2),
  });
  const late = ['--cert', await file('l.crt', expired.cert), '--key', await file('l.key', expired.key)];
  for (const [args, problem] of [
    [[], /signed by no authority that is trusted here: give/],
    [['--ca', strayCa], /signed by no authority that is trusted here/],
    [['--ca', caFile], /the client certificate: none was given, and this port asks for one/],
    [['--ca', caFile, ...late], /the client certificate: it has expired/],
    [['--ca', caFile, '--cert', cert], /--cert and --key belong together/],
    [
      ['--ca', caFile, '--cert', cert, '--key', otherKey],
      /key of the client is not the one of its certificate/,
    ],
    [['--ca', join(folder, 'absent')], /--ca: .*absent cannot be read \(ENOENT\)/],
    [['--ca', await file('not.pem', 'nothing')], /is not in PEM form/],
  ] as const)
    for (const verb of [['tasks'], ['adaptations', 'list'], ['send', certFile]]) {
      const { code, stderr } = await run([...verb, '--url', url, ...args]);
      assert.notEqual(code, 0);
      if (verb[0] !== 'send') assert.match(stderr, problem, verb.join(' '));
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    }
  const good = ['--ca', caFile, '--cert', cert, '--key', key];
  const wrongScheme = await run(['tasks', ...good, '--url', url.replace('https', 'http')]);
  assert.match(wrongScheme.stderr, /this port speaks TLS: https:/);
});

test('[AC69] the library says what is wrong with a service’s certificate, over HTTP, WebSocket and gRPC', async (t) => {
  const now = Date.now();
  const certificates = new TestCertificates(await temporaryFolder(t));
  const made = {
    expired: { names: LOOPBACK_NAMES, validTo: new Date(now - DAY_MS / 2) },
    'not valid yet': { names: LOOPBACK_NAMES, validFrom: new Date(now + DAY_MS / 2) },
    'for other names': { names: ['elsewhere.example'] },
  };
  const problems = [/has expired/, /not valid yet/, /holds for other names/];
  const tls: ClientTls = { ca: certificates.ca.cert };
  for (const [n, more] of Object.values(made).entries()) {
    const pair = certificates.signed({ use: 'server', commonName: 'localhost', ...more });
    const url = await serviceWith(
      t,
      await certificates.write(pair).then(({ certFile, keyFile }) => ({ certFile, keyFile })),
    );
    const problem = problems[n] ?? /./;
    for (const address of [url, url.replace('https', 'grpcs')]) {
      const client = connect({ url: address, tls, timing: { answerTimeoutMs: 5_000 } });
      await assert.rejects(client.findTasks(), problem, address);
      await client.close();
    }
  }
  const plain = await RealService.of(t);
  const client = connect({ url: plain.readers.replace('http', 'https'), tls });
  await assert.rejects(client.findTasks(), /it speaks no TLS: use http:/);
  await client.close();
  assert.throws(
    () => connect({ url: plain.readers, tls: { cert: certificates.client.cert, key: certificates.ca.key } }),
    {
      code: 'INVALID_ARGUMENT',
      message: /must be a pair/,
    },
  );
});
