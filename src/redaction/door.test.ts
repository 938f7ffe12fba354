import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEntry } from '../../test/support/make-door.ts';
import { ManualClock } from '../base/clock.ts';
import { NO_ATTRIBUTES } from '../model/attributes.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { CotText } from '../model/facts.ts';
import type { SafeBatch } from '../model/pipeline.ts';
import type {
  CotRecord,
  EventRecord,
  LogRecord,
  MetricRecord,
  SpanRecord,
  TelemetryRecord,
} from '../model/records.ts';
import { thoughtOf } from '../model/thought-text.ts';
import { epochMs } from '../model/time.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { noMetrics } from '../telemetry/own-metrics.ts';
import type { AuditEntry } from './audit-log.ts';
import { RedactionDoor } from './door.ts';
import { createRedactor } from './redactor.ts';
import type { Rule } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';

const SECRET = 'jane.canary@example.com';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const exploding: Rule = {
  id: 'exploding',
  kind: 'SECRET',
  hints: ['kaboom'],
  find: () => {
    throw new Error('detector failed');
  },
  examples: { hits: [], misses: [] },
};

function setUp(options: { enabled?: boolean; reject?: () => boolean } = {}) {
  const batches: SafeBatch[] = [];
  const audited: AuditEntry[] = [];
  const counted = new Map<string, number>();
  let errors = 0;
  const clock = new ManualClock();
  const door = new RedactionDoor({
    next: {
      consume: async (batch) => {
        if (options.reject?.()) throw new Error('full');
        batches.push(batch);
      },
    },
    redactor: createRedactor({
      key: new Uint8Array(32).fill(9),
      maxCodeSnippetChars: 2000,
      rules: [...BUILTIN_RULES, exploding],
    }),
    metrics: {
      ...noMetrics,
      redactions: (rule, count) => void counted.set(rule, (counted.get(rule) ?? 0) + count),
      redactionErrors: (count) => void (errors += count),
    },
    audit: { write: (entry) => void audited.push(entry) },
    logger: silentLogger,
    clock,
    reorderWindowMs: 100,
    enabled: options.enabled ?? true,
  });
  const send = (...records: TelemetryRecord[]) => door.consume({ receivedAt: 1, source: 'bus', records });
  const texts = () =>
    batches.flatMap((batch) => batch.records).filter((record) => record.kind === 'cot') as CotText[];
  return { door, send, batches, texts, audited, counted, clock, errors: () => errors };
}

function span(change: Partial<SpanRecord> = {}): SpanRecord {
  return {
    kind: 'span',
    traceId: TRACE,
    spanId: SPAN,
    parentSpanId: undefined,
    name: 'chat',
    start: epochMs(1),
    end: epochMs(2),
    durationMs: 1,
    status: 'OK',
    statusMessage: '',
    traceState: '',
    attributes: new Map<string, AttributeValue>([['gen_ai.request.model', 'gpt-4o']]),
    events: [],
    links: [],
    scope: { name: 's', version: '1', attributes: NO_ATTRIBUTES },
    resource: { attributes: NO_ATTRIBUTES },
    ...change,
  };
}

function cot(change: Partial<CotRecord> = {}): CotRecord {
  return makeEntry({ requestId: 'req-1', ...change });
}

const one = new Map<string, AttributeValue>([[`k ${SECRET}`, ['x', { [SECRET]: { deep: SECRET } }]]]);

/** Maps inside a record, made visible for JSON. */
function flat(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (item instanceof Map ? [...item] : item));
}

test('[RD2] every string of a record is redacted; ids, times and numbers stay', async () => {
  const { send, batches, audited } = setUp();
  const records: TelemetryRecord[] = [
    span({
      name: SECRET,
      statusMessage: SECRET,
      traceState: `a=${SECRET}`,
      attributes: one,
      events: [{ name: SECRET, time: epochMs(1), attributes: one }],
      links: [{ traceId: TRACE, spanId: SPAN, attributes: one }],
      scope: { name: SECRET, version: SECRET, attributes: one },
      resource: { attributes: one },
    }),
    {
      kind: 'log',
      time: epochMs(1),
      severityNumber: 9,
      severityText: SECRET,
      eventName: SECRET,
      body: { a: [SECRET] },
      attributes: one,
      traceId: TRACE,
      spanId: SPAN,
      scope: { name: SECRET, version: '', attributes: one },
      resource: { attributes: one },
    } satisfies LogRecord,
    {
      kind: 'event',
      eventId: SECRET,
      eventType: SECRET,
      component: SECRET,
      time: epochMs(1),
      payload: { [SECRET]: [SECRET] },
      traceId: TRACE,
      spanId: SPAN,
    } satisfies EventRecord,
    cot({
      requestId: SECRET,
      text: SECRET,
      tokens: [SECRET],
      summary: SECRET,
      agent: SECRET,
      model: SECRET,
      taskId: SECRET,
      traceId: TRACE,
      final: true,
    }),
  ];
  await send(...records);
  const out = flat(batches);
  assert.ok(!out.includes('canary'), out);
  assert.equal(out.split(TRACE).length - 1, 5);
  assert.ok(!flat(audited).includes('canary'));
  assert.ok(audited.some(({ field, node }) => field === 'name' && node === `${TRACE}:${SPAN}`));
  assert.ok(audited.some(({ field }) => field.startsWith('events.attributes.k [EMAIL:')));
});

