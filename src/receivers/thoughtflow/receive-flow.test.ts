import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../../test/support/cpu-time.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { SpanRecord } from '../../model/records.ts';
import { systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import { FlowReceiver, type FlowAnswer } from './receive-flow.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { MAX_DEPENDENCIES } from './dependencies.ts';
import { readSession } from './consolidated.ts';
import { flowRecords } from './flow-records.ts';
import { readEvent } from './log-event.ts';
import { MAX_OPEN_SESSIONS, OpenSessions, type Known } from './open-sessions.ts';
import { Touched } from './touched.ts';
import { cpuTimer } from '../../../test/support/cpu-time.ts';

const AT = '2026-03-02T09:00:00.000Z';

interface Sent {
  readonly answer: FlowAnswer;
  readonly records: readonly SpanRecord[];
}

class Sender {
  readonly consumer = new RecordingConsumer();
  readonly ended: string[] = [];
  readonly kept = new Map<string, Known>();
  private readonly receiver = new FlowReceiver({
    open: new OpenSessions(),
    consumer: this.consumer,
    metrics: noMetrics,
    pace: new Pace(systemClock),
    known: (_, spanId) => Promise.resolve(this.kept.get(spanId)),
    onEnded: (nodes) => this.ended.push(...nodes),
  });

  async send(body: unknown, taskId?: string): Promise<Sent> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const before = this.consumer.records.length;
    const answer = await this.receiver.receive({
      body: Buffer.from(text),
      contentType: 'application/json',
      taskId,
      receivedAt: 0,
    });
    return { answer, records: this.consumer.records.slice(before) as SpanRecord[] };
  }
}

function send(body: unknown, taskId?: string): Promise<Sent> {
  return new Sender().send(body, taskId);
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function lines(...events: readonly object[]): string {
  return events.map((event) => JSON.stringify(event)).join('\n');
}

function stepsOf(records: readonly SpanRecord[]): ReadonlyMap<string, SpanRecord> {
  return new Map(
    records.flatMap((record) => {
      const id = record.attributes.get('thoughtflow.step_id');
      return typeof id === 'string' ? [[id, record] as const] : [];
    }),
  );
}

/** `from>to` by the ids of steps, with what is known of it. */
function edgesOf(records: readonly SpanRecord[]): readonly string[] {
  const ids = new Map([...stepsOf(records)].map(([id, { spanId }]) => [spanId, id]));
  return [...stepsOf(records)]
    .flatMap(([to, { links }]) =>
      links.map(
        ({ spanId, attributes }) =>
          `${ids.get(spanId) ?? '?'}>${to} ${word(attributes.get('explain.edge.evidence'))}`,
      ),
    )
    .sort();
}

function session(...conversations: readonly (readonly object[])[]): object {
  return {
    session_id: 's',
    started_at: AT,
    conversations: conversations.map((steps, index) => ({ conversation_id: `c${index + 1}`, steps })),
  };
}

test('[TF1] conformance 23: both eras are read, and any of them in an array', async () => {
  const runs = { session_id: 'old', runs: [{ run_id: 'r', steps: [{ step_id: 'a' }] }] };
  const { answer, records } = await send([runs, session([{ step_id: 'b' }], [{ step_id: 'c' }])]);
  assert.deepEqual(answer, { status: 202, body: { accepted: 2, rejected: 0, errors: [] } });
  const told = records.map(({ name, attributes }) => `${word(attributes.get('thoughtflow.kind'))} ${name}`);
  assert.deepEqual(told.sort(), [
    'conversation conversation c1',
    'conversation conversation c2',
    'conversation conversation r',
    'session session old',
    'session session s',
    'step generic',
    'step generic',
    'step generic',
  ]);
});

test('[TF1] the same file is the same records, whenever it is sent; into another task it is another run', async () => {
  const file = session([{ step_id: 'a' }, { step_id: 'b', depends_on: 'a' }]);
  const sender = new Sender();
  const [first, again, elsewhere] = [
    (await sender.send(file)).records,
    (await sender.send(file)).records,
    (await sender.send(file, 'T')).records,
  ];
  assert.deepEqual(again, first);
  assert.notEqual(elsewhere[0]?.traceId, first[0]?.traceId);
  assert.equal(elsewhere[0]?.attributes.get('thoughtflow.task_id'), 'T');
});

test('[TF2] times may be missing: what has none stands where the step before it ended', async () => {
  const { records } = await send(
    session([
      { step_id: 'a', started_at: '2026-03-02T09:00:01Z', duration_ms: 500 },
      { step_id: 'b' },
      { step_id: 'c', ended_at: '2026-03-02T09:00:03Z', duration_ms: 1000 },
    ]),
  );
  const steps = stepsOf(records);
  const at = (id: string): readonly unknown[] => {
    const { start = 0, end = 0, durationMs } = steps.get(id) ?? {};
    return [start - Date.parse(AT), end - Date.parse(AT), durationMs];
  };
  assert.deepEqual(
    [at('a'), at('b'), at('c')],
    [
      [1000, 1500, 500],
      [1500, 1500, undefined],
      [2000, 3000, 1000],
    ],
  );
});

test('[TF3] conformance 25: dependencies lead across conversations; those to nothing, to itself or around are counted', async () => {
  const { answer, records } = await send(
    session(
      [
        { step_id: 'a', depends_on: ['b', 'nowhere'] },
        { step_id: 'b', depends_on: 'c' },
        { step_id: 'c', depends_on: ['a', 'c'] },
      ],
      [
        { step_id: 'd', depends_on: ['a', 'a', 7] },
        { step_id: 7, depends_on: [] },
      ],
    ),
  );
  assert.deepEqual(edgesOf(records), ['7>d dependsOn', 'a>d dependsOn', 'b>a dependsOn', 'c>b dependsOn']);
  assert.deepEqual(answer.body.noEdge, { dangling: 1, self: 1, cyclic: 1, excess: 0 });
  assert.equal(answer.body.rejected, 0);
});

test('[TF3] a name means the step of its own conversation first; of several of one id the first', async () => {
  const { records } = await send(
    session(
      [{ step_id: 'snap' }, { step_id: 'call', depends_on: 'snap' }],
      [{ step_id: 'snap' }, { step_id: 'snap' }, { step_id: 'next', depends_on: ['snap', 'call'] }],
    ),
  );
  const spans = records.filter(({ attributes }) => attributes.get('thoughtflow.step_id') === 'snap');
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 3);
  const next = stepsOf(records).get('next');
  assert.deepEqual(
    next?.links.map(({ spanId }) => spanId),
    [spans[1]?.spanId, stepsOf(records).get('call')?.spanId],
  );
});

