import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MetricRecord } from '../../model/records.ts';
import {
  RECEIVED_MS,
  SPAN,
  TRACE,
  attribute,
  decode,
  encode,
  logRequest,
  metricRequest,
  metrics,
  reference,
  span,
  traceRequest,
  withBytes,
} from './otlp.test-support.ts';

const RUNS = 300;
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const hexId = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
const attributes = fc.array(
  fc.record({ key: text, value: fc.oneof(fc.record({ stringValue: text }), fc.record({ intValue: int64 })) }),
  { maxLength: 3 },
);
const flags = fc.constantFrom(0, 0, 0, 1, 2, 3);
const number = fc.oneof(fc.record({ asDouble: double }), fc.record({ asInt: int64 }), fc.constant({}));
const with_ = <A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) =>
  fc.tuple(a, b).map(([x, y]) => ({ ...x, ...y }));
const exemplars = fc.array(
  with_(
    fc.record({
      traceId: fc.oneof(hexId(16), fc.constant('')),
      spanId: fc.oneof(hexId(8), fc.constant('0'.repeat(16))),
      timeUnixNano: uint64,
      filteredAttributes: attributes,
    }),
    number,
  ),
  { maxLength: 3 },
);
const common = { startTimeUnixNano: uint64, timeUnixNano: uint64, attributes, flags };
const optionals = fc.record({ sum: double, min: double, max: double }, { requiredKeys: [] });
const numberPoint = with_(fc.record({ ...common, exemplars }), number);
const histogramPoint = with_(
  fc.record({
    ...common,
    exemplars,
    count: uint64,
    bucketCounts: fc.array(uint64, { maxLength: 3 }),
    explicitBounds: fc.array(double, { maxLength: 2 }),
  }),
  optionals,
);
const exponentialPoint = with_(
  fc.record({
    ...common,
    exemplars,
    count: uint64,
    scale: fc.integer({ min: -10, max: 20 }),
    zeroCount: uint64,
    positive: fc.record({
      offset: fc.integer({ min: -9, max: 9 }),
      bucketCounts: fc.array(uint64, { maxLength: 3 }),
    }),
  }),
  optionals,
);
const summaryPoint = fc.record({
  ...common,
  count: uint64,
  sum: double,
  quantileValues: fc.array(fc.record({ quantile: fc.constantFrom(0, 0.5, 1), value: double }), {
    maxLength: 3,
  }),
});
const points = <T>(point: fc.Arbitrary<T>) => fc.array(point, { maxLength: 3 });
const aggregationTemporality = fc.nat(2);
const data = fc.oneof(
  fc.record({ gauge: fc.record({ dataPoints: points(numberPoint) }) }),
  fc.record({
    sum: fc.record({ dataPoints: points(numberPoint), aggregationTemporality, isMonotonic: fc.boolean() }),
  }),
  fc.record({ histogram: fc.record({ dataPoints: points(histogramPoint), aggregationTemporality }) }),
  fc.record({
    exponentialHistogram: fc.record({ dataPoints: points(exponentialPoint), aggregationTemporality }),
  }),
  fc.record({ summary: fc.record({ dataPoints: points(summaryPoint) }) }),
);
const metric = with_(
  fc.record({ name: fc.constantFrom('process.cpu.utilization', 'm', ''), unit: text, description: text }),
  data,
);
const request = fc.record({
  resourceMetrics: fc.array(
    fc.record({
      resource: fc.record({ attributes }),
      scopeMetrics: fc.array(
        fc.record({
          scope: fc.record({ name: text, version: text }),
          metrics: fc.array(metric, { maxLength: 3 }),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
});

test('[ME1] [IN22] protobuf and JSON of the same metrics give equal records and equal counts', () => {
  fc.assert(
    fc.property(request, (message) => {
      assert.deepEqual(decode('metrics', 'json', message), decode('metrics', 'protobuf', message));
    }),
    { numRuns: RUNS },
  );
});

interface PlainPoint {
  readonly timeUnixNano: string;
  readonly startTimeUnixNano: string;
  readonly flags?: number;
  readonly value?: 'asDouble' | 'asInt';
  readonly asDouble?: number;
  readonly asInt?: string;
  readonly count?: string;
  readonly sum?: number;
  readonly min?: number;
  readonly max?: number;
  readonly quantileValues?: readonly { readonly quantile?: number; readonly value?: number }[];
  readonly exemplars?: readonly {
    readonly traceId: Uint8Array;
    readonly spanId: Uint8Array;
    readonly timeUnixNano: string;
    readonly value?: 'asDouble' | 'asInt';
    readonly asDouble?: number;
    readonly asInt?: string;
  }[];
  readonly attributes: readonly { readonly key: string }[];
}
interface PlainMetric {
  readonly name: string;
  readonly unit: string;
  readonly data: 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary';
}
type PlainData = {
  readonly dataPoints: readonly PlainPoint[];
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const numeric = (of: { value?: string; asDouble?: number; asInt?: string }): number | undefined =>
  of.value === undefined ? undefined : Number(of.value === 'asDouble' ? of.asDouble : of.asInt);
const known = <T>(fields: { [K in keyof T]?: T[K] | undefined }): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What the generated decoder says of one request, in the terms of our records. */
function expected(body: Buffer): object[] {
  const type = reference.lookupType('otlp.ExportMetricsServiceRequest');
  const message = type.toObject(type.decode(body), { longs: String, oneofs: true, arrays: true }) as {
    resourceMetrics: { scopeMetrics: { metrics: PlainMetric[] }[] }[];
  };
  const out: object[] = [];
  for (const plain of message.resourceMetrics.flatMap((r) => r.scopeMetrics.flatMap((s) => s.metrics))) {
    const held = plain as PlainMetric & Record<string, PlainData>;
    const series = held[plain.data]!;
    for (const point of series.dataPoints) {
      if ((plain.name ?? '') === '' || ((point.flags ?? 0) & 1) === 1) continue;
      const isNumber = plain.data === 'gauge' || plain.data === 'sum';
      const value = isNumber ? numeric(point) : distribution(point, plain.data);
      if (value === undefined) continue;
      out.push({
        name: plain.name,
        unit: plain.unit ?? '',
        instrument: plain.data,
        temporality: [undefined, 'delta', 'cumulative'][series.aggregationTemporality ?? 0],
        monotonic: series.isMonotonic ?? false,
        value,
        keys: [...new Set(point.attributes.map(({ key }) => key ?? ''))],
        exemplars: (point.exemplars ?? []).flatMap((e) => {
          const ids = [hex(e.traceId ?? new Uint8Array()), hex(e.spanId ?? new Uint8Array())];
          const isJoined = ids.every((id) => !/^0*$/.test(id)) && numeric(e) !== undefined;
          return isJoined && (e.timeUnixNano ?? '0') !== '0' ? [[...ids, numeric(e)]] : [];
        }),
      });
    }
  }
  return out;
}

function distribution({ count = '0', sum, min, max, quantileValues }: PlainPoint, data: string): object {
  if (data !== 'summary') return known({ count: Number(count), sum, min, max });
  const at = (wanted: number): number | undefined => {
    const found = quantileValues?.findLast(({ quantile = 0 }) => quantile === wanted);
    return found && (found.value ?? 0);
  };
  return known({ count: Number(count), sum, min: at(0), max: at(1) });
}

test('[ME1] metrics read by hand equal those of a generated decoder', () => {
  fc.assert(
    fc.property(request, (message) => {
      const body = encode('metrics', withBytes(message));
      const got = metrics(decode('metrics', 'protobuf', body)).map((m) => ({
        name: m.name,
        unit: m.unit,
        instrument: m.instrument,
        temporality: m.temporality,
        monotonic: m.monotonic,
        value: typeof m.value === 'number' ? m.value : known(m.value),
        keys: [...m.attributes.keys()],
        exemplars: m.exemplars.map((e) => [e.traceId, e.spanId, e.value]),
      }));
      // A summary's sum of 0 is not written.
      const sums = (list: readonly object[]): unknown =>
        JSON.parse(JSON.stringify(list).replaceAll('"sum":0,', '').replaceAll(',"sum":0', ''));
      assert.deepEqual(sums(got), sums(expected(body)));
    }),
    { numRuns: RUNS },
  );
});

function one(encoding: 'json' | 'protobuf', sent: object): MetricRecord {
  const result = decode('metrics', encoding, metricRequest(sent));
  assert.deepEqual([result.records.length, result.rejected], [1, 0]);
  return metrics(result)[0]!;
}

for (const encoding of ['json', 'protobuf'] as const) {
  test(`[ME1] a point keeps what explains a step, ${encoding}`, () => {
    const record = one(encoding, {
      name: 'gen_ai.client.token.usage',
      description: 'not kept',
      unit: '{token}',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            startTimeUnixNano: '1750000000000000000',
            timeUnixNano: '1750000060000000000',
            count: '3',
            sum: 12.5,
            max: 7,
            bucketCounts: ['3'],
            attributes: [attribute('gen_ai.token.type', { stringValue: 'input' })],
            exemplars: [
              { traceId: TRACE, spanId: SPAN, timeUnixNano: '1750000030000000000', asInt: '7' },
              { timeUnixNano: '1750000030000000000', asInt: '9' },
            ],
          },
        ],
      },
    });
    assert.deepEqual(record, {
      kind: 'metric',
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      instrument: 'histogram',
      temporality: 'cumulative',
      monotonic: false,
      time: 1_750_000_060_000,
      start: 1_750_000_000_000,
      value: { count: 3, sum: 12.5, min: undefined, max: 7 },
      attributes: new Map([['gen_ai.token.type', 'input']]),
      exemplars: [{ traceId: TRACE, spanId: SPAN, time: 1_750_000_030_000, value: 7 }],
      scope: record.scope,
      resource: record.resource,
    });
  });

  test(`[ME2] points that say nothing are counted and make no record, ${encoding}`, () => {
    const result = decode(
      'metrics',
      encoding,
      metricRequest({
        name: 'm',
        gauge: {
          dataPoints: [
            { flags: 1, asDouble: 1 },
            {},
            { asDouble: encoding === 'json' ? 'NaN' : Number.NaN },
            { asDouble: encoding === 'json' ? 'Infinity' : Infinity },
            { asInt: '5' },
          ],
        },
      }),
    );
    assert.deepEqual([result.records.length, result.dataPoints, result.rejected], [1, 4, 0]);
    assert.deepEqual([metrics(result)[0]?.value, metrics(result)[0]?.time], [5, RECEIVED_MS]);
  });

  test(`[ME3] the points of a metric without a name are rejected, told once, and the rest is kept, ${encoding}`, () => {
    const gauge = { dataPoints: [{ asInt: '1' }, { asInt: '2' }] };
    const result = decode('metrics', encoding, metricRequest({ gauge }, { name: 'm', gauge }));
    assert.deepEqual([result.records.length, result.rejected], [2, 2]);
    assert.deepEqual(result.reasons, ['resourceMetrics[0].scopeMetrics[0].metrics[0].name: missing']);
  });

  test(`[ME3] points beyond the limit of one request are rejected, ${encoding}`, () => {
    const dataPoints = Array.from({ length: 5 }, () => ({ asInt: '1' }));
    const sent = metricRequest({ name: 'm', gauge: { dataPoints } });
    const result = decode('metrics', encoding, sent, { maxRecords: 3 });
    assert.deepEqual([result.records.length, result.rejected], [3, 2]);
  });
}

test('[ME1] the temporality may stand behind the points, as SDKs write it, or before', () => {
  const series = reference.lookupType('otlp.Sum');
  const sum = Buffer.from(
    series.encode(series.fromObject({ dataPoints: [{ asInt: 1 }], isMonotonic: true })).finish(),
  );
  const wrap = (tag: number, inner: Buffer): Buffer =>
    Buffer.concat([Buffer.from([tag, inner.length]), inner]);
  const temporality = Buffer.from([0x10, 1]);
  const name = wrap(0x0a, Buffer.from('m'));
  for (const data of [Buffer.concat([temporality, sum]), Buffer.concat([sum, temporality])]) {
    for (const whole of [Buffer.concat([name, wrap(0x3a, data)]), Buffer.concat([wrap(0x3a, data), name])]) {
      const body = wrap(0x0a, wrap(0x12, wrap(0x12, whole)));
      const [record] = metrics(decode('metrics', 'protobuf', body));
      assert.deepEqual([record?.name, record?.temporality, record?.monotonic], ['m', 'delta', true]);
    }
  }
});

test('[ME3] a point that cannot be read costs itself alone, and the answer says where it is', () => {
  const gauge = (...dataPoints: readonly object[]): object => ({ name: 'm', gauge: { dataPoints } });
  const cases: readonly (readonly [object, string])[] = [
    [{ asInt: 'seven' }, 'asInt: not an integer'],
    [{ asInt: '9223372036854775808' }, 'asInt: not a 64-bit integer'],
    [{ asDouble: {} }, 'asDouble: not a number'],
    [{ asInt: 1, timeUnixNano: -1 }, 'timeUnixNano: not a number (nanoseconds since 1970)'],
    [{ asInt: 1, attributes: 7 }, 'attributes: not an array'],
    [{ asInt: 1, flags: 'x' }, 'flags: not a number'],
    [{ asInt: 1, exemplars: {} }, 'exemplars: not an array'],
  ];
  for (const [bad, problem] of cases) {
    const result = decode('metrics', 'json', metricRequest(gauge({ asInt: 1 }, bad, { asInt: 3 })));
    assert.deepEqual(
      metrics(result).map((m) => m.value),
      [1, 3],
      problem,
    );
    assert.deepEqual(result.reasons, [
      `resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints[1].${problem}`,
    ]);
  }
  const histogram = decode(
    'metrics',
    'json',
    metricRequest({
      name: 'm',
      histogram: { dataPoints: [{ count: '-1' }, { count: 2 ** 60 }, { count: '3' }] },
    }),
  );
  assert.deepEqual([histogram.records.length, histogram.rejected], [1, 2]);
});

test('[ME3] spans and log records at the metrics endpoint are told that they are misplaced', () => {
  for (const [signal, sent] of [
    ['traces', traceRequest(span())],
    ['logs', logRequest({ timeUnixNano: '1', body: { stringValue: 'a' } })],
  ] as const) {
    assert.throws(() => decode('metrics', 'protobuf', encode(signal, withBytes(sent))), {
      code: 'INVALID_ARGUMENT',
      message: /look like spans or log records sent to the metrics endpoint/,
    });
  }
});

test('[ME3] damaged and truncated metrics give a result or INVALID_ARGUMENT', () => {
  fc.assert(
    fc.property(request, fc.nat(), fc.nat(255), fc.nat(), (message, at, byte, end) => {
      const body = encode('metrics', withBytes(message));
      const damaged = Buffer.from(body.subarray(0, end % (body.length + 1)));
      if (damaged.length > 0) damaged[at % damaged.length] = byte;
      try {
        decode('metrics', 'protobuf', damaged);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'INVALID_ARGUMENT');
      }
    }),
    { numRuns: RUNS },
  );
});
