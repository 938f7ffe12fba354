import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DROPPED_ATTRIBUTES, DROPPED_EVENTS, DROPPED_LINKS } from '../bounded-values.ts';
import type { Encoding } from './decode.ts';
import {
  RECEIVED_MS,
  SPAN,
  TRACE,
  attribute,
  decode,
  encode,
  span,
  spans,
  traceRequest,
} from './otlp.test-support.ts';

const ENCODINGS: readonly Encoding[] = ['protobuf', 'json'];
const string = (stringValue: string): object => ({ stringValue });

for (const encoding of ENCODINGS) {
  test(`[IN4] ${encoding}: bad spans are rejected with the field's path and the good ones kept`, () => {
    const result = decode(
      'traces',
      encoding,
      traceRequest(
        span({ traceId: '0'.repeat(32) }),
        span({ spanId: '' }),
        span({ spanId: '0'.repeat(16) }),
        span({ traceId: undefined }),
        span(),
      ),
    );
    assert.equal(result.records.length, 1);
    assert.equal(result.rejected, 4);
    assert.deepEqual(result.reasons, [
      'resourceSpans[0].scopeSpans[0].spans[0].traceId: all zero',
      'resourceSpans[0].scopeSpans[0].spans[1].spanId: missing',
      'resourceSpans[0].scopeSpans[0].spans[2].spanId: all zero',
      'resourceSpans[0].scopeSpans[0].spans[3].traceId: missing',
    ]);
  });

  test(`[IN5] ${encoding}: a span that is its own parent, or has a zero one, is a root`, () => {
    const result = decode(
      'traces',
      encoding,
      traceRequest(
        span({ parentSpanId: SPAN }),
        span({ parentSpanId: '0'.repeat(16) }),
        span({ parentSpanId: 'ff'.repeat(8) }),
      ),
    );
    assert.deepEqual(
      spans(result).map((s) => s.parentSpanId),
      [undefined, undefined, 'ff'.repeat(8)],
    );
  });

  test(`[IN6] ${encoding}: durations are exact, ends never lie before starts, missing times are filled`, () => {
    const at = (startTimeUnixNano: string, endTimeUnixNano: string): object =>
      span({ startTimeUnixNano, endTimeUnixNano });
    const result = decode(
      'traces',
      encoding,
      traceRequest(
        at('1795293556273000001', '1795293556274105735'),
        at('1795293556273000000', '1795293556272999999'),
        at('0', '1795293556273000000'),
        at('0', '0'),
        at('1795293556273000000', '0'),
      ),
    );
    assert.deepEqual(
      spans(result).map((s) => [s.start, s.end, s.durationMs]),
      [
        [1795293556273 + 0.000001, 1795293556274 + 0.105735, 1.105734],
        [1795293556273, 1795293556273, 0],
        [1795293556273, 1795293556273, 0],
        [RECEIVED_MS, undefined, undefined],
        [1795293556273, undefined, undefined],
      ],
    );
  });

  test(`[IN7] ${encoding}: long strings are cut and say so, and nothing is cut inside a character`, () => {
    const result = decode(
      'traces',
      encoding,
      traceRequest(
        span({
          attributes: [
            attribute('k', string('x'.repeat(10_000_000))),
            attribute('e', string('a😀'.repeat(6))),
          ],
        }),
      ),
      { maxStringChars: 11 },
    );
    const { attributes } = spans(result)[0]!;
    assert.equal(attributes.get('k'), `${'x'.repeat(11)}…[cut 9999989 chars]`);
    assert.equal(attributes.get('e'), 'a😀a😀a😀a…[cut 8 chars]');
    assert.equal(result.textsCut, 2);
  });

  test(`[IN7] ${encoding}: more attributes, events and links than are kept are counted in an attribute`, () => {
    const many = (n: number): readonly object[] =>
      Array.from({ length: n }, (_, i) => attribute(`k${i}`, { intValue: i }));
    const result = decode(
      'traces',
      encoding,
      traceRequest(
        span({
          attributes: many(10),
          droppedAttributesCount: 5,
          events: Array.from({ length: 6 }, () => ({ name: 'e', timeUnixNano: '1' })),
          links: Array.from({ length: 7 }, () => ({ traceId: TRACE, spanId: SPAN })),
        }),
      ),
      { maxAttributes: 4 },
    );
    const record = spans(result)[0]!;
    assert.equal(record.events.length, 4);
    assert.equal(record.links.length, 4);
    assert.deepEqual(
      [...record.attributes],
      [
        ['k0', 0],
        ['k1', 1],
        ['k2', 2],
        ['k3', 3],
        [DROPPED_EVENTS, 2],
        [DROPPED_LINKS, 3],
        [DROPPED_ATTRIBUTES, 11],
      ],
    );
  });

  test(`[IN7] ${encoding}: a value nested 5,000 deep ends in a marker`, () => {
    // Built as text, because the helpers themselves would run out of stack.
    const depth = 5000;
    let body: Buffer;
    if (encoding === 'json') {
      const value = `${'{"arrayValue":{"values":['.repeat(depth)}{"intValue":1}${']}}'.repeat(depth)}`;
      const whole = JSON.stringify(traceRequest(span({ attributes: [{ key: 'deep', value: 'HERE' }] })));
      body = Buffer.from(whole.replace('"HERE"', value));
    } else {
      body = deepProtobuf(depth);
    }
    let value: unknown = spans(decode('traces', encoding, body))[0]?.attributes.get('deep');
    let levels = 0;
    while (Array.isArray(value)) {
      value = value[0];
      levels++;
    }
    assert.equal(levels, 64);
    assert.equal(value, '[too deep]');
  });

  test(`[IN7] ${encoding}: keys like __proto__ become plain own keys`, () => {
    const values = [
      attribute('__proto__', { kvlistValue: { values: [attribute('polluted', string('yes'))] } }),
    ];
    const result = decode(
      'traces',
      encoding,
      traceRequest(span({ attributes: [attribute('o', { kvlistValue: { values } })] })),
    );
    const value = spans(result)[0]?.attributes.get('o') as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test(`[IN7] ${encoding}: records and values beyond what one request may bring are counted out`, () => {
    const wide = span({
      attributes: [
        attribute('a', { arrayValue: { values: Array.from({ length: 100 }, () => ({ intValue: 1 })) } }),
      ],
    });
    const result = decode('traces', encoding, traceRequest(wide, span(), span()), {
      maxRecords: 2,
      maxValues: 10,
    });
    assert.equal(result.records.length, 2);
    assert.equal(result.rejected, 1);
    assert.match(result.reasons[0]!, /only the first 2 records/);
    assert.equal((spans(result)[0]!.attributes.get('a') as readonly unknown[]).length, 9);
  });

  test(`[IN5] ${encoding}: links that lead nowhere are dropped and counted, the span stays`, () => {
    const result = decode(
      'traces',
      encoding,
      traceRequest(span({ links: [{ traceId: '0'.repeat(32), spanId: SPAN }] })),
    );
    assert.deepEqual(spans(result)[0]?.links, []);
    assert.equal(spans(result)[0]?.attributes.get(DROPPED_LINKS), 1);
  });
}

test('[IN5] protobuf: ids of a wrong length are rejected by field', () => {
  const id = (bytes: number): Buffer => Buffer.alloc(bytes, 1);
  const body = encode(
    'traces',
    traceRequest(
      { traceId: id(15), spanId: id(8) },
      { traceId: id(16), spanId: id(9) },
      { traceId: id(16), spanId: id(8), parentSpanId: id(4) },
    ),
  );
  assert.deepEqual(decode('traces', 'protobuf', body).reasons, [
    'resourceSpans[0].scopeSpans[0].spans[0].traceId: not 16 bytes long',
    'resourceSpans[0].scopeSpans[0].spans[1].spanId: not 8 bytes long',
    'resourceSpans[0].scopeSpans[0].spans[2].parentSpanId: not 8 bytes long',
  ]);
});

const kept: unknown[] = [];

test('[IN7] a kept string does not keep the request alive', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const weak = ((): WeakRef<Buffer> => {
    const body = Buffer.from(
      encode(
        'traces',
        traceRequest({ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1), name: 'kept '.repeat(100) }),
      ),
    );
    const copy = Buffer.alloc(8 * 1024 * 1024);
    body.copy(copy);
    kept.push(decode('traces', 'protobuf', copy.subarray(0, body.length)));
    return new WeakRef(copy);
  })();
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  assert.equal(weak.deref(), undefined);
});

function deepProtobuf(depth: number): Buffer {
  let value: Buffer = Buffer.from([0x18, 0x01]);
  for (let i = 0; i < depth; i++) value = message(0x2a, message(0x0a, value));
  const keyValue = Buffer.concat([message(0x0a, Buffer.from('deep')), message(0x12, value)]);
  const item = Buffer.concat([
    message(0x0a, Buffer.from(TRACE, 'hex')),
    message(0x12, Buffer.from(SPAN, 'hex')),
    message(0x4a, keyValue),
  ]);
  return message(0x0a, message(0x12, message(0x12, item)));
}

function message(tag: number, inner: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = inner.length; ; rest >>>= 7) {
    length.push(rest >= 0x80 ? (rest & 0x7f) | 0x80 : rest);
    if (rest < 0x80) break;
  }
  return Buffer.concat([Buffer.from([tag, ...length]), inner]);
}
