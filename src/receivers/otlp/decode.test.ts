import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../../test/support/hurried-pace.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { decodeInPieces, type Signal } from './decode.ts';
import { RECEIVED_MS, decode, encode } from './otlp.test-support.ts';

const TRACE = Buffer.alloc(16, 1);

/** Requests of so many items each. */
function requestOf(signal: Signal, count: number): object {
  const items = Array.from({ length: count }, (_, n) => n + 1);
  const id = (n: number): Buffer => Buffer.from(n.toString(16).padStart(16, '0'), 'hex');
  switch (signal) {
    case 'traces':
      return {
        resourceSpans: [
          {
            scopeSpans: [{ spans: items.map((n) => ({ traceId: TRACE, spanId: id(n), name: `step ${n}` })) }],
          },
        ],
      };
    case 'logs':
      return {
        resourceLogs: [
          { scopeLogs: [{ logRecords: items.map((n) => ({ body: { stringValue: `line ${n}` } })) }] },
        ],
      };
    case 'metrics':
      return {
        resourceMetrics: [
          {
            scopeMetrics: [
              {
                metrics: items.map((n) => ({
                  name: 'load',
                  gauge: { dataPoints: [{ timeUnixNano: n, asInt: n }] },
                })),
              },
            ],
          },
        ],
      };
  }
}

test('[EL2] a large protobuf body is decoded in pieces, to the same records', async () => {
  for (const signal of ['traces', 'logs', 'metrics'] as const) {
    const body = encode(signal, requestOf(signal, 300));
    let pauses = 0;
    const pace = hurriedPace([20], () => pauses++);
    const decoded = await decodeInPieces(
      signal,
      'protobuf',
      body,
      DEFAULT_RECEIVER_LIMITS,
      RECEIVED_MS,
      pace,
    );
    assert.ok(pauses >= 10, `${signal}: ${pauses} pauses`);
    assert.deepEqual(decoded, decode(signal, 'protobuf', body));
    assert.equal(decoded.records.length, 300, signal);
  }
});
