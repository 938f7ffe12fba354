import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attribute,
  decode,
  logRequest,
  logs,
  span,
  spans,
  traceRequest,
  TRACE,
  SPAN,
} from './otlp.test-support.ts';

test('[IN8] ids may be hex in any case, or base64', () => {
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
  const result = decode(
    'traces',
    'json',
    traceRequest(
      span({ traceId: TRACE.toUpperCase(), spanId: SPAN.toUpperCase() }),
      span({ traceId: base64(TRACE), spanId: base64(SPAN), parentSpanId: base64('ff'.repeat(8)) }),
    ),
  );
  assert.deepEqual(
    spans(result).map((s) => [s.traceId, s.spanId]),
    [
      [TRACE, SPAN],
      [TRACE, SPAN],
    ],
  );
  assert.equal(spans(result)[1]?.parentSpanId, 'ff'.repeat(8));
});

test('[IN8] 64-bit integers may be numbers or strings and lose no digit', () => {
  const ints = [7, '7', '-9007199254740993', '9223372036854775807', '0007'];
  const result = decode(
    'traces',
    'json',
    traceRequest(span({ attributes: ints.map((intValue, i) => attribute(`k${i}`, { intValue })) })),
  );
  assert.deepEqual(
    [...spans(result)[0]!.attributes.values()],
    [7, 7, '-9007199254740993', '9223372036854775807', 7],
  );
});

test('[IN8] enums may be numbers or names', () => {
  const codes = [0, 1, 2, 'STATUS_CODE_OK', 'STATUS_CODE_ERROR', 'STATUS_CODE_UNSET', '2', 77];
  const result = decode(
    'traces',
    'json',
    traceRequest(...codes.map((code) => span({ kind: 'SPAN_KIND_CLIENT', status: { code } }))),
  );
  assert.deepEqual(
    spans(result).map((s) => s.status),
    ['UNSET', 'OK', 'ERROR', 'OK', 'ERROR', 'UNSET', 'ERROR', 'UNSET'],
  );
  const severities = logs(
    decode('logs', 'json', logRequest({ severityNumber: 'SEVERITY_NUMBER_WARN2' }, { severityNumber: 24 })),
  );
  assert.deepEqual(
    severities.map((log) => log.severityNumber),
    [14, 24],
  );
});

