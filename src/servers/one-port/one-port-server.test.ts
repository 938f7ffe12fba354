import { ingestRoute } from '../http/ingest-route.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectGrpc } from '../../../test/reader-contract/grpc-client.ts';
import { until } from '../../../test/support/until.ts';
import { startTestServers, type TestServers } from '../../../test/support/test-servers.ts';
import { connectWs } from '../../../test/reader-contract/websocket-client.ts';

/** Less than the time after which silent connections end by themselves, and more than a busy machine needs. */
const AT_ONCE_MS = 8000;
/** Reached where something is broken. */
const BOUND = { timeout: 30_000 };
const LIMITS = { sniffTimeoutMs: 300, headersTimeoutMs: 400, maxConnections: 40, drainGraceMs: 500 };

describe('one port for all', () => {
  let service: TestServers;
  let base: string;

  before(async () => {
    service = await startTestServers();
    base = `http://127.0.0.1:${service.address.port}`;
  });
  after(() => service.stop());

  test('[SV41] gRPC, HTTP and WebSocket share the port', async () => {
    const grpc = await connectGrpc(service.address);
    const ws = await connectWs(service.address);
    const [graph, response, subscription] = await Promise.all([
      grpc.getGraph({}),
      fetch(`${base}/healthz`),
      ws.subscribe({}),
    ]);
    assert.deepEqual(graph.nodes, []);
    assert.equal(response.status, 200);
    assert.match(subscription.subscriptionId, /./);
    await grpc.disconnect();
    await ws.disconnect();
  });

  test('[SV41] fifty gRPC calls at once, and HTTP between them', async () => {
    const grpc = await connectGrpc(service.address);
    const calls = Array.from({ length: 50 }, (_, n) =>
      n % 5 === 0 ? fetch(`${base}/api/tasks`) : grpc.listTasks(),
    );
    await Promise.all(calls);
    await grpc.disconnect();
  });

  test('[SV41] a binary POST over IPv4 whose body begins like HTTP/2 is HTTP/1', async () => {
    const body = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x0a\x05\x00', 'latin1');
    const headers = { 'content-type': 'application/x-protobuf' };
    const response = await fetch(`${base}/api/cot`, { method: 'POST', body, headers });
    assert.equal(response.status, 202);
  });
});

