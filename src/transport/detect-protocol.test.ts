import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { detectProtocol, protocolOf } from './detect-protocol.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

test('[SV40] the protocol is certain at the first byte that differs, or after the preface line', () => {
  for (let length = 0; length < 16; length++)
    assert.equal(protocolOf(Buffer.from(PREFACE.slice(0, length))), undefined);
  for (let length = 16; length <= 24; length++)
    assert.equal(protocolOf(Buffer.from(PREFACE.slice(0, length))), 'http2');
  for (const start of ['G', 'PO', 'PUT', 'PRI /', 'PRI * HTTP/1.1\r\n', '\0', 'PRI * HTTP/2.0\n']) {
    assert.equal(protocolOf(Buffer.from(start, 'latin1')), 'http1', JSON.stringify(start));
  }
  assert.equal(protocolOf(Buffer.from([0x16])), 'tls');
});

test('[SV40] property: a decision never changes with more bytes', () => {
  const start = fc
    .integer({ min: 0, max: PREFACE.length })
    .map((length) => Buffer.from(PREFACE.slice(0, length)));
  fc.assert(
    fc.property(
      start,
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 40 }),
      (head, middle, tail) => {
        const some = Buffer.concat([head, middle]);
        const decided = protocolOf(some);
        if (decided !== undefined) assert.equal(protocolOf(Buffer.concat([some, tail])), decided);
      },
    ),
    { numRuns: 2000 },
  );
});

test('[SV43] what came while the service itself stood still is no silence', async (t) => {
  const TIMEOUT_MS = 20;
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    [],
  ];
  t.after(() => socket.destroy());
  const protocol = await new Promise((resolve) => {
    detectProtocol(socket, TIMEOUT_MS, resolve);
    client.write('GET / HTTP/1.1\r\n');
    for (const start = performance.now(); performance.now() - start < 2 * TIMEOUT_MS;);
  });
  assert.equal(protocol, 'http1');
});