test('[RD9] the audit names the field of a thought in which a value stood, in whatever order its entries came', async () => {
  const { door, send, audited, clock } = setUp();
  const entry = (sequence: number, text: string): CotRecord =>
    cot({ sequence, text: undefined, tokens: [text], taskId: 'T' });
  await send(entry(1, 'It '), entry(3, `mails ${SECRET} `));
  // The missing one is not waited for any longer.
  clock.advance(3000);
  await door.settled();
  await send(entry(2, `and ${SECRET} `), { ...entry(4, 'now.'), final: true, summary: `by ${SECRET}` });
  const fields = audited.map(({ rule, field }) => `${rule} ${field}`);
  assert.deepEqual(fields.toSorted(), ['spec.email summary', 'spec.email text', 'spec.email text']);
});

test('[RD21] what stands before a value gives it away in a list and under a name as in a text', async () => {
  const { send, batches } = setUp();
  const [token, word] = ['Xk29vQ7zRt4pLm8wB3nH', 'Hunter2x9'];
  const secret: readonly AttributeValue[] = [
    { auth_key: token },
    { api_keys: [token] },
    { password_old: word },
    { pass: word },
    [{ name: 'DB_PASSWORD', value: word }],
    [{ key: 'password', value: { text: word } }],
    ['login', '--password', word],
    ['mysql', '-u', 'root', `-p${word}`],
    ['-----BEGIN RSA PRIVATE KEY-----', `MIIE${token}${token}`, '-----END RSA PRIVATE KEY-----'],
    'password="a\\"Hunter2x9"',
    `- name: DB_PASSWORD\n  value: ${word}`,
    JSON.stringify([{ name: 'DB_PASSWORD', value: word }], null, 2),
  ];
  const open: readonly AttributeValue[] = [
    { session_id: token, sessionId: token, 'session.id': token },
    { name: 'region', value: word },
    ['chat', token],
    JSON.stringify(['{"pass":1}', '{"fail":2}']),
  ];
  for (const value of secret) await send(span({ attributes: new Map([['x', value]]) }));
  for (const value of secret)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      await send(span({ attributes: new Map(Object.entries(value)) }));
  const shown = batches.flatMap(({ records }) => records.map((one) => [...(one as SpanRecord).attributes]));
  for (const some of shown) assert.doesNotMatch(JSON.stringify(some), /Hunter2x9|Lm8wB3nH/);
  for (const value of open) {
    const clean = span({ attributes: new Map([['x', value]]) });
    await send(clean);
    assert.equal(batches.at(-1)?.records[0], clean);
  }
});

test('[RD2] an id of a span stays where its name says what it is, also one that would do as the number of a card', async () => {
  const { send, batches } = setUp();
  const [digits, other] = ['5847865923802237', '4111111111111111'];
  const attributes = new Map<string, AttributeValue>([
    ['dependsOn', [digits, other]],
    ['depends_on', `${digits}, ${other}`],
    ['depends.on', `${TRACE}:${digits}`],
    ['app.parentSpanId', other],
    ['note', `span_id=${digits}, "traceId": "${TRACE}", "parent_span_id": "${other}"`],
    ['payload', JSON.stringify({ spanId: digits })],
  ]);
  const clean = span({ attributes });
  await send(clean);
  assert.equal(batches[0]?.records[0], clean);
});

test('[RD2] a record without a finding is the same object', async () => {
  const { send, batches } = setUp();
  const clean = span({ events: [{ name: 'e', time: epochMs(1), attributes: new Map([['a', 'b']]) }] });
  await send(clean);
  assert.equal(batches[0]?.records[0], clean);
});

