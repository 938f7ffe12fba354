import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { makeCertificate } from '../../../src/base/x509.ts';
import { connect } from '../../../src/client/node.ts';
import { RealService } from '../../e2e/real-service.ts';
import { startBrowser } from '../../ui/browser.ts';
import { openPage } from '../../ui/open-page.ts';
import { Report } from '../collector/report.ts';
import { waitFor } from '../collector/wait.ts';
import { collectorTexts } from './collector-texts.ts';
import { withCollector } from './collector.ts';
import { commands, demo } from './commands.ts';
import { grpcurl } from './grpcurl.ts';
import { OpensslFolder } from './openssl.ts';

/**
 * A service with certificates of openssl, an intermediate authority among them, and its real clients: the official
 * exporters, a Collector that shows a certificate, commands, a browser, grpcurl, openssl itself. Usage: npm run test:tls
 */
const LIMIT_MS = 60_000;
const TOKEN = 'token-of-the-readers';
const ADMIN_TOKEN = 'token-of-the-administrator';
const run = promisify(execFile);
const report = new Report();
const folder = await mkdtemp(join(tmpdir(), 'test-tls-'));
const made = await OpensslFolder.make(folder);
if (made === undefined) {
  console.log('SKIPPED: there is no openssl on this machine');
} else {
  await runWith(made);
  if (!report.end()) process.exitCode = 1;
}
await rm(folder, { recursive: true });

