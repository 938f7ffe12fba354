import assert from 'node:assert/strict';
import { connect as connectHttp2, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ManualClock, systemClock } from '../src/base/clock.ts';
import { Pace } from '../src/base/pace.ts';
import { OtlpGrpcReceiver } from '../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from '../src/receivers/otlp-http/otlp-http-receiver.ts';
import { setup } from '../src/receivers/otlp-server.test-support.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { InflightBytes } from '../src/transport/inflight-bytes.ts';
import { RealService, temporaryFolder } from './e2e/real-service.ts';
import { BOUNDED, until } from './support/until.ts';
import { startTestServers } from './support/test-servers.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const GET_GRAPH = '/explain.v1.ExplainService/GetGraph';

interface Target {
  readonly port: number;
  readonly clock: ManualClock;
  readonly inflight: InflightBytes;
}

/** Connections of the running test: on a clock that stands still nothing else would end those of a failed one. */
const opened = new Set<{ destroy(): void }>();

function stopped(server: { stop(): Promise<void> }): Promise<void> {
  for (const connection of opened) connection.destroy();
  opened.clear();
  return server.stop();
}

/** Both ways in by HTTP, on a clock that is moved by hand. */
const HTTP_WAYS: Readonly<Record<string, (t: TestContext, maxInflight: number) => Promise<Target>>> = {
  '/v1/traces': async (t, maxInflight) => {
    const clock = new ManualClock();
    const inflight = new InflightBytes(maxInflight, undefined, clock);
    const server = new OtlpHttpReceiver(setup({}, { clock, inflight }).options);
    const { port } = await server.start();
    t.after(() => stopped(server), BOUNDED);
    return { port, clock, inflight };
  },
  '/api/cot': async (t, maxInflight) => {
    const clock = new ManualClock();
    const inflight = new InflightBytes(maxInflight, undefined, clock);
    const bodies = { limits: DEFAULT_RECEIVER_LIMITS, inflight, clock, pace: new Pace(systemClock) };
    const servers = await startTestServers({ http: { bodies }, grpc: { clock, inflight } });
    t.after(() => stopped(servers), BOUNDED);
    return { port: servers.address.port, clock, inflight };
  },
};