test('[RD2] a shared resource is redacted once and stays shared', async () => {
  const { send, batches, counted } = setUp();
  const resource = { attributes: new Map([['owner', SECRET]]) };
  await send(span({ resource }), span({ resource, spanId: 'b7ad6b7169203332' }));
  const [first, second] = (batches[0]?.records ?? []) as readonly unknown[] as SpanRecord[];
  assert.equal(first?.resource, second?.resource);
  assert.deepEqual([...counted], [['spec.email', 1]]);
});

test('[RD1] a field whose redaction fails is withheld and counted; the rest of the record goes on', async () => {
  const { send, batches, errors } = setUp();
  await send(
    span({
      name: 'kaboom',
      attributes: new Map([
        ['a', 'kaboom'],
        ['b', 'fine'],
        ['kaboom', 'c'],
      ]),
    }),
    cot({ text: 'a kaboom b', final: true, agent: 'kaboom' }),
  );
  const [first, second] = (batches[0]?.records ?? []) as unknown as [SpanRecord, CotText];
  assert.equal(first.name, '[REDACTION_ERROR]');
  assert.deepEqual(
    [...first.attributes],
    [
      ['a', '[REDACTION_ERROR]'],
      ['b', 'fine'],
      ['[REDACTION_ERROR]', 'c'],
    ],
  );
  assert.equal(second.text, '[REDACTION_ERROR]');
  assert.ok(!flat(batches).includes('kaboom'));
  assert.equal(errors(), 5);
});

test('[RD1] values nested too deeply are withheld', async () => {
  const { send, batches, errors } = setUp();
  let deep: AttributeValue = SECRET;
  for (let i = 0; i < 5000; i++) deep = [deep];
  await send(span({ attributes: new Map([['deep', deep]]) }));
  assert.ok(flat(batches).includes('[REDACTION_ERROR]'));
  assert.equal(errors(), 1);
});

test('[RD3] an attribute with a sensitive name is hidden whole; counts of tokens are not', async () => {
  const { send, batches } = setUp();
  const attributes = new Map<string, AttributeValue>([
    ['db.password', 'open sesame'],
    ['http.request.header.authorization', ['Digest abc']],
    ['gen_ai.usage.input_tokens', 812],
    ['llm.token_type', 'bearer'],
    ['token', 'Hello'],
    ['phone', 5550168123],
  ]);
  await send(span({ attributes }));
  const [first] = (batches[0]?.records ?? []) as unknown as [SpanRecord];
  const values = [...first.attributes.values()].map((value) =>
    JSON.stringify(value)
      .replaceAll('"', '')
      .replace(/:\w{10}/, ''),
  );
  assert.deepEqual(values, ['[SECRET]', '[SECRET]', '812', 'bearer', 'Hello', '[PHONE]']);
});

test('[RD10] with redaction off records pass as they are and streams are joined at once', async () => {
  const { send, batches, texts } = setUp({ enabled: false });
  const raw = span({ name: SECRET });
  await send(raw, cot({ tokens: [SECRET] }));
  assert.equal(batches[0]?.records[0], raw);
  assert.equal(texts()[0]?.text, SECRET);
});

test('[RD6] the end of a quiet stream is shown after two seconds, a final one at once', async () => {
  const { send, texts, clock, door } = setUp();
  await send(cot({ tokens: ['I think ', 'of jane.can'] }));
  assert.equal(texts().at(-1)?.text, 'I think of ');
  await send(cot({ time: epochMs(1001), tokens: ['ary@example.com', ' now'] }));
  clock.advance(2000);
  await door.settled();
  assert.match(texts().at(-1)?.text ?? '', /^I think of \[EMAIL:\w+\] now$/);
  await send(cot({ time: epochMs(1002), text: 'done', final: true }));
  assert.match(texts().at(-1)?.text ?? '', /now\ndone$/);
  assert.equal(texts().at(-1)?.final, true);
});

test('[RD6] what a quiet stream leaves unfinished is hidden from its beginning', async () => {
  const { texts, clock, send, door } = setUp();
  await send(cot({ tokens: ['the key is ghp_abcdef'] }));
  clock.advance(2000);
  await door.settled();
  assert.match(texts().at(-1)?.text ?? '', /^the key is \[SECRET:\w+\]$/);
});

test('[RD6] a gap in the sequence holds back what follows it, for the reorder window at most', async () => {
  const { texts, clock, send, door } = setUp();
  await send(cot({ sequence: 1, text: 'one' }), cot({ sequence: 3, text: 'three', final: true }));
  assert.equal(texts().at(-1)?.tail, 'one\nthree', 'it was acknowledged, so it is kept');
  assert.equal(texts().at(-1)?.final, false);
  clock.advance(99);
  assert.equal(texts().length, 1);
  clock.advance(1);
  await door.settled();
  assert.equal(texts().at(-1)?.text, 'one\nthree');
  await send(cot({ sequence: 2, text: 'two' }));
  assert.equal(texts().at(-1)?.text, 'one\ntwo\nthree');
  await send(cot({ sequence: 2, text: 'two' }));
  assert.equal(texts().at(-1)?.text, 'one\ntwo\nthree');
});

