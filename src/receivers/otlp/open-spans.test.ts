import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SpanRecord } from '../../model/records.ts';
import type { Encoding } from './decode.ts';
import type { Decoded } from './decode-state.ts';
import { SPAN, TRACE, attribute, decode, logRequest, span, traceRequest } from './otlp.test-support.ts';

const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];
const PARENT = 'fedcba9876543210';
const START = '1795293556273000000';

const string = (stringValue: string): object => ({ stringValue });
const list = (values: readonly object[]): object => ({ arrayValue: { values } });
const map = (fields: Readonly<Record<string, object>>): object => ({
  kvlistValue: { values: Object.entries(fields).map(([key, value]) => attribute(key, value)) },
});
const texts = (fields: Readonly<Record<string, string>>): object[] =>
  Object.entries(fields).map(([key, value]) => attribute(key, string(value)));

const OURS = {
  'event.name': 'span.start',
  'span.name': 'chat',
  'span.kind': 'CLIENT',
  'span.parent_id': PARENT,
  'span.start_time_unix_nano': START,
  'span.scope.name': 'ai',
  'span.scope.version': '6.0.1',
  'span.attributes.model.name': 'm',
};

function announcement(fields: Readonly<Record<string, string>> = OURS, log: object = {}): object {
  const context = { traceId: TRACE, spanId: SPAN, timeUnixNano: '1795293556999000000' };
  return { ...context, eventName: 'span.start', attributes: texts(fields), ...log };
}

function heartbeat(body: object, event = 'heartbeat'): object {
  return { body, attributes: texts({ 'partial.event': event, 'partial.frequency': '5000ms' }) };
}

function only(decoded: Decoded): SpanRecord {
  assert.deepEqual(decoded.reasons, []);
  assert.equal(decoded.records.length, 1);
  const [record] = decoded.records;
  assert.ok(record?.kind === 'span');
  return record;
}

for (const encoding of ENCODINGS) {
  test(`[OS1] ${encoding}: the start of a span that a log record tells of is a span without an end`, () => {
    const request = {
      resourceLogs: [
        {
          resource: { attributes: texts({ 'service.name': 'CoderAgent' }) },
          scopeLogs: [{ scope: { name: 'logger' }, logRecords: [announcement()] }],
        },
      ],
    };
    assert.deepEqual(only(decode('logs', encoding, request)), {
      kind: 'span',
      traceId: TRACE,
      spanId: SPAN,
      parentSpanId: PARENT,
      name: 'chat',
      start: 1795293556273,
      end: undefined,
      durationMs: undefined,
      status: 'UNSET',
      statusMessage: '',
      traceState: '',
      attributes: new Map([['model.name', 'm']]),
      events: [],
      links: [],
      scope: { name: 'ai', version: '6.0.1', attributes: new Map() },
      resource: { attributes: new Map([['service.name', 'CoderAgent']]) },
    });
  });

  test(`[OS2] ${encoding}: a heartbeat of a partial span processor holds the open span in its body`, () => {
    const data = traceRequest(
      span({ parentSpanId: PARENT, attributes: texts({ 'model.name': 'm' }), kind: 'SPAN_KIND_CLIENT' }),
    );
    const record = only(decode('logs', encoding, logRequest(heartbeat(string(JSON.stringify(data))))));
    assert.deepEqual(
      [record.traceId, record.spanId, record.parentSpanId, record.name, record.start, record.end],
      [TRACE, SPAN, PARENT, 'chat', 1795293556273, undefined],
    );
    assert.equal(record.durationMs, undefined);
    assert.equal(record.attributes.get('model.name'), 'm');
  });

  test(`[OS2] ${encoding}: the body may be a key-value list, and ids base64`, () => {
    const open = map({
      traceId: string(Buffer.from(TRACE, 'hex').toString('base64')),
      spanId: string(Buffer.from(SPAN, 'hex').toString('base64')),
      name: string('chat'),
      startTimeUnixNano: { intValue: START },
    });
    const scopes = list([map({ scope: map({ name: string('ai') }), spans: list([open]) })]);
    const body = map({ resourceSpans: list([map({ scopeSpans: scopes })]) });
    const record = only(decode('logs', encoding, logRequest(heartbeat(body))));
    assert.deepEqual(
      [record.traceId, record.spanId, record.start, record.scope.name],
      [TRACE, SPAN, 1795293556273, 'ai'],
    );
  });

  test(`[OS4] ${encoding}: a span that is exported at its start, with the end 0 or none, is open`, () => {
    for (const endTimeUnixNano of ['0', undefined]) {
      const record = only(decode('traces', encoding, traceRequest(span({ endTimeUnixNano }))));
      assert.deepEqual([record.end, record.durationMs, record.start], [undefined, undefined, 1795293556273]);
    }
  });
}

