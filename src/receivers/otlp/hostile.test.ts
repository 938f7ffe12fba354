import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundaryError } from '../../base/boundary-error.ts';
import { decode, encode, fixtures, span, spans, withBytes } from './otlp.test-support.ts';

/** A result, or INVALID_ARGUMENT: nothing else may come out, whatever goes in. */
function survives(signal: 'traces' | 'logs' | 'metrics', encoding: 'protobuf' | 'json', body: Buffer): void {
  try {
    decode(signal, encoding, body);
  } catch (error) {
    assert.ok(error instanceof BoundaryError, String(error));
    assert.equal(error.code, 'INVALID_ARGUMENT');
  }
}

const signals = fc.constantFrom('traces' as const, 'logs' as const, 'metrics' as const);

test('[IN3] random bytes give a result or INVALID_ARGUMENT', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), signals, (bytes, signal) => {
      survives(signal, 'protobuf', Buffer.from(bytes));
      survives(signal, 'json', Buffer.from(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('[IN3] damaged and truncated requests give a result or INVALID_ARGUMENT', () => {
  const whole = encode('traces', withBytes(JSON.parse(fixtures()[0]!.body.toString())));
  fc.assert(
    fc.property(
      fc.nat(whole.length),
      fc.nat(whole.length - 1),
      fc.nat(255),
      signals,
      (end, at, byte, signal) => {
        survives(signal, 'protobuf', whole.subarray(0, end));
        const damaged = Buffer.from(whole);
        damaged[at] = byte;
        survives(signal, 'protobuf', damaged);
      },
    ),
    { numRuns: 500 },
  );
});

test('[IN3] a truncated request is refused with the place of the fault', () => {
  const whole = encode(
    'traces',
    withBytes({ resourceSpans: [{ scopeSpans: [{ spans: [span(), span()] }] }] }),
  );
  assert.throws(() => decode('traces', 'protobuf', whole.subarray(0, whole.length - 3)), {
    code: 'INVALID_ARGUMENT',
    message: /^resourceSpans\[0\].*at byte \d+ of \d+/,
  });
});

test('[IN3] any JSON value in the place of any field is a rejection, not a crash', () => {
  const fields = ['traceId', 'name', 'startTimeUnixNano', 'attributes', 'events', 'links', 'status', 'flags'];
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }), (name, value) => {
      const result = decode('traces', 'json', {
        resourceSpans: [
          { scopeSpans: [{ spans: [span({ [name]: value }), span({ spanId: 'ffffffffffffffff' })] }] },
        ],
      });
      assert.equal(result.records.length + result.rejected, 2);
      assert.equal(spans(result).at(-1)?.spanId, 'ffffffffffffffff');
    }),
    { numRuns: 1000 },
  );
});