async function runWith(files: OpensslFolder): Promise<void> {
  const at = (name: string): string => files.at(name);
  await writeFile(
    at('chain.crt'),
    (await readFile(at('server.crt'), 'utf8')) + (await readFile(at('middle.crt'), 'utf8')),
  );
  // As Kubernetes mounts them: the files are links into a folder that is itself a link, which is turned.
  await symlink('.', at('..data'));
  await symlink('..data/chain.crt', at('tls.crt'));
  await symlink('..data/server.key', at('tls.key'));
  const tls = {
    certFile: at('tls.crt'),
    keyFile: at('tls.key'),
    otlpGrpc: { caFile: at('ca.crt'), clientCertificates: 'required' },
    clients: { 'spiffe://example.org/collector': { roles: ['sender'] } },
  };
  const flags = [
    '--tls',
    JSON.stringify(tls),
    '--auth',
    JSON.stringify({ token: TOKEN, adminToken: ADMIN_TOKEN }),
  ];
  const service = await RealService.start({ dataDir: at('data'), flags });
  const { readers, otlpGrpc, otlpHttp } = service.service.addresses;
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'client.crt', 'client.key'].map((name) => readFile(at(name))),
  );
  assert.ok(ca && cert && key);
  const client = connect({ url: `https://localhost:${readers.port}`, token: TOKEN, tls: { ca: String(ca) } });
  const shown = async (name: string): Promise<void> =>
    waitFor(`"${name}" is shown`, LIMIT_MS, async () =>
      (await client.getGraph({ collapse: 'none' })).nodes.some((node) => node.name === name),
    );
  const headers = { authorization: `Bearer ${TOKEN}` };

  await report.test(
    '[AC70] the official exporter sends over gRPC, with a client certificate in place of a token',
    async () => {
      const url = `https://localhost:${otlpGrpc.port}`;
      await exportSpan(
        new GrpcExporter({ url, credentials: credentials.createSsl(ca, key, cert) }),
        'by gRPC',
      );
      await shown('by gRPC');
    },
  );
  await report.test('[AC70] the official exporter sends over HTTP, to both ports', async () => {
    for (const port of [otlpHttp.port, readers.port]) {
      const url = `https://localhost:${port}/v1/traces`;
      await exportSpan(new ProtoExporter({ url, headers, httpAgentOptions: { ca } }), `by HTTP ${port}`);
      await shown(`by HTTP ${port}`);
    }
  });
  await report.test('[AC70] openssl finds the chain whole, TLS 1.2 and 1.3, and no older one', async () => {
    for (const port of [readers.port, otlpHttp.port, otlpGrpc.port])
      for (const version of ['-tls1_2', '-tls1_3']) {
        // Where one is asked for, who shows none is cut off: at once in TLS 1.3, so that openssl may see no more.
        const own = ['-cert', at('client.crt'), '-key', at('client.key')];
        const { stdout } = await openssl(port, at('ca.crt'), version, ...own);
        assert.match(stdout, /Verify(?: return code: 0| return code: 0 \(ok\))|Verification: OK/);
      }
    await assert.rejects(openssl(readers.port, at('ca.crt'), '-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0'));
  });
  await report.test('[AC70] a Collector sends with a certificate, and no token', () =>
    withCollector({ at, port: otlpGrpc.port, report }, async (url) => {
      await exportSpan(new ProtoExporter({ url: `${url}/v1/traces` }), 'by the Collector');
      await shown('by the Collector');
    }),
  );
  await report.test(
    '[AC71] what a Collector sends with the key of a sender is read by an analyst, has no text for a reader, and is not there for another project',
    () => collectorTexts(at, report),
  );
  let commandKey = '';
  await report.test('[AC72] commands speak TLS and show a key: keys, send, watch, ag-ui tee', async () => {
    const url = `https://localhost:${readers.port}`;
    commandKey = await commands({ url, caFile: at('ca.crt'), adminToken: ADMIN_TOKEN });
  });
  await report.test('[AC72] the demo speaks TLS', () => demo(at));
  await report.test(
    '[AC72] grpcurl is told by reflection over TLS what there is, with a key, and calls it',
    () => grpcurl(at('ca.crt'), readers.port, commandKey, report),
  );
  await report.test('[AC70] a browser shows the page and its live graph, and complains of nothing', () =>
    browser(`https://localhost:${readers.port}`),
  );
  await report.test(
    '[AC65] certificates in a folder that is a link are read again when the link is turned',
    async () => {
      const validity = {
        validFrom: new Date(Date.now() - 3_600_000),
        validTo: new Date(Date.now() + 86_400_000),
      };
      const next = makeCertificate({ use: 'server', commonName: 'next', names: ['localhost'], ...validity });
      const turned = await mkdtemp(join(folder, 'turned-'));
      await writeFile(join(turned, 'chain.crt'), next.cert);
      await writeFile(join(turned, 'server.key'), next.key);
      const subject = async (): Promise<unknown> => {
        const socket = connectTls({ port: readers.port, host: 'localhost', rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        const { CN } = socket.getPeerCertificate().subject;
        socket.destroy();
        return CN;
      };
      assert.equal(await subject(), 'explain.example');
      await symlink(turned, at('..next'));
      await rename(at('..next'), at('..data'));
      await waitFor('the next certificate is shown', LIMIT_MS, async () => (await subject()) === 'next');
    },
  );
  await client.close();
  await service.stop();
}

async function exportSpan(exporter: SpanExporter, name: string): Promise<void> {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.getTracer('test').startSpan(name).end();
  await provider.forceFlush();
  await provider.shutdown();
}

function openssl(port: number, ca: string, ...options: readonly string[]): Promise<{ stdout: string }> {
  const child = run(
    'openssl',
    [
      's_client',
      '-connect',
      `127.0.0.1:${port}`,
      '-servername',
      'localhost',
      '-CAfile',
      ca,
      '-verify_return_error',
      ...options,
    ],
    { timeout: LIMIT_MS },
  );
  child.child.stdin?.end();
  return child;
}

async function browser(url: string): Promise<void> {
  const chromium = await startBrowser();
  try {
    const { page, problems } = await openPage(chromium, `${url}/`, { ignoreHTTPSErrors: true });
    await page.waitForFunction('document.body.innerText.length > 0');
    const sockets = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(location.origin.replace('https', 'wss') + '/explain', ['explain.bearer.${TOKEN}']);
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    })`);
    assert.equal(sockets, 'open');
    assert.deepEqual(
      problems.filter((problem) => /policy|mixed content/i.test(problem)),
      [],
    );
  } finally {
    await chromium.close();
  }
}
