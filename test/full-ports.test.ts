import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OtlpGrpcReceiver } from '../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { OtlpHttpReceiver } from '../src/receivers/otlp-http/otlp-http-receiver.ts';
import { setup } from '../src/receivers/otlp-server.test-support.ts';
import { until } from './support/until.ts';
import { connectGrpc } from './reader-contract/grpc-client.ts';
import { span } from './reader-contract/records.ts';
import { connectWs } from './reader-contract/websocket-client.ts';
import { statusOfUnknownMethod } from './support/http2/status-of-unknown-method.ts';
import { FRAME, PREFACE, frame } from './support/http2/frames.ts';
import { startTestServers, type TestServers } from './support/test-servers.ts';

const MAX_CONNECTIONS = 16;
const MAX_IDLE = 6;
/** More than any bound: somebody has to go. */
const CROWD = 60;

/** A half request of each kind, which says nothing more and reads nothing. */
const HALF_HEAD = 'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Ty';
const HALF_BODY =
  'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
const HALF_COT = HALF_BODY.replace('/v1/traces', '/api/cot');
const IDLE_HTTP2 = Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0)]);

describe('ports that are full', () => {
  let readers: TestServers;
  let otlpGrpc: OtlpGrpcReceiver;
  let otlpHttp: OtlpHttpReceiver;
  let ports: { readonly readers: number; readonly otlpGrpc: number; readonly otlpHttp: number };

  before(async () => {
    const limits = { maxConnections: MAX_CONNECTIONS, maxIdle: MAX_IDLE };
    readers = await startTestServers({
      onePort: { maxConnections: MAX_CONNECTIONS, maxIdleConnections: MAX_IDLE, headersTimeoutMs: 300 },
    });
    otlpGrpc = new OtlpGrpcReceiver(setup({}, limits).options);
    otlpHttp = new OtlpHttpReceiver(setup({}, limits).options);
    ports = {
      readers: readers.address.port,
      otlpGrpc: (await otlpGrpc.start()).port,
      otlpHttp: (await otlpHttp.start()).port,
    };
  });
  after(async () => {
    await Promise.all([readers.stop(), otlpGrpc.stop(), otlpHttp.stop()]);
  });

  /** Connections that say `bytes` and then nothing; they are closed when `run` has ended. */
  async function withCrowd(
    port: number,
    bytes: string | Buffer,
    run: (crowd: readonly Socket[]) => Promise<void>,
  ): Promise<void> {
    const crowd = await Promise.all(Array.from({ length: CROWD }, () => silentPeer(port, bytes)));
    try {
      await run(crowd);
    } finally {
      for (const socket of crowd) socket.destroy();
    }
  }

  async function assertAnswers(): Promise<void> {
    const started = performance.now();
    const signal = AbortSignal.timeout(5_000);
    const http = await fetch(`http://127.0.0.1:${ports.readers}/healthz`, { signal });
    assert.equal(http.status, 200);
    const otlp = await fetch(`http://127.0.0.1:${ports.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal,
    });
    assert.equal(otlp.status, 200);
    for (const port of [ports.readers, ports.otlpGrpc])
      assert.equal(await statusOfUnknownMethod(port), 12, 'UNIMPLEMENTED');
    assert.ok(performance.now() - started < 5_000, `answered after ${performance.now() - started} ms`);
  }

  test('[PO3] silent connections and half requests of any kind lock nobody out', async () => {
    const crowds: readonly (readonly [port: number, bytes: string | Buffer])[] = [
      [ports.readers, ''],
      [ports.readers, HALF_COT],
      [ports.readers, IDLE_HTTP2],
      [ports.otlpHttp, HALF_HEAD],
      [ports.otlpHttp, HALF_BODY],
      [ports.otlpGrpc, ''],
      [ports.otlpGrpc, IDLE_HTTP2],
    ];
    for (const [port, bytes] of crowds) await withCrowd(port, bytes, assertAnswers);
  });

  test('[PO4] idle connections do not pile up', async () => {
    for (const [port, bytes] of [
      [ports.readers, ''],
      [ports.otlpHttp, HALF_HEAD],
      [ports.otlpGrpc, ''],
      [ports.otlpGrpc, IDLE_HTTP2],
    ] as const) {
      await withCrowd(port, bytes, (crowd) =>
        until('the oldest have been closed', () => crowd.filter(isOpen).length <= MAX_IDLE),
      );
    }
  });

  test('[PO3] a crowd takes nothing from who is subscribed', async () => {
    await withCrowd(ports.readers, HALF_COT, async () => {
      const [grpc, ws] = [await connectGrpc(readers.address), await connectWs(readers.address)];
      const [first, second] = await Promise.all([grpc.subscribe({}), ws.subscribe({})]);
      await withCrowd(ports.readers, IDLE_HTTP2, () => withCrowd(ports.readers, HALF_COT, assertAnswers));
      // One by one, so that each has become half a request before the next comes.
      const oneByOne: Socket[] = [];
      for (let n = 0; n < 2 * MAX_CONNECTIONS; n++) {
        oneByOne.push(await silentPeer(ports.readers, HALF_COT));
        await sleep(2);
      }
      for (const peer of oneByOne) peer.destroy();
      await readers.feed([span({ trace: 1, span: 1, name: 'after the crowd' })]);
      for (const { frames } of [first, second]) {
        assert.equal((await frames.next()).type, 'subscribed');
        assert.equal((await frames.next()).type, 'update');
      }
      await Promise.all([grpc.disconnect(), ws.disconnect()]);
    });
  });

  test('[PO3] a port full of subscribers still answers, and keeps the first of them', async () => {
    const open = await Promise.all(
      Array.from({ length: MAX_CONNECTIONS - 2 }, async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${ports.readers}/explain`);
        await once(socket, 'open');
        return socket;
      }),
    );
    const late = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${ports.readers}/explain`);
        await Promise.race(['open', 'close'].map((event) => once(socket, event)));
        return socket;
      }),
    );
    await assertAnswers();
    assert.ok(open.every(({ readyState }) => readyState === WebSocket.OPEN));
    for (const socket of [...open, ...late]) socket.close();
  });

  test('[PO5] who is refused and neither reads nor leaves keeps no socket', async () => {
    const peer = await silentPeer(ports.readers, 'GET / HTTP/1.1\r\nHost: local');
    peer.resume();
    await once(peer, 'end');
    // A socket that the other side has destroyed answers the next bytes with a reset.
    await until('the socket is gone', () => {
      if (!peer.destroyed) peer.write('x');
      return peer.destroyed;
    });
  });
});

/** A peer that never reads what it is told, and does not end its side when the other does. */
async function silentPeer(port: number, bytes: string | Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes.length > 0) socket.write(bytes);
  return socket;
}

/** Reading is what shows an end; bytes tell it from a half-closed one. */
function isOpen(socket: Socket): boolean {
  socket.resume();
  return !socket.destroyed && !socket.readableEnded;
}