test('[TF3] where no step of a conversation names one, they follow one another in time', async () => {
  const { records } = await send(
    session([{ step_id: 'a' }, { step_id: 'b' }], [{ step_id: 'c' }, { step_id: 'd' }]),
  );
  assert.deepEqual(edgesOf(records), ['a>b inferred', 'c>d inferred']);
});

const LOG = [
  { type: 'session.created', session_id: 's', started_at: AT },
  { type: 'conversation.started', conversation_id: 'c', channel: 'text', started_at: AT, request_id: 'q' },
  {
    type: 'step.started',
    conversation_id: 'c',
    step_id: 'a',
    label: 'user_message',
    payload: { text: 'hi' },
    timestamp: Date.parse(AT) + 5,
  },
  {
    type: 'step.completed',
    conversation_id: 'c',
    step_id: 'a',
    payload: { ok: true },
    timestamp: Date.parse(AT) + 25,
  },
  {
    type: 'step.started',
    conversation_id: 'c',
    step_id: 'b',
    label: 'tool_call',
    depends_on: 'a',
    payload: { name: 't' },
    timestamp: Date.parse(AT) + 30,
  },
  {
    type: 'step.completed',
    conversation_id: 'c',
    step_id: 'b',
    payload: { output: 1 },
    timestamp: Date.parse(AT) + 60,
  },
  { type: 'activity.checkpoint', conversation_id: 'c' },
  {
    type: 'conversation.completed',
    conversation_id: 'c',
    status: 'completed',
    ended_at: '2026-03-02T09:00:01Z',
  },
  { type: 'session.ended', session_id: 's', ended_at: '2026-03-02T09:00:02Z' },
];