test('[RD6] after a minute of silence what comes of a thought that had ended opens the next part', async () => {
  const { texts, clock, send } = setUp();
  await send(cot({ text: 'early', final: true }));
  clock.advance(60_000);
  await send(cot({ text: 'late', final: true }));
  const [first, second] = texts().filter(
    (text, i, all) => all.findLastIndex((t) => t.part === text.part) === i,
  );
  assert.equal(first?.text, 'early');
  assert.equal(second?.text, 'late');
  assert.equal((second?.part ?? 0) - (first?.part ?? 0), 60_000);
});

test('[RD6] a long thought has several parts, each of which is complete when it is kept', async () => {
  const { texts, send, clock } = setUp();
  for (let i = 0; i < 40; i++)
    await send(cot({ time: epochMs(1000 + i), tokens: [`word ${i} `.repeat(100)] }));
  await send(cot({ time: epochMs(2000), tokens: ['end'], final: true }));
  const newest = new Map(texts().map((state) => [state.part, state]));
  assert.ok(newest.size > 4, String(newest.size));
  assert.ok([...newest.values()].every(({ text }) => text.length < 8000));
  const written = Array.from({ length: 40 }, (_, i) => `word ${i} `.repeat(100)).join('');
  assert.equal(thoughtOf([...newest.values()]), `${written}end`);
  assert.equal(clock.now(), Math.min(...newest.keys()));
});

test('[RD6] what the next stage refused is shown when the sender repeats it', async () => {
  let full = true;
  const { texts, door } = setUp({ reject: () => full });
  const entry = cot({ text: 'a thought', final: true });
  const batch = { receivedAt: 1, source: 'http', records: [entry], digest: 'of the body' } as const;
  await assert.rejects(door.consume(batch));
  full = false;
  await door.consume(batch);
  assert.equal(texts().at(-1)?.text, 'a thought');
});

test('[ST32] a thought that is forgotten shows nothing more of what it was, whatever comes of it later', async () => {
  const { texts, send, door, clock } = setUp();
  const about = `about ${SECRET}`;
  await send(
    cot({ requestId: about, tokens: ['to be erased, and '] }),
    cot({ requestId: 'other', tokens: ['kept'] }),
  );
  const [shown] = texts();
  assert.ok(shown && shown.requestId !== about, 'it is known by what is shown of its id');
  await door.forget((requestId) => requestId === shown.requestId);
  const before = texts().length;
  await send(cot({ requestId: about, tokens: ['this is new'], final: true, time: epochMs(2000) }));
  clock.advance(10_000);
  await door.settled();
  const later = texts().slice(before);
  assert.ok(!JSON.stringify(later).includes('erased'), JSON.stringify(later));
  const again = later.findLast(({ requestId }) => requestId === shown.requestId);
  assert.equal(again?.text, 'this is new');
  assert.notEqual(again?.part, shown.part);
  assert.equal(later.findLast(({ requestId }) => requestId === 'other')?.text, 'kept');
});

test('[RD6] a drain passes on what was refused before, and shows no end earlier than a silence does', async () => {
  let full = false;
  const { texts, send, door, clock } = setUp({ reject: () => full });
  await send(cot({ tokens: ['I am wilhelmina.kuck'] }));
  full = true;
  await assert.rejects(send(cot({ requestId: 'req-2', tokens: ['I am done with it. And'] })));
  full = false;
  await door.drain();
  clock.advance(70_000);
  await door.settled();
  assert.equal(texts().length, 2);
  assert.match(texts()[0]?.tail ?? '', /wilhelmina\.kuck$/);
  assert.equal(texts()[1]?.requestId, 'req-2');
});

test('[RD6] the end of a thought that made room for others is shown after two seconds as well', async () => {
  const { texts, send, clock, door } = setUp();
  await send(cot({ tokens: ['I am wilhelmina.kuck'] }));
  clock.advance(1000);
  // Open thoughts have 64 MiB together; what comes behind a gap in the sequence is held raw.
  for (let i = 0; i < 150; i++)
    await send(cot({ requestId: `other-${i}`, sequence: 5, tokens: ['a word '.repeat(35_000)] }));
  const ofFirst = (): CotText | undefined => texts().findLast(({ requestId }) => requestId === 'req-1');
  assert.doesNotMatch(ofFirst()?.text ?? '', /wil/);
  assert.ok(door.openStreams < 151, String(door.openStreams));
  clock.advance(999);
  await door.settled();
  assert.doesNotMatch(ofFirst()?.text ?? '', /wil/);
  clock.advance(1);
  await door.settled();
  assert.equal(ofFirst()?.text, 'I am wilhelmina.kuck');
  await send(cot({ tokens: ['-x'], final: true }));
  assert.equal(ofFirst()?.text, 'I am wilhelmina.kuck-x');
});

