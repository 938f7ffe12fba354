import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesField, messageField } from '../../base/protobuf.ts';
import type { SpanRecord, TelemetryRecord } from '../../model/records.ts';
import type { Encoding, Signal } from '../../receivers/otlp/decode.ts';
import {
  attribute,
  decode,
  encode,
  logRequest,
  metricRequest,
  span,
  traceRequest,
  withBytes,
} from '../../receivers/otlp/otlp.test-support.ts';
import { hurriedPace } from '../../../test/support/hurried-pace.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { Pace } from '../../base/pace.ts';
import { systemClock } from '../../base/clock.ts';
import { CellRing } from './cell-ring.ts';
import type { Part } from './items.ts';
import { Ring } from './ring.ts';
import { splitOtlp } from './split-otlp.ts';
import { StreamHomes } from './stream-homes.ts';

const PACE = new Pace(systemClock);
const cells = (...names: readonly string[]) =>
  new CellRing(names.map((name) => ({ name, endpoint: `${name}:4317` })));
const THREE = cells('a', 'b', 'c');

function split(
  signal: Signal,
  encoding: Encoding,
  body: Buffer,
  { ring = THREE, homes = new StreamHomes(systemClock), routeBy = 'traceID', turns = PACE } = {},
): Promise<readonly Part[]> {
  return splitOtlp(signal, encoding, body, { ring, homes, routeBy }, turns);
}

const bytesOf = (signal: Signal, encoding: Encoding, request: object): Buffer =>
  encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encode(signal, withBytes(request));
const trace = (i: number): string => (i + 1).toString(16).padStart(2, '0').repeat(16);
const spanId = (i: number): string => (i + 1).toString(16).padStart(16, '0');
const text = (key: string, value: string): object => attribute(key, { stringValue: value });

/** What a body holds, in an order that does not depend on how it is shared out. */
function recordsOf(signal: Signal, encoding: Encoding, bodies: readonly Buffer[]): readonly string[] {
  return bodies
    .flatMap((body) => decode(signal, encoding, body).records)
    .map((record) => JSON.stringify(record, mapsAsLists))
    .sort();
}

function mapsAsLists(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)];
  return typeof value === 'bigint' ? String(value) : value;
}

const bodiesOf = (parts: readonly Part[]): readonly Buffer[] => parts.map(({ body }) => body);

const items = fc.array(
  fc.array(
    fc.array(fc.record({ trace: fc.nat(9), name: fc.string({ maxLength: 300 }), session: fc.nat(4) }), {
      maxLength: 12,
    }),
    { maxLength: 3 },
  ),
  { maxLength: 4 },
);
const cellSets = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
type Items = typeof items extends fc.Arbitrary<infer T> ? T : never;

function request(signal: 'traces' | 'logs', given: Items): object {
  const isSpans = signal === 'traces';
  let id = 0;
  const item = ({ trace: i, name, session }: Items[number][number][number]): object => {
    const attributes = session === 0 ? [] : [text('session.id', `s${session}`)];
    const common = { traceId: trace(i), spanId: spanId(id++), attributes };
    return isSpans
      ? span({ ...common, name })
      : { ...common, timeUnixNano: '5', body: { stringValue: name } };
  };
  return {
    [isSpans ? 'resourceSpans' : 'resourceLogs']: given.map((scopes, i) => ({
      resource: { attributes: [text('service.name', `service ${i}`)] },
      schemaUrl: `https://example/${i}`,
      [isSpans ? 'scopeSpans' : 'scopeLogs']: scopes.map((list, j) => ({
        scope: { name: `scope ${j}`, version: '1' },
        [isSpans ? 'spans' : 'logRecords']: list.map(item),
      })),
    })),
  };
}

for (const signal of ['traces', 'logs'] as const)
  for (const encoding of ['protobuf', 'json'] as const)
    test(`[RT2] ${signal} in ${encoding}: the parts hold together what the body holds, each trace in the cell of its key`, async () => {
      await fc.assert(
        fc.asyncProperty(items, cellSets, async (given, names) => {
          const body = bytesOf(signal, encoding, request(signal, given));
          const ring = cells(...names);
          const parts = await split(signal, encoding, body, { ring });
          assert.deepEqual(recordsOf(signal, encoding, bodiesOf(parts)), recordsOf(signal, encoding, [body]));
          assert.equal(new Set(parts.map(({ cell }) => cell)).size, parts.length, 'one part a cell');
          if (parts.length === 1) assert.equal(parts[0]?.body, body, 'what goes to one cell goes as it is');
          const byEndpoint = new Ring(names.map((name) => `${name}:4317`));
          for (const { cell, body: own } of parts)
            for (const record of decode(signal, encoding, own).records)
              assert.equal(
                byEndpoint.endpointOf(Buffer.from((record as SpanRecord).traceId, 'hex')),
                `${cell}:4317`,
              );
          assert.deepEqual(await split(signal, encoding, body, { ring }), parts, 'again: the same bytes');
        }),
        propertyRuns(),
      );
    });

