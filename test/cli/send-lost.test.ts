import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Command } from './run-command.ts';

const SPANS = '{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}';
const LINES = 5;

/** Takes every request, and counts them. */
function service(onRequest: (server: Server) => void): Server {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
      onRequest(server);
    });
  });
  return server;
}

test('[CLI39] send goes on where it was when the service is restarted', async (t) => {
  let taken = 0;
  const first = service((server) => {
    taken += 1;
    if (taken === 2) server.close();
  }).listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address() as AddressInfo;
  const command = new Command(t, ['send', '-', '--otlp-url', `http://127.0.0.1:${port}`], {
    input: `${SPANS}\n`.repeat(LINES),
  });
  await command.prints(/standard input: the service is gone; trying again for 2m00s\n/);
  const second = service(() => (taken += 1)).listen(port, '127.0.0.1');
  t.after(() => second.close());
  assert.equal(await command.exit(), 0);
  assert.match(command.stderr, /the service is back; going on\n$/);
  assert.equal(command.stdout, `standard input: ${LINES} spans accepted\n`);
  assert.equal(taken, LINES);
});
