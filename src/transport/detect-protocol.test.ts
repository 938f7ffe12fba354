import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { protocolOf } from './detect-protocol.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

test('[SV40] the protocol is certain at the first byte that differs, or after the preface line', () => {
  for (let length = 0; length < 16; length++)
    assert.equal(protocolOf(Buffer.from(PREFACE.slice(0, length))), undefined);
  for (let length = 16; length <= 24; length++)
    assert.equal(protocolOf(Buffer.from(PREFACE.slice(0, length))), 'http2');
  for (const start of [
    'G',
    'PO',
    'PUT',
    'PRI /',
    'PRI * HTTP/1.1\r\n',
    '\x16\x03\x01',
    '\0',
    'PRI * HTTP/2.0\n',
  ]) {
    assert.equal(protocolOf(Buffer.from(start, 'latin1')), 'http1', JSON.stringify(start));
  }
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