test('[OS1] the names of the draft convention are read too, from attributes and from the body', () => {
  for (const eventName of ['span.start', 'span.started', 'otel.span.start', 'span.heartbeat']) {
    const log = {
      eventName,
      attributes: texts({ name: 'chat', parent_span_id: PARENT, start_time: '2026-11-22T00:00:00.250Z' }),
    };
    const record = only(decode('logs', 'json', logRequest(announcement({}, log))));
    assert.deepEqual([record.name, record.parentSpanId], ['chat', PARENT], eventName);
    assert.equal(record.start, Date.parse('2026-11-22T00:00:00.250Z'));
  }
  const body = map({
    trace_id: string(TRACE),
    span_id: string(SPAN),
    name: string('chat'),
    parent: map({ span_id: string(PARENT) }),
    attributes: map({ 'model.name': string('m') }),
  });
  const inBody = only(
    decode('logs', 'json', logRequest({ eventName: 'otel.span.start', body, timeUnixNano: START })),
  );
  assert.deepEqual([inBody.traceId, inBody.spanId, inBody.parentSpanId], [TRACE, SPAN, PARENT]);
  assert.deepEqual([inBody.start, inBody.attributes], [1795293556273, new Map([['model.name', 'm']])]);
});

test('[OS1] an older SDK has the event name among the attributes; what else the record has belongs to the span', () => {
  const fields = { ...OURS, 'session.id': 's-1', 'model.name': 'of the record' };
  const record = only(decode('logs', 'json', logRequest(announcement(fields, { eventName: '' }))));
  assert.deepEqual(
    record.attributes,
    new Map([
      ['session.id', 's-1'],
      ['model.name', 'm'],
    ]),
  );
});

test('[OS1] a root has no parent; an announcement with a requestId of its span is no chain of thought', () => {
  const { 'span.parent_id': _, ...root } = OURS;
  assert.equal(only(decode('logs', 'json', logRequest(announcement(root)))).parentSpanId, undefined);
  const asked = { ...OURS, 'span.attributes.requestId': 'req-1', requestId: 'req-1' };
  const record = only(decode('logs', 'json', logRequest(announcement(asked))));
  assert.equal(record.attributes.get('requestId'), 'req-1');
});

test('[OS2] that a partial span has stopped says nothing: the span itself comes as well', () => {
  const body = string(JSON.stringify(traceRequest(span())));
  const { records, rejected, reasons } = decode('logs', 'json', logRequest(heartbeat(body, 'stop')));
  assert.deepEqual([records, rejected, reasons], [[], 0, []]);
});

test('[OS2] of several spans in one heartbeat those that can be read are taken, and the others told of', () => {
  const bad = span({ spanId: '00' });
  const other = span({ spanId: PARENT });
  const body = string(JSON.stringify(traceRequest(span(), bad, other)));
  const { records, rejected, reasons } = decode('logs', 'json', logRequest(heartbeat(body)));
  assert.deepEqual(
    records.map((record) => (record as SpanRecord).spanId),
    [SPAN, PARENT],
  );
  assert.equal(rejected, 0);
  assert.match(reasons.join(), /^body\.resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[1\]\.spanId: not 8 bytes/);
});

