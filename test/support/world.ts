import fc from 'fast-check';
import type { AttributeValue } from '../../src/model/attributes.ts';
import type { CotText } from '../../src/model/facts.ts';
import type { Redacted, SafeBatch, SafeRecord } from '../../src/model/pipeline.ts';
import type { EventRecord, LogRecord, SpanRecord } from '../../src/model/records.ts';
import { epochMs } from '../../src/model/time.ts';

/** Random worlds of records: small sets of ids, so that they collide, loop, miss and repeat in every way. */

const TRACES = ['a'.repeat(32), 'b'.repeat(32)];
const SPANS = Array.from({ length: 9 }, (_, i) => `${i + 1}`.repeat(16));
const REQUESTS = ['r1', 'r2', 'r3'];
const START = 1_750_000_000_000;

export function safe<T>(record: T): Redacted<T> {
  return record as Redacted<T>;
}

export function makeSpan(
  fields: Partial<SpanRecord> & { attrs?: { [key: string]: AttributeValue } } = {},
): SpanRecord {
  const { attrs, ...rest } = fields;
  const start = rest.start ?? epochMs(START);
  const end = 'end' in rest ? rest.end : epochMs(start + 10);
  return {
    kind: 'span',
    traceId: TRACES[0] ?? '',
    spanId: SPANS[0] ?? '',
    parentSpanId: undefined,
    name: 'step',
    start,
    end,
    durationMs: end === undefined ? undefined : end - start,
    status: 'UNSET',
    statusMessage: '',
    traceState: '',
    attributes: new Map(Object.entries(attrs ?? {})),
    events: [],
    links: [],
    scope: { name: 'test', version: '', attributes: new Map() },
    resource: { attributes: new Map([['service.name', 'svc']]) },
    ...rest,
  };
}

const toolResult = (id: string): string =>
  JSON.stringify([{ role: 'tool', parts: [{ type: 'tool_call_response', id, response: 'ok' }] }]);
const toolRequest = (id: string): string =>
  JSON.stringify([{ role: 'assistant', parts: [{ type: 'tool_call', id, name: 'run', arguments: {} }] }]);

const said = (role: string, content: string): string =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
const THOUGHT = {
  role: 'assistant',
  parts: [{ type: 'reasoning', content: 'First I look at the failing test.\n\nThen I change the parser.' }],
};
/** Long enough to be found again by content. */
const SENTENCES = ['the parser drops the last token', 'run the tests of the parser again'];

const spanAttrs: fc.Arbitrary<{ [key: string]: AttributeValue }> = fc.record(
  {
    component: fc.constantFrom('coder-agent', 'critic-agent'),
    requestId: fc.constantFrom(...REQUESTS),
    taskID: fc.constantFrom('t1', 't2'),
    'session.id': fc.constantFrom('s1', 's2'),
    'model.name': fc.constantFrom('m1', 'm2'),
    'cost.usd': fc.constantFrom(0.00001, 0.5),
    'issues.count': fc.constantFrom(1),
    depends_on: fc.constantFrom<AttributeValue>('r1', 'event:e1', ['e2', SPANS[3] ?? '']),
    'gen_ai.operation.name': fc.constantFrom('chat', 'chat', 'execute_tool', 'invoke_agent'),
    'gen_ai.response.id': fc.constantFrom('m1', 'm2'),
    'gen_ai.request.model': fc.constantFrom('gpt-4o', 'o3'),
    'gen_ai.usage.input_tokens': fc.constantFrom(10, 20),
    'gen_ai.usage.output_tokens': fc.constantFrom(1, 2),
    'gen_ai.usage.cost': fc.constantFrom(0.25),
    'gen_ai.tool.name': fc.constantFrom('search', 'pytest', 'transfer_to_coder'),
    'gen_ai.agent.name': fc.constantFrom('coder', 'critic'),
    'mastra.span.type': fc.constantFrom('model_chunk', 'model_step'),
    'lmnr.span.ids_path': fc.constantFrom(SPANS[4] ?? '', SPANS[5] ?? '').map((id) => [id, SPANS[6] ?? '']),
    'gen_ai.tool.call.id': fc.constantFrom('c1', 'c2'),
    'gen_ai.input.messages': fc.oneof(
      fc.constantFrom('c1', 'c2').map(toolResult),
      fc.constantFrom(...SENTENCES).map((text) => said('user', text)),
    ),
    'gen_ai.output.messages': fc.oneof(
      fc.constantFrom('c1', 'c2').map(toolRequest),
      fc.constantFrom(...SENTENCES).map((text) => said('assistant', text)),
      fc.constant(JSON.stringify([THOUGHT])),
    ),
  },
  { requiredKeys: [] },
);