/** A POST that stops one byte short. */
function halfPost(port: number, path: string, bytes: number): { socket: Socket; answer: () => string } {
  const socket = connect(port, '127.0.0.1');
  opened.add(socket);
  let answer = '';
  socket.on('data', (piece) => (answer += piece.toString()));
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${bytes + 1}\r\n\r\n${' '.repeat(bytes)}`,
  );
  return { socket, answer: () => answer };
}

for (const [path, start] of Object.entries(HTTP_WAYS)) {
  test(
    `[IN25] ${path}: a body that stops is told so within ten seconds, its budget is free and its socket closed`,
    BOUNDED,
    async (t) => {
      const { port, clock, inflight } = await start(t, 1_000_000);
      const { socket, answer } = halfPost(port, path, 5000);
      await until('its bytes have arrived', () => inflight.used === 5000);
      clock.advance(10_000);
      await until('the socket is closed', () => socket.closed);
      assert.match(answer(), /^HTTP\/1\.1 408 .*arrived too slowly/s);
      assert.equal(inflight.used, 0);
    },
  );

  test(
    `[IN26] ${path}: bytes count when they arrive, and bodies that stopped make room for a new sender`,
    BOUNDED,
    async (t) => {
      const { port, clock, inflight } = await start(t, 20_000);
      halfPost(port, path, 0);
      const halves = [halfPost(port, path, 9000), halfPost(port, path, 9000)];
      await until('their bytes have arrived', () => inflight.used === 18_000);
      clock.advance(2000);
      const body = JSON.stringify(path === '/api/cot' ? { requestId: 'r', text: 'x' } : {});
      const send = () =>
        fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: JSON_TYPE, body });
      const padded = `${body}${' '.repeat(1500)}`;
      const large = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: padded,
      });
      assert.ok(large.ok, String(large.status));
      assert.ok((await send()).ok);
      await until('the oldest was told', () => halves[0]?.answer().startsWith('HTTP/1.1 429 ') === true);
      assert.match(halves[0]?.answer() ?? '', /retry-after: 1\r\n/i);
      clock.advance(1000);
      await until('its socket is closed', () => halves[0]?.socket.closed === true);
    },
  );
}

const GRPC_WAYS: Readonly<Record<string, (t: TestContext) => Promise<Target>>> = {
  [EXPORT]: async (t) => {
    const clock = new ManualClock();
    const inflight = new InflightBytes(1_000_000, undefined, clock);
    const server = new OtlpGrpcReceiver(setup({}, { clock, inflight }).options);
    const { port } = await server.start();
    t.after(() => stopped(server), BOUNDED);
    return { port, clock, inflight };
  },
  [GET_GRAPH]: async (t) => HTTP_WAYS['/api/cot']?.(t, 1_000_000) ?? assert.fail(),
};

interface Call {
  readonly stream: ClientHttp2Stream;
  readonly headers: OutgoingHttpHeaders;
}

function call(port: number, path: string): Call {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  opened.add(session);
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const headers: OutgoingHttpHeaders = {};
  stream.on('response', (got) => Object.assign(headers, got));
  stream.on('error', () => undefined);
  stream.resume();
  return { stream, headers };
}

function frame(announced: number, sent: number): Buffer {
  const bytes = Buffer.alloc(5 + sent);
  bytes.writeUInt32BE(announced, 1);
  return bytes;
}

for (const [path, start] of Object.entries(GRPC_WAYS)) {
  test(
    `[IN25] ${path}: a gRPC request that stops is DEADLINE_EXCEEDED, and its stream is closed`,
    BOUNDED,
    async (t) => {
      const { port, clock, inflight } = await start(t);
      const half = call(port, path);
      half.stream.write(frame(5001, 5000));
      const silent = call(port, path);
      await until('its bytes have arrived', () => inflight.used === 5005);
      // As the first byte of the second call's message never comes, only its headers can be waited for.
      const endless = call(port, path);
      endless.stream.write(frame(0, 0));
      await until('the message without an end has arrived', () => inflight.used > 5005);
      clock.advance(10_000);
      for (const { stream, headers } of [half, silent, endless]) {
        await until('the stream is closed', () => stream.closed);
        assert.equal(headers['grpc-status'], '4');
      }
      assert.equal(inflight.used, 0);
    },
  );
}

test('[IN24] every way in takes the configured limits, and all share one budget', BOUNDED, async (t) => {
  const dataDir = await temporaryFolder(t);
  const flags = ['--max-request-bytes', '40000', '--max-decompressed-bytes', '50000'];
  flags.push('--max-inflight-bytes', '250000');
  const service = await RealService.start({ dataDir, flags });
  t.after(() => stopped(service), BOUNDED);
  const post = async (
    path: string,
    body: Uint8Array<ArrayBuffer>,
    encoding = 'identity',
  ): Promise<number> => {
    const origin = path.startsWith('/v1/') ? service.otlpHttp : service.readers;
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    return (await fetch(origin + path, { method: 'POST', headers, body })).status;
  };
  const zipped = (bytes: number) => new Uint8Array(gzipSync(Buffer.alloc(bytes, ' ')));
  for (const path of ['/v1/traces', '/v1/logs', '/api/cot', '/api/events', '/api/prune']) {
    assert.equal(await post(path, new Uint8Array(40_001)), 413, path);
    assert.equal(await post(path, zipped(50_001), 'gzip'), 413, path);
  }
  const port = Number(new URL(service.readers).port);
  for (let i = 0; i < 6; i++) halfPost(port, '/api/events', 39_000);
  await until('what came one way fills the budget of another', async () => {
    return (await post('/v1/traces', new Uint8Array(35_000).fill(32))) === 429;
  });
});
