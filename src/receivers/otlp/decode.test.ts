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

/** The ids of OTLP/JSON are hexadecimal. */
function jsonOf(request: object): Buffer {
  const isBytes = (value: unknown): value is { data: number[] } =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  const text = JSON.stringify(request, (_, value: unknown) =>
    isBytes(value) ? Buffer.from(value.data).toString('hex') : value,
  );
  return Buffer.from(text);
}

test('[EL2] a large body is decoded in pieces, to the same records', async () => {
  for (const signal of ['traces', 'logs', 'metrics'] as const) {
    for (const encoding of ['protobuf', 'json'] as const) {
      const request = requestOf(signal, 300);
      const body = encoding === 'json' ? jsonOf(request) : encode(signal, request);
      let pauses = 0;
      const pace = hurriedPace([20], () => pauses++);
      const limits = DEFAULT_RECEIVER_LIMITS;
      const decoded = await decodeInPieces(signal, encoding, body, limits, RECEIVED_MS, pace);
      assert.ok(pauses >= 10, `${signal} as ${encoding}: ${pauses} pauses`);
      assert.deepEqual(decoded, decode(signal, encoding, body));
      assert.equal(decoded.records.length, 300, signal);
    }
  }
});