export const spanArbitrary: fc.Arbitrary<SpanRecord> = fc
  .record({
    trace: fc.constantFrom(...TRACES),
    span: fc.constantFrom(...SPANS),
    parent: fc.option(fc.constantFrom(...SPANS), { nil: undefined, freq: 8 }),
    offset: fc.integer({ min: 0, max: 20 }),
    duration: fc.constantFrom(1, 2, 100, undefined),
    status: fc.constantFrom('UNSET' as const, 'UNSET' as const, 'UNSET' as const, 'ERROR' as const),
    attrs: spanAttrs,
    /** The root of what a protocol tells of a task beside others. */
    joins: fc.constantFrom(false, false, false, false, false, true),
    /** A message of MEW instead. */
    mew: fc.option(
      fc.record({
        'mew.kind': fc.constantFrom('reasoning/start', 'reasoning/thought', 'reasoning/conclusion'),
        'mew.tells': fc.constantFrom('message', 'end'),
        'mew.context': fc.constantFrom('m1', 'm1/m2', 'm1/m2/m3', 'm12', 'm2/m1'),
      }),
      { nil: undefined, freq: 10 },
    ),
    scope: fc.constantFrom('test', 'sdk'),
    links: fc.array(fc.tuple(fc.constantFrom(...TRACES), fc.constantFrom(...SPANS)), { maxLength: 2 }),
  })
  .map(({ trace, span, parent, offset, duration, status, attrs, joins, mew, links, scope }) =>
    makeSpan({
      scope: { name: scope, version: '', attributes: new Map() },
      traceId: trace,
      spanId: span,
      parentSpanId: parent === span ? undefined : parent,
      start: epochMs(START + offset),
      end: duration === undefined ? undefined : epochMs(START + offset + duration),
      status,
      attrs: { ...attrs, ...(joins && { 'agui.kind': 'run' }), ...mew },
      links: links.map(([traceId, spanId]) => ({ traceId, spanId, attributes: new Map() })),
    }),
  );

export const cotArbitrary: fc.Arbitrary<CotText> = fc
  .record({
    requestId: fc.constantFrom(...REQUESTS),
    part: fc.constantFrom(1, 2),
    revision: fc.integer({ min: 1, max: 4 }),
    where: fc.option(fc.tuple(fc.constantFrom(...TRACES), fc.constantFrom(...SPANS)), { nil: undefined }),
    agent: fc.option(fc.constantFrom('CoderAgent'), { nil: undefined }),
    taskId: fc.option(fc.constantFrom('t1', 't3'), { nil: undefined }),
  })
  .map(({ requestId, part, revision, where, agent, taskId }) => ({
    kind: 'cot' as const,
    requestId,
    part,
    revision,
    text: `thought ${part} ${'x'.repeat(revision)}`,
    final: revision === 4,
    first: epochMs(START + part),
    last: epochMs(START + part + revision),
    // The state of a part is a function of its revision, as the door makes it.
    ...(where && revision > 2 && { traceId: where[0], spanId: where[1] }),
    ...(agent !== undefined && { agent }),
    ...(taskId !== undefined && { taskId }),
  }));

