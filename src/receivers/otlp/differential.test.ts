import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import { DROPPED_ATTRIBUTES } from '../bounded-values.ts';
import {
  SPAN,
  TRACE,
  decode,
  encode,
  fixtures,
  logs,
  reference,
  spans,
  withBytes,
} from './otlp.test-support.ts';

const RUNS = 300;

/** A string without lone surrogates, because protobuf can't carry them. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const key = fc.oneof(text, fc.constantFrom('gen_ai.request.model', '__proto__', 'constructor', 'requestId'));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

const { anyValue } = fc.letrec<{ anyValue: object; keyValue: object }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: int64 }),
    fc.record({ doubleValue: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
    fc.record({
      bytesValue: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
    fc.constant({}),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('anyValue'), { maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('keyValue'), { maxLength: 3 }) }) }),
  ),
  keyValue: fc.record({ key, value: tie('anyValue') }),
}));
const attributes = fc.array(fc.record({ key, value: anyValue }), { maxLength: 5 });
const hexId = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
const nanos = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
const resource = fc.record({ attributes });
const scope = fc.record({ name: text, version: text, attributes });
const spanMessage = fc.record({
  traceId: hexId(16),
  spanId: hexId(8),
  parentSpanId: fc.oneof(hexId(8), fc.constant('')),
  traceState: text,
  name: text,
  kind: fc.nat(5),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  droppedAttributesCount: fc.nat(3),
  events: fc.array(fc.record({ timeUnixNano: nanos, name: text, attributes }), { maxLength: 2 }),
  links: fc.array(fc.record({ traceId: hexId(16), spanId: hexId(8), attributes }), { maxLength: 2 }),
  status: fc.record({ code: fc.nat(2), message: text }),
  flags: fc.nat(255),
});
const traceMessage = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource,
      scopeSpans: fc.array(fc.record({ scope, spans: fc.array(spanMessage, { maxLength: 3 }) }), {
        maxLength: 2,
      }),
    }),
    { maxLength: 2 },
  ),
});
const logMessage = fc.record({
  resourceLogs: fc.array(
    fc.record({
      resource,
      scopeLogs: fc.array(
        fc.record({
          scope,
          logRecords: fc.array(
            fc.record({
              timeUnixNano: nanos,
              observedTimeUnixNano: nanos,
              severityNumber: fc.nat(24),
              severityText: text,
              body: anyValue,
              attributes,
              traceId: fc.oneof(hexId(16), fc.constant('')),
              spanId: fc.oneof(hexId(8), fc.constant('')),
              eventName: fc.constantFrom('', 'cot.step', 'reflexion.ModelSwitched', 'other'),
            }),
            { maxLength: 3 },
          ),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
});

/** The reference codec's object form of an attribute list, as the model wants it. */
interface PlainAny {
  readonly value?: string;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly bytesValue?: Uint8Array;
  readonly arrayValue?: { readonly values: readonly PlainAny[] };
  readonly kvlistValue?: { readonly values: readonly PlainKeyValue[] };
}
interface PlainKeyValue {
  readonly key: string;
  readonly value: PlainAny | null;
}

function plainValue(any: PlainAny | null): AttributeValue {
  if (any?.value === undefined) return null;
  switch (any.value) {
    case 'stringValue':
      return any.stringValue!;
    case 'boolValue':
      return any.boolValue!;
    case 'intValue': {
      const number = Number(any.intValue);
      return Number.isSafeInteger(number) ? number : String(any.intValue);
    }
    case 'doubleValue':
      return any.doubleValue!;
    case 'bytesValue':
      return `[bytes: ${any.bytesValue!.length}]`;
    case 'arrayValue':
      return any.arrayValue!.values.map((item) => plainValue(item));
    case 'kvlistValue':
      return Object.fromEntries(any.kvlistValue!.values.map((entry) => [entry.key, plainValue(entry.value)]));
    default:
      return null;
  }
}

function plainAttributes(list: readonly PlainKeyValue[], dropped = 0): Attributes {
  const map = new Map(list.map((entry) => [entry.key, plainValue(entry.value)] as const));
  if (dropped > 0) map.set(DROPPED_ATTRIBUTES, dropped);
  return map;
}

/** What the reference codec makes of a trace request: bytes as bytes, longs as strings, defaults filled in. */
interface ReferenceTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly PlainKeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: {
        readonly name: string;
        readonly version: string;
        readonly attributes: readonly PlainKeyValue[];
      };
      readonly spans: readonly {
        readonly traceId: Uint8Array;
        readonly spanId: Uint8Array;
        readonly name: string;
        readonly traceState: string;
        readonly startTimeUnixNano: string;
        readonly status: { readonly code: number; readonly message: string };
        readonly attributes: readonly PlainKeyValue[];
        readonly droppedAttributesCount: number;
        readonly events: readonly { readonly name: string; readonly attributes: readonly PlainKeyValue[] }[];
      }[];
    }[];
  }[];
}