test('[OS2] the spans of heartbeats count as records of the request, whether they can be read or not', () => {
  const body = string(JSON.stringify(traceRequest(span(), {}, {}, span({ spanId: PARENT }))));
  const few = decode('logs', 'json', logRequest(heartbeat(body)), { maxRecords: 2 });
  assert.deepEqual([few.records.length, few.rejected], [1, 2]);
});

test('[OS2] what a heartbeat holds counts as values of the request before it is parsed', () => {
  const body = string(JSON.stringify(traceRequest(span())));
  const hostile = heartbeat(string(`{"resourceSpans":[${'{},'.repeat(50)}{}]}`));
  const request = logRequest(heartbeat(body), hostile, heartbeat(body));
  const { records, rejected, reasons } = decode('logs', 'json', request, { maxValues: 50 });
  assert.deepEqual([records.length, rejected], [2, 1]);
  assert.match(reasons.join(), /logRecords\[1\]\.body: the request holds more than 50 values/);
});

const MALFORMED: readonly (readonly [what: string, log: object, reason: RegExp])[] = [
  ['no trace context', announcement(OURS, { traceId: '' }), /\.traceId: missing$/],
  ['no span id', announcement(OURS, { spanId: '' }), /\.spanId: missing$/],
  ['a zero span id', announcement(OURS, { spanId: '0'.repeat(16) }), /\.spanId: all zero$/],
  ['no name', announcement({ ...OURS, 'span.name': '' }), /\.span\.name: missing/],
  [
    'a parent that is no id',
    announcement({ ...OURS, 'span.parent_id': 'root' }),
    /\.span\.parent_id: not 8 bytes/,
  ],
  [
    'a start that is no time',
    announcement({ ...OURS, 'span.start_time_unix_nano': 'soon' }),
    /\.span\.start_time_unix_nano: not a number/,
  ],
  [
    'a heartbeat that does not know its start',
    announcement({ 'span.name': 'chat' }, { eventName: 'span.heartbeat' }),
    /\.span\.start_time_unix_nano: missing$/,
  ],
  ['text for a body', heartbeat(string('{"resourceSpans":[')), /\.body: not JSON/],
  ['no body', heartbeat({}), /\.body: not an object/],
  ['a list for a body', heartbeat(string('[]')), /\.body: not an object/],
  ['another document', heartbeat(string('{"spans":[]}')), /\.body\.resourceSpans: missing/],
  ['no spans', heartbeat(string('{"resourceSpans":[]}')), /\.body\.resourceSpans: holds no span$/],
  ['text for spans', heartbeat(string('{"resourceSpans":"x"}')), /\.body\.resourceSpans: not an array$/],
  [
    'a span without ids',
    heartbeat(string(JSON.stringify(traceRequest({ name: 'x' })))),
    /\.body\.resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[0\]\.traceId: missing$/,
  ],
];

for (const encoding of ENCODINGS) {
  for (const [what, log, reason] of MALFORMED) {
    test(`[OS3] ${encoding}: an announcement with ${what} is rejected by field, and its batch goes on`, () => {
      const { records, rejected, reasons } = decode('logs', encoding, logRequest(log, announcement()));
      assert.equal(rejected, 1);
      assert.match(reasons.join(), /^resourceLogs\[0\]\.scopeLogs\[0\]\.logRecords\[0\]\./);
      assert.match(reasons.join(), reason);
      assert.equal(records.length, 1);
    });
  }
}

test('[OS3] property: whatever a heartbeat holds, it is taken or rejected', () => {
  const key = fc.constantFrom(
    'resourceSpans',
    'resource_spans',
    'scopeSpans',
    'spans',
    'traceId',
    'spanId',
    'name',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(TRACE, SPAN, null, 1, true, '__proto__'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const body = string(JSON.stringify(value));
      const { records, rejected } = decode('logs', 'json', logRequest(heartbeat(body)));
      assert.ok(rejected === 1 ? records.length === 0 : records.length > 0);
    }),
    { numRuns: 500 },
  );
});
