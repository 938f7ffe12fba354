import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { Connections } from './connections.ts';
import { HttpConnections } from './http-connections.ts';

/** Sends `count` requests in one write. @returns what came back, and how many were handled, and at once at most */
async function pipelined(
  t: TestContext,
  count: number,
): Promise<{ received: string; handled: number; atOnce: number }> {
  const connections = new Connections({ maxConnections: 8, clock: systemClock, logger: silentLogger });
  const http = new HttpConnections(connections);
  let running = 0;
  let atOnce = 0;
  let handled = 0;
  http.serve((request, response) => {
    handled++;
    atOnce = Math.max(atOnce, ++running);
    setImmediate(() => {
      running--;
      response.end(`<${request.url}>`);
    });
  });
  const server = createServer((socket) => http.accept(connections.admit(socket))).listen(0, '127.0.0.1');
  t.after(() => {
    http.stop();
    server.close();
  });
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString();
    if (received.includes(`</${count - 1}>`)) socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(
    Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''),
  );
  await once(socket, 'close');
  return { received, handled, atOnce };
}

test('[PO6] requests that come together are handled one after the other, and all are answered in order', async (t) => {
  const { received, atOnce } = await pipelined(t, 12);
  assert.deepEqual(
    [...received.matchAll(/<(.*?)>/g)].map(([, path]) => path),
    Array.from({ length: 12 }, (_, i) => `/${i}`),
  );
  assert.equal(atOnce, 1);
});

test('[PO6] a connection with more than 16 requests waiting is cut off, and what waits is not handled', async (t) => {
  const { handled } = await pipelined(t, 400);
  assert.ok(handled <= 2, `${handled} requests were handled`);
});