test('[IN8] snake_case is read like lowerCamelCase', () => {
  const result = decode('traces', 'json', {
    resource_spans: [
      {
        scope_spans: [
          {
            spans: [
              {
                trace_id: TRACE,
                span_id: SPAN,
                parent_span_id: 'ff'.repeat(8),
                start_time_unix_nano: 1e9,
                end_time_unix_nano: '2000000000',
                attributes: [
                  { key: 'k', value: { string_value: 'v' } },
                  { key: 'l', value: { array_value: { values: [{ int_value: '5' }] } } },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const record = spans(result)[0]!;
  assert.equal(record.parentSpanId, 'ff'.repeat(8));
  assert.equal(record.durationMs, 1000);
  assert.deepEqual(
    [...record.attributes],
    [
      ['k', 'v'],
      ['l', [5]],
    ],
  );
});

test('[IN4] a wrong type rejects its record, names the field and never repeats the value', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ startTimeUnixNano: 'hunter2' }, 'startTimeUnixNano: not a number (nanoseconds since 1970)'],
    [{ endTimeUnixNano: -1 }, 'endTimeUnixNano: not a number (nanoseconds since 1970)'],
    [
      { startTimeUnixNano: '18446744073709551616' },
      'startTimeUnixNano: not a number (nanoseconds since 1970)',
    ],
    [{ traceId: 5 }, 'traceId: not a string'],
    [{ traceId: 'g'.repeat(32) }, 'traceId: not hexadecimal'],
    [{ traceId: 'hunter2' }, 'traceId: not 16 bytes in hex or base64'],
    [{ spanId: '!!!!!!!!!!!=' }, 'spanId: not 8 bytes in hex or base64'],
    [{ name: {} }, 'name: not a string'],
    [{ attributes: 'hunter2' }, 'attributes: not an array'],
    [{ attributes: ['hunter2'] }, 'attributes[0]: not an object'],
    [{ attributes: [attribute('k', { stringValue: 5 })] }, 'attributes[0].value.stringValue: not a string'],
    [{ attributes: [attribute('k', { intValue: '1.5' })] }, 'attributes[0].value.intValue: not an integer'],
    [
      { attributes: [attribute('k', { intValue: '9223372036854775808' })] },
      'attributes[0].value.intValue: not a 64-bit integer',
    ],
    [
      { attributes: [attribute('k', { doubleValue: 'hunter2' })] },
      'attributes[0].value.doubleValue: not a number',
    ],
    [{ attributes: [attribute('k', { boolValue: 'true' })] }, 'attributes[0].value.boolValue: not a boolean'],
    [
      { attributes: [attribute('k', { arrayValue: { values: [{ stringValue: 1 }] } })] },
      'attributes[0].value.arrayValue.values[0].stringValue: not a string',
    ],
    [{ events: [{ timeUnixNano: [] }] }, 'events[0].timeUnixNano: not a number (nanoseconds since 1970)'],
    [{ status: 'hunter2' }, 'status: not an object'],
  ];
  for (const [fields, reason] of cases) {
    const result = decode('traces', 'json', traceRequest(span(fields), span()));
    assert.deepEqual(result.reasons, [`resourceSpans[0].scopeSpans[0].spans[0].${reason}`]);
    assert.equal(result.rejected, 1);
    assert.equal(result.records.length, 1);
  }
});

test('[IN4] a group that is no array or object costs itself and no more', () => {
  const good = { scopeSpans: [{ spans: [span()] }] };
  const result = decode('traces', 'json', {
    resourceSpans: [5, { scopeSpans: 'x' }, { scopeSpans: [{ spans: {} }] }, good],
  });
  assert.equal(result.records.length, 1);
  assert.deepEqual(result.reasons, [
    'resourceSpans[0]: not an object',
    'resourceSpans[1].scopeSpans: not an array',
    'resourceSpans[2].scopeSpans[0].spans: not an array',
  ]);
});

test('[IN4] a resource that cannot be read is a warning: its spans stay', () => {
  const result = decode('traces', 'json', {
    resourceSpans: [{ resource: { attributes: 7 }, scopeSpans: [{ spans: [span()] }] }],
  });
  assert.equal(result.records.length, 1);
  assert.equal(result.rejected, 0);
  assert.deepEqual(result.reasons, ['resourceSpans[0].resource.attributes: not an array']);
});

test('[IN4] only a document that is no JSON object is refused as a whole', () => {
  for (const body of ['', '{', '[]', '5', 'null', '"x"']) {
    assert.throws(() => decode('traces', 'json', Buffer.from(body)), { code: 'INVALID_ARGUMENT' }, body);
  }
  assert.deepEqual(decode('traces', 'json', Buffer.from('{}')).records, []);
});

test('[IN7] a document of millions of empty values is refused before it is parsed', () => {
  const body = Buffer.from(`{"resourceSpans":[${'{},'.repeat(3_000_000)}{}]}`);
  assert.throws(() => decode('traces', 'json', body), { code: 'TOO_LARGE' });
});

test('[IN7] 100,000 nested JSON arrays do not overflow the stack', () => {
  const body = Buffer.from(`{"resourceSpans":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  assert.equal(decode('traces', 'json', body).rejected, 1);
});

test('[IN8] special doubles are written as strings', () => {
  const values = ['NaN', 'Infinity', '-Infinity', '1e3', 2.5].map((doubleValue, i) =>
    attribute(`k${i}`, { doubleValue }),
  );
  const result = decode('traces', 'json', traceRequest(span({ attributes: values })));
  assert.deepEqual([...spans(result)[0]!.attributes.values()], [Number.NaN, Infinity, -Infinity, 1000, 2.5]);
});

test('[IN8] data points of metrics are counted in both encodings', () => {
  const points = (n: number): object => ({
    dataPoints: Array.from({ length: n }, () => ({ timeUnixNano: '1' })),
  });
  const request = {
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              { name: 'a', gauge: points(3) },
              { name: 'b', histogram: points(2) },
            ],
          },
        ],
      },
    ],
  };
  for (const encoding of ['json', 'protobuf'] as const) {
    const result = decode('metrics', encoding, request);
    // Three gauges without a value say nothing; a histogram that counts nothing says so.
    assert.deepEqual([result.dataPoints, result.records.length, result.rejected], [3, 2, 0]);
  }
});