describe('one port', () => {
  let service: TestServers;
  let base: string;

  before(async () => {
    service = await startTestServers({ onePort: LIMITS });
    base = `http://127.0.0.1:${service.address.port}`;
  });
  after(() => service.stop());

  async function socket(target = service): Promise<Socket> {
    const opened = connect(target.address.port, '127.0.0.1');
    opened.on('error', () => undefined);
    await once(opened, 'connect');
    return opened;
  }

  /** Everything until the service closes. */
  async function readAll(from: Socket): Promise<string> {
    const chunks: Buffer[] = [];
    from.on('data', (chunk: Buffer) => chunks.push(chunk));
    if (!from.closed) await new Promise((resolve) => from.on('close', resolve));
    return Buffer.concat(chunks).toString('latin1');
  }

  test('[SV40] an HTTP request may come byte by byte', async () => {
    const client = await socket();
    const request =
      'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    for (const byte of request) client.write(byte);
    assert.match(await readAll(client), /^HTTP\/1\.1 404 /);
  });

  test('[SV40] an HTTP/2 preface may come byte by byte', async () => {
    const client = await socket();
    client.setNoDelay(true);
    const answered = once(client, 'data') as Promise<[Buffer]>;
    for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') {
      client.write(byte);
      await sleep(2);
    }
    client.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    const [frame] = await answered;
    assert.equal(frame[3], 4, 'the service answers with SETTINGS');
    client.destroy();
  });

  test('[SV42] garbage gets a 400 and the connection closes', async () => {
    for (const garbage of ['hello there\r\n\r\n', '\0\0\0\0']) {
      const client = await socket();
      client.write(Buffer.from(garbage, 'latin1'));
      const answer = await readAll(client);
      assert.match(answer, /^HTTP\/1\.1 400 /, JSON.stringify(garbage));
      assert.match(answer, /"code":"INVALID_ARGUMENT"/);
    }
  });

  test('[SV42] a broken HTTP/2 connection closes and nothing else', async () => {
    const client = await socket();
    client.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(200, 0xff)]));
    await readAll(client);
    assert.equal((await fetch(`${base}/healthz`)).status, 200);
  });

  test('[SV43] silence, a stalled preface and slow headers are cut off', BOUND, async () => {
    const [silent, stalled, slow] = [await socket(), await socket(), await socket()];
    stalled.write('PRI * HT');
    slow.write('GET /healthz HTTP/1.1\r\nHost: local');
    const answers = await Promise.all([readAll(silent), readAll(stalled), readAll(slow)]);
    assert.deepEqual(answers.slice(0, 2), ['', '']);
    assert.match(answers[2], /^HTTP\/1\.1 408 /);
  });

  test('[SV43] peers that reset or leave early cost nothing', async () => {
    for (let n = 0; n < 20; n++) {
      const client = await socket();
      client.write(n % 2 === 0 ? 'PRI * ' : 'GET /api/graph HT');
      client.resetAndDestroy();
      (await socket()).end();
    }
    assert.equal((await fetch(`${base}/healthz`)).status, 200);
  });

  test('[SV44] connections are bounded', async () => {
    const held = await Promise.all(Array.from({ length: LIMITS.maxConnections }, () => socket()));
    const extra = await socket();
    await readAll(extra);
    for (const one of held) one.destroy();
    await until('there is room again', async () => {
      const answer = await fetch(`${base}/healthz`).catch(() => undefined);
      return answer?.status === 200;
    });
  });

  test('[SV45] a port that is taken is an error of start', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    await assert.rejects(startTestServers({ onePort: { port } }), { code: 'EADDRINUSE' });
    blocker.close();
  });

  test('[SV46] drain tells every reader why, ends what runs, and frees the port', async () => {
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (finish = resolve));
    let isAsked = false;
    const cot = async () => {
      isAsked = true;
      await running;
      return { status: 202, body: {} };
    };
    const target = await startTestServers({
      onePort: LIMITS,
      http: { routes: [ingestRoute({ path: '/api/cot', query: [], counts: 'thoughts' }, cot)] },
    });
    const url = `http://127.0.0.1:${target.address.port}`;
    const ws = new WebSocket(`ws://127.0.0.1:${target.address.port}/explain`);
    await once(ws, 'open');
    const closed = once(ws, 'close') as Promise<[{ code: number; reason: string }]>;
    const grpc = await connectGrpc(target.address);
    const { frames } = await grpc.subscribe({});
    const posted = fetch(`${url}/api/cot`, { method: 'POST', body: '{}' });
    await until('the request runs', () => isAsked);

    const drained = target.server.drain('restarting for an update');
    const [{ code, reason }] = await closed;
    assert.deepEqual([code, reason], [1001, 'restarting for an update']);
    finish();
    assert.equal((await posted).status, 202);
    await drained;
    assert.equal(frames.endReason, 'restarting for an update');
    await assert.rejects(fetch(`${url}/healthz`));
    await target.server.drain('again');
    await target.server.stop();
    await target.server.stop();
  });

  test('[SV46] stop ends silent, idle, streaming and half-sent connections at once', async () => {
    const target = await startTestServers();
    const ws = await connectWs(target.address);
    const grpc = await connectGrpc(target.address);
    await Promise.all([ws.subscribe({}), grpc.subscribe({})]);
    const silent = await socket(target);
    const halfSent = await socket(target);
    halfSent.write('GET / HTTP/1.1\r\nHo');
    const gone = Promise.all([readAll(silent), readAll(halfSent)]);
    const started = performance.now();
    await target.server.stop();
    await gone;
    assert.ok(performance.now() - started < AT_ONCE_MS, 'none of them is waited for');
    await grpc.disconnect();
  });
});