test('[RT2] fields that nobody knows stay, on each level, and lengths that are written too long', async () => {
  const unknown = bytesField(900, Buffer.from('unknown'));
  const known = (i: number): Buffer => {
    const [, , ...fields] = messageField(1, [
      encode('traces', withBytes(traceRequest(span({ traceId: trace(i) })))),
    ]);
    return Buffer.concat(fields);
  };
  // Spans as the reference codec writes them, without what is around.
  const spanBytes = (i: number): Buffer => {
    const whole = known(i);
    const inner = whole.subarray(whole.length - spanLength(whole));
    return inner;
  };
  const long = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([18, (bytes.length & 0x7f) | 0x80, (bytes.length >> 7) | 0x80, 0]), bytes]);
  const scope = [
    ...unknown,
    ...[0, 1, 2, 3, 4, 5].flatMap((i) => [long(Buffer.concat([spanBytes(i), ...unknown]))]),
  ];
  const body = Buffer.concat([...messageField(1, [...messageField(2, scope), ...unknown]), ...unknown]);
  const parts = await split('traces', 'protobuf', body);
  assert.ok(parts.length > 1);
  assert.deepEqual(recordsOf('traces', 'protobuf', bodiesOf(parts)), recordsOf('traces', 'protobuf', [body]));
  const count = (bytes: Buffer): number => bytes.toString('latin1').split('unknown').length - 1;
  const all = parts.reduce((sum, { body: own }) => sum + count(own), 0);
  assert.equal(all, 6 + 3 * parts.length, 'of items once, of what is around in each part');
});

/** Of a request with one span, which is its end. */
function spanLength(whole: Buffer): number {
  let length = whole.length;
  for (let depth = 0, at = 0; depth < 3; depth++) {
    at++;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = whole[at++] as number;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    length = size;
  }
  return length;
}

test('[RT2] a body that is none, or of another signal, goes as it is to one cell, which says why', async () => {
  const logs = bytesOf('logs', 'protobuf', logRequest({ body: { stringValue: 'x' }, timeUnixNano: '5' }));
  const cut = bytesOf('traces', 'protobuf', traceRequest(span(), span())).subarray(0, -3);
  for (const [encoding, body] of [
    ['protobuf', Buffer.from([0xff, 0xff])],
    ['protobuf', cut],
    ['protobuf', logs],
    ['protobuf', Buffer.alloc(0)],
    ['json', Buffer.from('no')],
    ['json', Buffer.from('[]')],
    ['json', Buffer.from('{"resourceSpans":7}')],
    ['json', Buffer.from('{"resourceSpans":[{"scopeSpans":[7]}]}')],
  ] as const) {
    const parts = await split('traces', encoding, body);
    assert.equal(parts.length, 1);
    assert.equal(parts[0]?.body, body);
  }
});

test('[RT2] any bytes are passed on whole or shared out, never a crash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('traces', 'logs'),
      async (bytes, signal) => {
        const parts = await split(signal, 'protobuf', Buffer.from(bytes));
        assert.ok(parts.length >= 1);
      },
    ),
    { ...propertyRuns(), numRuns: 500 },
  );
});

test('[RT2] a resource that would be copied to many cells until it is several times the body is refused', async () => {
  const resource = { attributes: [text('large', 'x'.repeat(200_000))] };
  const spans = Array.from({ length: 40 }, (_, i) => span({ traceId: trace(i) }));
  const body = bytesOf('traces', 'protobuf', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const ring = cells(...Array.from({ length: 20 }, (_, i) => `cell-${i}`));
  await assert.rejects(split('traces', 'protobuf', body, { ring }), { code: 'TOO_LARGE' });
});

test('[RT3] by an attribute: of the resource, else of the first span of the trace in its scope', async () => {
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.boolean(),
      fc.constantFrom<Encoding[]>('protobuf', 'json'),
      async (given, onResource, encoding) => {
        const made = request('traces', given) as {
          resourceSpans: { resource: { attributes: object[] } }[];
        };
        if (onResource)
          for (const group of made.resourceSpans) group.resource.attributes.push(text('session.id', 'r'));
        const body = bytesOf('traces', encoding, made);
        const parts = await split('traces', encoding, body, { routeBy: 'session.id' });
        assert.deepEqual(
          recordsOf('traces', encoding, bodiesOf(parts)),
          recordsOf('traces', encoding, [body]),
        );
        if (onResource) assert.ok(parts.length === 1);
        const ring = new Ring(THREE.names.map((name) => `${name}:4317`));
        for (const { cell, body: own } of parts)
          for (const record of firstOfTraces(decode('traces', encoding, own).records)) {
            const value = onResource ? 'r' : (record.attributes.get('session.id') ?? '');
            assert.equal(ring.endpointOf(`session.id=${value as string}|`), `${cell}:4317`);
          }
      },
    ),
    propertyRuns(),
  );
});

/** Of each scope and trace. */
function firstOfTraces(records: readonly TelemetryRecord[]): readonly SpanRecord[] {
  const first = new Map<string, SpanRecord>();
  for (const record of records as readonly SpanRecord[]) {
    const service = record.resource.attributes.get('service.name');
    const key = `${service as string} ${record.scope.name} ${record.traceId}`;
    if (!first.has(key)) first.set(key, record);
  }
  return [...first.values()];
}