function referenceDecode(body: Buffer): ReferenceTraces {
  const type = reference.lookupType('otlp.ExportTraceServiceRequest');
  const options = { longs: String, oneofs: true, defaults: true, arrays: true };
  return type.toObject(type.decode(body), options) as ReferenceTraces;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('[IN2] spans read by hand equal those of a generated decoder', () => {
  fc.assert(
    fc.property(traceMessage, (message) => {
      const body = encode('traces', withBytes(message));
      const expected = referenceDecode(body);
      const wanted = [];
      for (const group of expected.resourceSpans) {
        for (const { scope, spans } of group.scopeSpans) {
          for (const s of spans) {
            if (/^0*$/.test(hex(s.traceId)) || /^0*$/.test(hex(s.spanId))) continue;
            wanted.push({
              traceId: hex(s.traceId),
              spanId: hex(s.spanId),
              name: s.name,
              traceState: s.traceState,
              start: Number((BigInt(s.startTimeUnixNano) * 1000n) / 1_000_000n) / 1000,
              status: ['UNSET', 'OK', 'ERROR'][s.status.code],
              statusMessage: s.status.message,
              attributes: plainAttributes(s.attributes, s.droppedAttributesCount),
              events: s.events.map((e) => [e.name, plainAttributes(e.attributes)]),
              scope: [scope.name, scope.version, plainAttributes(scope.attributes)],
              resource: plainAttributes(group.resource.attributes),
            });
          }
        }
      }
      const got = spans(decode('traces', 'protobuf', body)).map((s) => ({
        traceId: s.traceId,
        spanId: s.spanId,
        name: s.name,
        traceState: s.traceState,
        start: s.start,
        status: s.status,
        statusMessage: s.statusMessage,
        attributes: s.attributes,
        events: s.events.map((e) => [e.name, e.attributes]),
        scope: [s.scope.name, s.scope.version, s.scope.attributes],
        resource: s.resource.attributes,
      }));
      const near = (records: readonly { readonly start: number }[]): readonly object[] =>
        records.map((record) => ({ ...record, start: 'compared below' }));
      assert.deepEqual(near(got), near(wanted));
      for (const [i, record] of got.entries()) assert.ok(Math.abs(record.start - wanted[i]!.start) < 0.01);
    }),
    { numRuns: RUNS },
  );
});

test('[IN1] protobuf and JSON of the same spans give equal records', () => {
  fc.assert(
    fc.property(traceMessage, (message) => {
      assert.deepEqual(decode('traces', 'json', message), decode('traces', 'protobuf', message));
    }),
    { numRuns: RUNS },
  );
});

test('[IN1] protobuf and JSON of the same log records give equal records', () => {
  fc.assert(
    fc.property(logMessage, (message) => {
      assert.deepEqual(decode('logs', 'json', message), decode('logs', 'protobuf', message));
    }),
    { numRuns: RUNS },
  );
});

test('[IN1] recorded requests of real SDKs give equal records in both encodings, none rejected', () => {
  for (const { name, body } of fixtures()) {
    const json = decode('traces', 'json', body);
    const proto = decode('traces', 'protobuf', encode('traces', withBytes(JSON.parse(body.toString()))));
    assert.equal(json.rejected, 0, name);
    assert.ok(json.records.length > 0, name);
    assert.deepEqual(json.records, proto.records, name);
  }
});

test('[IN2] fields in any order, unknown fields and groups are passed over', () => {
  const type = reference.lookupType('otlp.Span');
  const bytes = Buffer.from(
    type
      .encode(
        type.fromObject({ traceId: Buffer.from(TRACE, 'hex'), spanId: Buffer.from(SPAN, 'hex'), name: 'n' }),
      )
      .finish(),
  );
  // Field 99 in every wire type, a group (99) among them, before the known ones.
  const unknown = Buffer.from(
    '98067f9906010203040506070899 9a0603aabbcc9b0608019c069d0601020304'.replace('99 ', ''),
    'hex',
  );
  const item = Buffer.concat([unknown, bytes]);
  const wrap = (tag: number, inner: Buffer): Buffer =>
    Buffer.concat([Buffer.from([tag, inner.length]), inner]);
  const scopeName = wrap(0x0a, wrap(0x0a, Buffer.from('late')));
  const scopeSpans = Buffer.concat([wrap(0x12, item), scopeName]);
  const result = decode('traces', 'protobuf', wrap(0x0a, wrap(0x12, scopeSpans)));
  assert.equal(spans(result)[0]?.name, 'n');
  assert.equal(spans(result)[0]?.scope.name, 'late');
});

test('[IN2] log records share their resource and scope objects', () => {
  const record = { timeUnixNano: '1', body: { stringValue: 'a' } };
  const result = decode('logs', 'protobuf', {
    resourceLogs: [
      { resource: { attributes: [] }, scopeLogs: [{ scope: { name: 's' }, logRecords: [record, record] }] },
    ],
  });
  const [a, b] = logs(result);
  assert.equal(a?.scope, b?.scope);
  assert.equal(a?.resource, b?.resource);
});