test('[TF4] a log tells what a consolidated file would, sent whole or line by line', async () => {
  const whole = await send(lines(...LOG));
  assert.deepEqual(whole.answer.body, { accepted: LOG.length, rejected: 0, errors: [] });
  assert.deepEqual(stepsOf(whole.records).get('b')?.attributes.get('thoughtflow.item'), {
    step_id: 'b',
    label: 'tool_call',
    depends_on: 'a',
    started_at: '2026-03-02T09:00:00.030Z',
    payload_started: { name: 't' },
    ended_at: '2026-03-02T09:00:00.060Z',
    payload_completed: { output: 1 },
    duration_ms: 30,
  });
  const sender = new Sender();
  const last = new Map<string, SpanRecord>();
  for (const event of LOG)
    for (const record of (await sender.send(event, 'T')).records) last.set(record.spanId, record);
  const named = await send(lines(...LOG), 'T');
  assert.deepEqual(new Set(last.values()), new Set(named.records));
  const root = named.records.find(({ parentSpanId }) => parentSpanId === undefined);
  assert.deepEqual(sender.ended, [`${root?.traceId}:${root?.spanId}`]);
});

test('[TF4] a step runs from its start to its completion', async () => {
  const sender = new Sender();
  const ends = [];
  for (const event of LOG.slice(0, 4))
    ends.push(stepsOf((await sender.send(event, 'T')).records).get('a')?.end);
  assert.deepEqual(ends, [undefined, undefined, undefined, Date.parse(AT) + 25]);
});

test('[TF4] what has no end of its own ends with its session, sent whole or line by line', async () => {
  const bare = LOG.filter(
    (event) => !('type' in event && ['conversation.ended', 'step.completed'].includes(word(event['type']))),
  );
  for (const bodies of [[bare], bare.map((event) => [event])]) {
    const sender = new Sender();
    const last = new Map<string, SpanRecord>();
    for (const body of bodies)
      for (const record of (await sender.send(lines(...body), 'T')).records) last.set(record.spanId, record);
    assert.ok(last.size >= 4, String(last.size));
    for (const { name, end } of last.values()) assert.notEqual(end, undefined, name);
  }
});

test('[TF5] lines of types that are not known are counted and named by their place, those that say nothing of a graph are not', async () => {
  const { answer, records } = await send(
    lines(
      { type: 'hunter2' },
      ...LOG,
      { type: 'activity.checkpoint' },
      { type: 'step.hunter2', step_id: 'x' },
    ),
  );
  const last = LOG.length + 2;
  assert.deepEqual(answer.body, {
    accepted: LOG.length + 1,
    rejected: 0,
    errors: [],
    unknown: { lines: 2, first: [0, last] },
  });
  assert.equal(records.length, (await send(lines(...LOG))).records.length);
});

test('[TF5] a session of which nothing is left is refused, and is no task', async () => {
  for (const conversations of [
    ['x'],
    [{ steps: [] }],
    [{ conversation_id: 'c', steps: [1, { label: 'x' }] }],
  ]) {
    const { answer, records } = await send({ session_id: 's', conversations });
    assert.deepEqual([answer.body.accepted, records.length], [0, 0]);
    assert.ok(answer.body.rejected > 0);
  }
  assert.equal((await send({ session_id: 's', conversations: [] })).records.length, 1);
});

test('[TF4] the older log, of runs, is read as well', async () => {
  const { records } = await send(
    lines(
      { type: 'session.created', session_id: 's', started_at: AT },
      { type: 'run.started', run_id: 'r', started_at: AT },
      { type: 'run.aborted', run_id: 'r', timestamp: Date.parse(AT) + 1000 },
    ),
  );
  const [run, whole] = records;
  assert.deepEqual(run?.attributes.get('thoughtflow.item'), {
    run_id: 'r',
    started_at: AT,
    status: 'aborted',
    ended_at: '2026-03-02T09:00:01.000Z',
    duration_ms: 1000,
  });
  assert.equal(whole?.attributes.get('thoughtflow.list'), 'runs');
});

test('[TF5] conformance 24: a broken line is named and costs no other; a completion without a start is a step', async () => {
  const { answer, records } = await send(
    `${lines(...LOG.slice(0, 2))}\n{"type":"step.star\n[1]\n${lines(
      { type: 'step.completed', step_id: 'x', timestamp: 1 },
      {
        type: 'step.completed',
        conversation_id: 'c',
        step_id: 'x',
        payload: { text: 'hunter2' },
        timestamp: Date.parse(AT),
      },
    )}`,
  );
  assert.deepEqual(answer.body, {
    accepted: 3,
    rejected: 3,
    errors: [
      { index: 2, message: 'not valid JSON' },
      { index: 3, message: 'not a JSON object' },
      { index: 4, message: 'conversation_id: required, a string that is not empty' },
    ],
  });
  const step = stepsOf(records).get('x');
  assert.equal(step?.name, 'generic');
  assert.equal(step.end, Date.parse(AT));
});

