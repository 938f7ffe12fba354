import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Encoding } from './decode.ts';
import { SPAN, TRACE, decode, encode, logRequest, traceRequest } from './otlp.test-support.ts';

const ENCODINGS: readonly Encoding[] = ['protobuf', 'json'];
const string = (stringValue: string): object => ({ stringValue });

test('[IN9] log records sent to the traces endpoint are told so', () => {
  const log = {
    timeUnixNano: '1795293556273000000',
    severityNumber: 9,
    body: string('hello'),
    traceId: TRACE,
    spanId: SPAN,
  };
  const expected = {
    code: 'INVALID_ARGUMENT',
    message: /log records sent to the traces endpoint.*\/v1\/logs/,
  };
  for (const encoding of ENCODINGS) {
    const body = decodeBody(encoding, log);
    if (encoding === 'protobuf') assert.throws(() => decode('traces', encoding, body), expected);
    else
      assert.throws(() => decode('traces', encoding, body), {
        code: 'INVALID_ARGUMENT',
        message: /"resourceLogs".*\/v1\/logs/,
      });
  }
});

test('[IN9] spans sent to the logs endpoint are told so', () => {
  assert.throws(
    () =>
      decode(
        'logs',
        'protobuf',
        encode('traces', traceRequest({ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1) })),
      ),
    {
      code: 'INVALID_ARGUMENT',
      message: /spans sent to the logs endpoint.*\/v1\/traces/,
    },
  );
});

function decodeBody(encoding: Encoding, log: object): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify(logRequest(log)));
  return encode(
    'logs',
    logRequest({ ...log, traceId: Buffer.from(TRACE, 'hex'), spanId: Buffer.from(SPAN, 'hex') }),
  );
}