export const eventArbitrary: fc.Arbitrary<EventRecord> = fc
  .record({
    eventId: fc.constantFrom('e1', 'e2', 'e3'),
    eventType: fc.constantFrom('ModelSwitched', 'CodeFixApplied', 'TaskEscalated', 'Whatever'),
    offset: fc.integer({ min: 0, max: 20 }),
    payload: fc.record(
      {
        spanId: fc.constantFrom(...SPANS),
        traceId: fc.constantFrom(...TRACES),
        requestId: fc.constantFrom(...REQUESTS),
        nodeId: fc.constantFrom('event:e1', 'event:e2', ...SPANS, ...REQUESTS),
        taskID: fc.constantFrom('t1', 't2'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ eventId, eventType, offset, payload }) => ({
    kind: 'event' as const,
    eventId,
    eventType,
    component: undefined,
    time: epochMs(START + offset),
    payload,
    traceId: undefined,
    spanId: undefined,
  }));

const ANNOTATIONS = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
const APPROVAL = `approval:${'d'.repeat(32)}`;

/** What the service itself records of what people say, and of what agents ask them. */
const ownEventArbitrary: fc.Arbitrary<EventRecord> = fc
  .record({
    eventId: fc.constantFrom(...ANNOTATIONS.map((id) => `annotation:${id}`), APPROVAL, `${APPROVAL}:expired`),
    offset: fc.integer({ min: 0, max: 20 }),
    payload: fc.record(
      {
        kind: fc.constantFrom('note', 'verdict', 'approval', 'withdrawal'),
        nodeId: fc.constantFrom(
          ...TRACES.flatMap((trace) => SPANS.slice(0, 2).map((span) => `${trace}:${span}`)),
          ...REQUESTS.map((id) => `req:${id}`),
          'event:e1',
          `event:${APPROVAL}`,
        ),
        partId: fc.constantFrom(...REQUESTS.map((id) => `thought:1:req:${id}`)),
        taskID: fc.constantFrom('t1', 't2'),
        replaces: fc.constantFrom(...ANNOTATIONS),
        text: fc.constantFrom('so', 'not so'),
      },
      { requiredKeys: ['kind', 'nodeId'] },
    ),
  })
  .map(({ eventId, offset, payload }) => ({
    kind: 'event' as const,
    eventId,
    eventType: eventId === APPROVAL ? 'ApprovalRequested' : 'UserAnnotation',
    component: undefined,
    time: epochMs(START + offset),
    payload,
    traceId: undefined,
    spanId: undefined,
  }));

/** What coding agents log of their calls, tools and users, and what instrumentations log of a call. */
export const logArbitrary: fc.Arbitrary<LogRecord> = fc
  .record({
    eventName: fc.constantFrom(
      'api_request',
      'assistant_response',
      'tool_result',
      'user_prompt',
      'gen_ai.client.inference.operation.details',
    ),
    offset: fc.integer({ min: 0, max: 20 }),
    where: fc.option(fc.tuple(fc.constantFrom(...TRACES), fc.constantFrom(...SPANS)), { nil: undefined }),
    attrs: fc.record(
      {
        'session.id': fc.constantFrom('s1', 's2'),
        'prompt.id': fc.constantFrom('p1'),
        request_id: fc.constantFrom('q1', 'q2'),
        tool_use_id: fc.constantFrom('u1', 'u2'),
        tool_name: fc.constantFrom('Bash'),
        model: fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-1'),
        input_tokens: fc.constantFrom('10', 20),
        'gen_ai.response.id': fc.constantFrom('m1', 'm2'),
        'gen_ai.request.model': fc.constantFrom('gpt-4o'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ eventName, offset, where, attrs }) => ({
    kind: 'log' as const,
    time: epochMs(START + offset),
    severityNumber: 9,
    severityText: 'INFO',
    eventName,
    body: eventName.startsWith('gen_ai') ? '' : `claude_code.${eventName}`,
    attributes: new Map<string, AttributeValue>(Object.entries({ ...attrs, 'event.name': eventName })),
    traceId: where?.[0],
    spanId: where?.[1],
    scope: {
      name: eventName.startsWith('gen_ai') ? 'sdk' : 'com.anthropic.claude_code.events',
      version: '',
      attributes: new Map(),
    },
    resource: { attributes: new Map([['service.name', 'claude-code']]) },
  }));

/** A set of records in which the states of one chain of thought agree with one another. */
export const worldArbitrary: fc.Arbitrary<SafeRecord[]> = fc
  .tuple(
    fc.array(spanArbitrary, { minLength: 1, maxLength: 22 }),
    fc.array(cotArbitrary, { maxLength: 5 }),
    fc.array(fc.oneof(eventArbitrary, ownEventArbitrary), { maxLength: 6 }),
    fc.array(logArbitrary, { maxLength: 5 }),
  )
  .map(([spans, cots, events, logs]) => {
    const states = new Map(cots.map((cot) => [`${cot.requestId}/${cot.part}/${cot.revision}`, cot]));
    return [...spans, ...states.values(), ...events, ...logs].map((record) => safe(record) as SafeRecord);
  });

export function batchOf(records: readonly SafeRecord[], receivedAt = 0): SafeBatch {
  return { receivedAt, source: 'bus', records };
}