test('[TF5] a completion whose start is not held any more finds it in the store', async () => {
  const sender = new Sender();
  const { records } = await sender.send(lines(...LOG.slice(0, 3)));
  const begun = stepsOf(records).get('a');
  const later = new Sender();
  later.kept.set(begun?.spanId ?? '', {
    item: begun?.attributes.get('thoughtflow.item') as Known['item'],
    index: Number(begun?.attributes.get('thoughtflow.index')),
  });
  const completed = await later.send({ ...LOG[3], session_id: 's' });
  assert.deepEqual(
    stepsOf(completed.records).get('a'),
    stepsOf((await send(lines(...LOG.slice(0, 4)))).records).get('a'),
  );
});

test('[TF5] what is wrong in a session is named by its place, without its value', async () => {
  const { answer, records } = await send({
    session_id: 's',
    conversations: [
      { conversation_id: 'c', steps: [{ step_id: 'a' }, { label: 'hunter2' }, 'hunter2', { step_id: {} }] },
      { steps: [] },
      { conversation_id: 'd', steps: 'hunter2' },
      { conversation_id: 'e' },
    ],
  });
  assert.deepEqual(answer.body, {
    accepted: 1,
    rejected: 5,
    errors: [
      { index: 0, message: 'conversations[0].steps[1]: step_id: required, a string that is not empty' },
      { index: 0, message: 'conversations[0].steps[2]: not a JSON object' },
      { index: 0, message: 'conversations[0].steps[3]: step_id: must be a string' },
      { index: 0, message: 'conversations[1]: conversation_id: required, or run_id' },
      { index: 0, message: 'conversations[2]: steps: must be an array' },
    ],
  });
  assert.equal(records.length, 4);
});

test('[TF5] 400 only where nothing can be read; what is no ThoughtFlow is refused by item', async () => {
  for (const body of ['', 'hello', '{"session_id":'])
    assert.equal((await send(body)).answer.status, 400, body);
  for (const body of [[], {}, [1], { session_id: 's' }, { conversations: [] }, { session_id: 's', runs: 1 }])
    assert.deepEqual([(await send(body)).answer.status, (await send(body)).records.length], [202, 0]);
  await assert.rejects(send(session(Array.from({ length: 100_001 }, (_, n) => ({ step_id: n })))), {
    code: 'TOO_LARGE',
  });
});

test('[TF5] nothing is forgotten of what could not be taken', async () => {
  const sender = new Sender();
  await sender.send(lines(...LOG.slice(0, 3)));
  sender.consumer.refusal = new BoundaryError('UNAVAILABLE', 'draining');
  await assert.rejects(sender.send({ ...LOG[3], session_id: 's' }), { code: 'UNAVAILABLE' });
  sender.consumer.refusal = undefined;
  const { records } = await sender.send({ ...LOG[3], session_id: 's' });
  assert.deepEqual(stepsOf(records).get('a')?.attributes.get('thoughtflow.label'), 'user_message');
});

test('[TF3] dependencies beyond a bound make no edge and are counted', async () => {
  const named = Array.from({ length: 501 }, (_, n) => n);
  const steps = [...named, ...Array.from({ length: 100 }, (_, n) => 1000 + n)];
  const { answer, records } = await send(
    session(steps.map((step_id) => (step_id < 1000 ? { step_id } : { step_id, depends_on: named }))),
  );
  assert.equal(answer.body.noEdge?.excess, 100);
  assert.equal(edgesOf(records).length, MAX_DEPENDENCIES);
});