for (const encoding of ['protobuf', 'json'] as const) {
  test(`[RT4] log records in ${encoding}: of a thought by its request, others by trace, else by what they point at, else by service`, async () => {
    const at = async (
      record: object,
      service = 'one',
      homes = new StreamHomes(systemClock),
    ): Promise<string> => {
      const made = {
        resourceLogs: [
          {
            resource: { attributes: [text('service.name', service)] },
            scopeLogs: [{ logRecords: [record] }],
          },
        ],
      };
      const [part] = await split('logs', encoding, bytesOf('logs', encoding, made), { homes });
      return part?.cell ?? '';
    };
    const said = { stringValue: 'x' };
    for (let i = 0; i < 12; i++) {
      const byTrace = THREE.of(Buffer.from(trace(i), 'hex'));
      assert.equal(await at({ traceId: trace(i), spanId: spanId(i), body: said }), byTrace);
      assert.equal(await at({ body: said }, `service ${i}`), THREE.of(`service ${i}`));
      assert.equal(await at({ body: said, attributes: [text('requestId', `r${i}`)] }), THREE.of(`r${i}`));
      const thought = { traceId: trace(i), body: said, attributes: [text('requestId', 'r')] };
      const homes = new StreamHomes(systemClock);
      assert.equal(await at(thought, 'one', homes), byTrace);
      assert.equal(await at({ ...thought, traceId: trace(i + 1) }, 'one', homes), byTrace, 'it stays');
      const event = {
        eventName: 'reflexion.PlanUpdated',
        attributes: [text('nodeId', `${trace(i)}:${spanId(1)}`)],
      };
      assert.equal(await at(event), byTrace);
    }
  });
}

test('[RT2] found: a log record goes by its trace whatever attributes it has, and in whatever order', async () => {
  const keys = ['requestId', 'event.name', 'tokens', 'span.attributes.requestId', 'span.name', 'taskId'];
  const record = (traceId: string, first: number): object => ({
    traceId,
    spanId: spanId(1),
    eventName: 'span.start',
    attributes: keys.map((_, n) => text(keys[(first + n) % keys.length] ?? '', 'a value')),
  });
  const logs = [0, 1, 2, 3, 4, 5].flatMap((i) => keys.map((_, first) => record(trace(i), first)));
  const parts = await split('logs', 'protobuf', bytesOf('logs', 'protobuf', logRequest(...logs)));
  assert.ok(parts.length > 1);
  const decoded = parts.flatMap(({ body }) => decode('logs', 'protobuf', body).records);
  assert.equal(decoded.length, logs.length);
  for (const { body } of parts) assert.notEqual(body.length, 0);
});

test('[RT4] entries of thoughts are sent apart from records that may go elsewhere when cells change', async () => {
  const records = (i: number): object[] => [
    { traceId: trace(i), spanId: spanId(i), body: { stringValue: 'log' } },
    { traceId: trace(i), body: { stringValue: 'thought' }, attributes: [text('requestId', `r${i}`)] },
  ];
  const body = bytesOf('logs', 'protobuf', logRequest(...[0, 1, 2, 3, 4, 5, 6, 7].flatMap(records)));
  const homes = new StreamHomes(systemClock);
  const thoughts = (parts: readonly Part[]): readonly string[] =>
    parts
      .filter(({ body: own }) => decode('logs', 'protobuf', own).records[0]?.kind === 'cot')
      .map(({ cell, body: own }) => `${cell} ${own.toString('base64')}`)
      .sort();
  const before = await split('logs', 'protobuf', body, { homes });
  for (const { body: own } of before)
    assert.equal(new Set(decode('logs', 'protobuf', own).records.map(({ kind }) => kind)).size, 1);
  const after = await split('logs', 'protobuf', body, { homes, ring: cells('a', 'b', 'c', 'd', 'e') });
  assert.notDeepEqual(after, before, 'other records have moved');
  assert.deepEqual(thoughts(after), thoughts(before));
});

test('[RT5] points of metrics go to every cell as they are', async () => {
  const body = bytesOf(
    'metrics',
    'protobuf',
    metricRequest({ name: 'm', gauge: { dataPoints: [{ asInt: '1' }] } }),
  );
  const parts = await split('metrics', 'protobuf', body);
  assert.deepEqual(
    parts,
    ['a', 'b', 'c'].map((cell) => ({ cell, body })),
  );
});

test('[EL2] a large body is shared out in pieces', async () => {
  const spans = Array.from({ length: 400 }, (_, i) => span({ traceId: trace(i % 100), spanId: spanId(i) }));
  let pauses = 0;
  const turns = hurriedPace([20], () => pauses++);
  const body = bytesOf('traces', 'protobuf', traceRequest(...spans));
  await split('traces', 'protobuf', body, { turns });
  assert.ok(pauses >= 10, `${pauses} pauses`);
});