test('[RD6] an end that the next stage did not take after a restart is shown a minute later', async () => {
  let full = true;
  const { texts, door, clock } = setUp({ reject: () => full });
  const times = { first: epochMs(1), last: epochMs(1) };
  const state: CotText = {
    kind: 'cot',
    requestId: 'r',
    part: 1,
    revision: 3,
    final: false,
    text: 'it is ',
    tail: '4111 11',
    ...times,
  };
  door.resume(state);
  clock.advance(10_000);
  assert.ok(door.isHeldBack('any'), 'what is not told yet may have been written just now');
  door.resumed();
  assert.ok(door.isHeldBack('r') && !door.isHeldBack('any'));
  clock.advance(2000);
  await door.settled();
  assert.equal(texts().length, 0);
  full = false;
  clock.advance(60_000);
  await door.settled();
  assert.equal(texts().at(-1)?.text, 'it is 4111 11');
  assert.ok(!door.isHeldBack('r'));
});

function metric(change: Partial<MetricRecord> = {}): MetricRecord {
  return {
    kind: 'metric',
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    instrument: 'histogram',
    temporality: 'cumulative',
    monotonic: false,
    time: epochMs(2),
    start: epochMs(1),
    value: { count: 1, sum: 1, min: undefined, max: undefined },
    attributes: new Map<string, AttributeValue>([
      ['gen_ai.token.type', 'input'],
      ['gen_ai.request.model', 'gpt-4o'],
    ]),
    exemplars: [{ traceId: TRACE, spanId: SPAN, time: epochMs(1), value: 1 }],
    scope: { name: 's', version: '1', attributes: NO_ATTRIBUTES },
    resource: { attributes: new Map([['service.name', 'svc']]) },
    ...change,
  };
}

test('[ME14] every string of a metric passes the door: name, unit, attributes, scope and resource', async () => {
  const { send, batches, audited, counted } = setUp();
  const scope = { name: SECRET, version: SECRET, attributes: one };
  const clean = metric();
  await send(
    clean,
    metric({ name: `from.${SECRET}`, unit: SECRET, attributes: one, scope, resource: { attributes: one } }),
  );
  const [first, second] = batches[0]?.records ?? [];
  assert.equal(first, clean, 'one without a finding is the same object');
  const shown = JSON.stringify(second, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
  assert.ok(!shown.includes('canary'), shown);
  assert.ok((counted.get('spec.email') ?? 0) >= 7);
  const fields = new Set(audited.map(({ node, field }) => `${node} ${field.split('.')[0]}`));
  assert.deepEqual(
    [...fields].sort(),
    ['name', 'unit', 'attributes', 'scope', 'resource'].map((field) => `metric ${field}`).sort(),
  );
});

test('[ME14] a metric whose redaction fails is shown without what could not be looked at', async () => {
  const { send, batches, errors } = setUp();
  await send(metric({ name: 'kaboom.usage', attributes: new Map([['a', 'kaboom']]) }));
  const [record] = batches[0]?.records ?? [];
  assert.ok(record?.kind === 'metric');
  assert.ok(!JSON.stringify([record.name, ...record.attributes]).includes('kaboom'));
  assert.equal(errors(), 2);
});

test('[RD34] a publishable key leaves the door wherever it stands, and a secret one for tests nowhere', async () => {
  const { send, batches } = setUp();
  const shown = 'pk_test_k7Qz2mXw9RtB4vHn8LcY3sDf';
  const hidden = 'sk_test_k7Qz2mXw9RtB4vHn8LcY3sDf';
  const both = `api_key=${shown} token: ${hidden}`;
  const attributes = new Map<string, AttributeValue>([
    ['stripe.api_key', shown],
    ['args', JSON.stringify({ api_key: shown, secret_key: hidden, note: both })],
    ['list', ['--api-key', shown, '--api-key', hidden]],
  ]);
  const inOneText = both.split(shown).length - 1;
  await send(span({ name: both, attributes }), cot({ text: both, final: true }));
  const out = flat(batches);
  assert.equal(out.split(shown).length - 1, inOneText + 1 + (1 + inOneText) + 1 + inOneText);
  assert.ok(!out.includes(hidden));
});