test('[TF5] long chains, deep payloads and circles take time that is in proportion', async () => {
  const chain = Array.from({ length: 20_000 }, (_, n) => ({ step_id: n, depends_on: [n + 1, 0] }));
  const noEdge = { dangling: 0, self: 0, cyclic: 0, excess: 0 };
  assertCpuTime(4000, () => {
    const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
    const read = readSession(
      { session_id: 's', runs: [{ run_id: 'r', steps: chain }] },
      undefined,
      bounds,
      noEdge,
    );
    assert.equal([...flowRecords(read.session)].length, 20_002);
  });
  assert.deepEqual(noEdge, { dangling: 1, self: 1, cyclic: 19_999, excess: 0 });
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  for (const body of [
    `{"session_id":"s","runs":[{"run_id":"r","steps":[{"step_id":"a","payload_started":${deep}}]}]}`,
    `{"type":"step.started","run_id":"r","step_id":"a","payload":${deep}}`,
  ])
    assert.equal((await send(body)).answer.body.accepted, 1);
});

test('[TF5] what is held of open sessions is bounded, and who holds most goes first', async () => {
  const open = new OpenSessions();
  const say = (event: object): void => {
    const touched = new Touched();
    const read = readEvent(event as never);
    open.apply(open.sessionOf(read, undefined, undefined), read, touched);
    open.taken(touched);
  };
  const payload = 'x'.repeat(1024 * 1024);
  say({ type: 'step.started', session_id: 'small', conversation_id: 'c', step_id: 'a' });
  for (let n = 0; n < 40; n++)
    say({ type: 'step.started', session_id: `large ${n % 2}`, conversation_id: 'c', step_id: n, payload });
  assert.ok(open.size === 3 || open.size === 2);
  say({ type: 'session.created', session_id: 'small' });
  for (let n = 0; n < 2 * MAX_OPEN_SESSIONS; n++) say({ type: 'session.created', session_id: `many ${n}` });
  assert.equal(open.size, MAX_OPEN_SESSIONS);
});

test('[TF5] very many sessions in one body, and conversations in one session, take time that is in proportion', async () => {
  const sender = new Sender();
  const many = Array.from({ length: 20_000 }, (_, n) => ({
    type: n % 2 === 0 ? 'step.started' : 'session.ended',
    session_id: `s${n - (n % 4 === 1 ? 1 : 0)}`,
    conversation_id: `c${n}`,
    step_id: 'a',
  }));
  const seconds = cpuTimer();
  await sender.send(lines(...many));
  assert.ok(seconds() < 5, `${seconds()} s`);

  const logged = new Sender();
  const told = Array.from({ length: 30_000 }, (_, n) => ({
    type: 'run.started',
    session_id: 's',
    run_id: `r${n}`,
  }));
  const vain = Array.from({ length: 50 }, (_, n) => ({
    type: 'step.started',
    session_id: 's',
    run_id: 'r0',
    step_id: `s${n}`,
    depends_on: Array.from({ length: 50 }, (_ignored, other) => `none ${n} ${other}`),
  }));
  const secondsOfVain = cpuTimer();
  const { answer: vainly } = await logged.send(lines(...told, ...vain));
  const took = secondsOfVain();
  assert.equal(vainly.body.noEdge?.dangling, 2500);
  assert.ok(took < 4, `${took} s`);

  const conversations = Array.from({ length: 130_000 }, (_, n) => ({ run_id: n }));
  const { answer, records } = await sender.send({ session_id: 'wide', runs: conversations });
  assert.deepEqual([answer.body.accepted, records.length], [1, 130_001]);
});

test('[TF5] any JSON is answered, and makes sound spans or none', async () => {
  const event = fc.record(
    {
      type: fc.constantFrom(
        'session.created',
        'session.ended',
        'run.started',
        'conversation.completed',
        'step.started',
        'step.completed',
        'x',
      ),
      session_id: fc.oneof(fc.constant('s'), fc.jsonValue()),
      conversation_id: fc.oneof(fc.constantFrom('c', 'd'), fc.jsonValue()),
      step_id: fc.oneof(fc.constantFrom('a', 'b'), fc.jsonValue()),
      depends_on: fc.jsonValue(),
      timestamp: fc.oneof(fc.double(), fc.jsonValue()),
      payload: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  );
  const sender = new Sender();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(event, fc.jsonValue()), { minLength: 1, maxLength: 8 }),
      async (items) => {
        const { answer, records } = await sender.send(items.map((item) => JSON.stringify(item)).join('\n'));
        assert.ok([202, 400].includes(answer.status));
        for (const { spanId, start, end } of records) {
          assert.match(spanId, /^[0-9a-f]{16}$/);
          assert.ok(Number.isFinite(start) && (end === undefined || end >= start));
        }
      },
    ),
  );
});
