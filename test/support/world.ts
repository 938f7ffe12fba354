import fc from 'fast-check';
import type { AttributeValue } from '../../src/model/attributes.ts';
import type { CotText } from '../../src/model/facts.ts';
import type { Redacted, SafeBatch, SafeRecord } from '../../src/model/pipeline.ts';
import type { EventRecord, SpanRecord } from '../../src/model/records.ts';
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
    'gen_ai.operation.name': fc.constantFrom('chat', 'execute_tool'),
    'gen_ai.tool.call.id': fc.constantFrom('c1', 'c2'),
    'gen_ai.input.messages': fc.constantFrom('c1', 'c2').map(toolResult),
    'gen_ai.output.messages': fc.constantFrom('c1', 'c2').map(toolRequest),
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
    links: fc.array(fc.tuple(fc.constantFrom(...TRACES), fc.constantFrom(...SPANS)), { maxLength: 2 }),
  })
  .map(({ trace, span, parent, offset, duration, status, attrs, links }) =>
    makeSpan({
      traceId: trace,
      spanId: span,
      parentSpanId: parent === span ? undefined : parent,
      start: epochMs(START + offset),
      end: duration === undefined ? undefined : epochMs(START + offset + duration),
      status,
      attrs,
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

/** A set of records in which the states of one chain of thought agree with one another. */
export const worldArbitrary: fc.Arbitrary<SafeRecord[]> = fc
  .tuple(
    fc.array(spanArbitrary, { minLength: 1, maxLength: 22 }),
    fc.array(cotArbitrary, { maxLength: 5 }),
    fc.array(eventArbitrary, { maxLength: 4 }),
  )
  .map(([spans, cots, events]) => {
    const states = new Map(cots.map((cot) => [`${cot.requestId}/${cot.part}/${cot.revision}`, cot]));
    return [...spans, ...states.values(), ...events].map((record) => safe(record) as SafeRecord);
  });

export function batchOf(records: readonly SafeRecord[], receivedAt = 0): SafeBatch {
  return { receivedAt, source: 'bus', records };
}
