import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { ManualClock, systemClock, type Clock } from '../../base/clock.ts';
import { BOUNDED } from '../../../test/support/until.ts';
import { CellList } from '../cells/cell-list.ts';
import { HttpCellSender, type CellRequest } from './cell-sender.ts';

const REQUEST: CellRequest = {
  cell: 'a',
  method: 'POST',
  path: '/v1/traces',
  headers: { authorization: 'Bearer 1' },
  body: Buffer.from('body'),
};

interface Made {
  readonly sender: HttpCellSender;
  readonly sockets: readonly Socket[];
  readonly server: Server;
}

async function withCell(
  answer: RequestListener,
  run: (made: Made) => Promise<void>,
  { clock = systemClock, mostUnderWay = 2 }: { clock?: Clock; mostUnderWay?: number } = {},
): Promise<void> {
  const server = createServer(answer);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const addresses = new CellList();
  addresses.take([{ name: 'a', address: `127.0.0.1:${port}`, endpoint: '' }]);
  const sender = new HttpCellSender({ addresses, clock, mostUnderWay, timeoutMs: 1_000 });
  try {
    await run({ sender, sockets, server });
  } finally {
    sender.close();
    server.closeAllConnections();
    server.close();
  }
}

test('[RT12] a request reaches its cell as it is, over connections that are kept', async () => {
  const seen: unknown[] = [];
  await withCell(
    (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { method, url, headers } = request;
        seen.push([
          method,
          url,
          headers.authorization,
          headers['content-length'],
          Buffer.concat(pieces).toString(),
        ]);
        response.writeHead(503, { 'Retry-After': '7' }).end('no');
      });
    },
    async ({ sender, sockets }) => {
      for (let i = 0; i < 3; i++) {
        const answer = await sender.send(REQUEST);
        assert.deepEqual(answer, { status: 503, retryAfter: 7, body: Buffer.from('no') });
      }
      assert.equal(sockets.length, 1);
    },
  );
  const whole = ['POST', '/v1/traces', 'Bearer 1', '4', 'body'];
  assert.deepEqual(seen, [whole, whole, whole]);
});

test(
  '[RT12] no cell of that name, none that listens, no answer in time, one cut off or too large: UNAVAILABLE',
  BOUNDED,
  async () => {
    const clock = new ManualClock();
    await withCell(
      (request, response) => {
        if (request.url === '/late') clock.advance(1_000);
        else if (request.url === '/cut')
          response.writeHead(200, { 'Content-Length': '9' }).write('x', () => request.socket.destroy());
        else response.end(Buffer.alloc(1024 * 1024 + 1));
      },
      async ({ sender, server }) => {
        const refused = { code: 'UNAVAILABLE', retryAfterMs: 1_000 };
        await assert.rejects(sender.send({ ...REQUEST, cell: 'b' }), refused);
        for (const path of ['/late', '/cut', '/large'])
          await assert.rejects(sender.send({ ...REQUEST, path }), refused, path);
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
        await assert.rejects(sender.send(REQUEST), refused);
      },
      { clock },
    );
  },
);

test('[RT12] a kept connection that its cell closes when it is used again costs no request', async () => {
  let requests = 0;
  await withCell(
    (request, response) => {
      // The second one comes over the first one's connection, and finds it closed.
      if (++requests === 2) request.socket.destroy();
      else response.end('ok');
      request.resume();
    },
    async ({ sender, sockets }) => {
      await sender.send(REQUEST);
      assert.equal((await sender.send(REQUEST)).body.toString(), 'ok');
      assert.equal(sockets.length, 2);
    },
  );
  assert.equal(requests, 3);
});

test('[RT12] what is under way to a cell is bounded', async () => {
  const held: (() => void)[] = [];
  await withCell(
    (request, response) => {
      request.resume();
      held.push(() => response.end());
    },
    async ({ sender }) => {
      const first = [sender.send(REQUEST), sender.send(REQUEST)];
      await assert.rejects(sender.send(REQUEST), { code: 'RESOURCE_EXHAUSTED', retryAfterMs: 1_000 });
      while (held.length < 2) await new Promise(setImmediate);
      for (const answer of held) answer();
      await Promise.all(first);
      const next = sender.send(REQUEST);
      while (held.length < 3) await new Promise(setImmediate);
      held[2]?.();
      assert.equal((await next).status, 200);
    },
  );
});
