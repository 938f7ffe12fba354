import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import { RECEIVED_MS, SPAN, TRACE, attribute, decode, logRequest, logs } from './otlp.test-support.ts';

const string = (stringValue: string): object => ({ stringValue });
const record = (log: object) => {
  const result = decode('logs', 'json', logRequest(log));
  return result.records[0] ?? result.reasons[0];
};
const body = (fields: Readonly<Record<string, object>>): object => ({
  kvlistValue: { values: Object.entries(fields).map(([key, value]) => attribute(key, value)) },
});

test('[IN10] a requestId attribute makes a chain-of-thought entry, its text the body', () => {
  const cot = record({
    timeUnixNano: '1750000000123000000',
    traceId: TRACE,
    spanId: SPAN,
    body: string('Let me think'),
    attributes: [
      attribute('requestId', string('req-1')),
      attribute('component', string('critic-agent')),
      attribute('task_id', string('T1')),
      attribute('sequence', { intValue: '7' }),
      attribute('final', { boolValue: true }),
      attribute('model', string('m')),
      attribute('summary', string('s')),
    ],
  });
  assert.deepEqual(cot, {
    kind: 'cot',
    requestId: 'req-1',
    time: 1750000000123,
    text: undefined,
    tokens: ['Let me think'],
    final: true,
    summary: 's',
    agent: 'critic-agent',
    model: 'm',
    taskId: 'T1',
    traceId: TRACE,
    spanId: SPAN,
    sequence: 7,
  });
});

test('[IN10] what has a sequence or says whether it is final is a piece of one text, other records are lines', () => {
  const pieceOf = (...more: ReturnType<typeof attribute>[]): readonly unknown[] => {
    const attributes = [attribute('requestId', string('r')), ...more];
    const { text, tokens } = record({ body: string('think'), attributes }) as CotRecord;
    return [text, tokens];
  };
  assert.deepEqual(pieceOf(attribute('sequence', { intValue: '0' })), [undefined, ['think']]);
  assert.deepEqual(pieceOf(attribute('final', { boolValue: false })), [undefined, ['think']]);
  assert.deepEqual(pieceOf(), ['think', undefined]);
});

test('[IN10] a structured body gives the fields too, token deltas among them', () => {
  const tokens = { arrayValue: { values: [string('Let'), string(' me')] } };
  const cot = record({ body: body({ requestId: string('r'), tokens, text: string('') }) }) as CotRecord;
  assert.equal(cot.kind, 'cot');
  assert.deepEqual(cot.tokens, ['Let', ' me']);
  assert.equal(cot.text, undefined);
  assert.equal(cot.time, RECEIVED_MS);
});

test('[IN10] reasoning event names make an entry; without a requestId the span stands for the request', () => {
  for (const eventName of [
    'cot',
    'cot.delta',
    'reasoning',
    'reasoning.step',
    'chain_of_thought_end',
    'llm.cot',
  ]) {
    const cot = record({ eventName, traceId: TRACE, spanId: SPAN, body: string('x') }) as CotRecord;
    assert.equal(cot.kind, 'cot', eventName);
    assert.equal(cot.requestId, `${TRACE}:${SPAN}`);
  }
  const old = record({
    attributes: [attribute('event.name', string('cot')), attribute('request.id', string('q'))],
  });
  assert.equal((old as CotRecord).requestId, 'q');
  assert.equal((record({ eventName: 'cottage', body: string('x') }) as { kind: string }).kind, 'log');
});

test('[IN10] a reasoning event that names neither request nor span is rejected by field', () => {
  assert.match(
    record({ eventName: 'cot', body: string('x') }) as string,
    /logRecords\[0\]\.requestId: required/,
  );
});

test('[IN10] a named event with a request_id but no thought stays a log record', () => {
  const attributes = [attribute('request_id', string('r')), attribute('event.name', string('api_request'))];
  assert.equal((record({ body: string('x'), attributes }) as { kind: string }).kind, 'log');
  const withText = [...attributes, attribute('text', string('t'))];
  assert.equal((record({ attributes: withText }) as CotRecord).text, 't');
});

test('[IN11] reflexion.* names and eventType with component make an event', () => {
  const named = record({
    eventName: 'reflexion.ModelSwitched',
    timeUnixNano: '1750000000123000000',
    traceId: TRACE,
    spanId: SPAN,
    attributes: [
      attribute('eventID', string('e-1')),
      attribute('component', string('ReflexionAdapter')),
      attribute('payload', string('{"taskId":"T1","from":"a"}')),
      attribute('to', string('b')),
    ],
  });
  assert.deepEqual(named, {
    kind: 'event',
    eventId: 'e-1',
    eventType: 'ModelSwitched',
    component: 'ReflexionAdapter',
    time: 1750000000123,
    payload: { to: 'b', taskId: 'T1', from: 'a' },
    traceId: TRACE,
    spanId: SPAN,
  });
  const fields = body({
    eventType: string('PlanUpdated'),
    component: string('c'),
    payload: body({ requestId: string('r') }),
  });
  const structured = record({ body: fields }) as EventRecord;
  assert.equal(structured.eventType, 'PlanUpdated');
  assert.deepEqual(structured.payload, { requestId: 'r' });
  assert.equal(
    (record({ body: string('reflexion.CodeFixApplied') }) as EventRecord).eventType,
    'CodeFixApplied',
  );
});

test('[IR23] [GU13] an event under an id of the service itself is rejected', () => {
  for (const [id, isTaken] of [
    [`interrupt:${'a'.repeat(32)}`, false],
    [`interrupt:${'a'.repeat(32)}:1`, false],
    [`guard:${'a'.repeat(32)}`, false],
    ['interrupt:mine', true],
  ] as const) {
    const attributes = [attribute('eventID', string(id))];
    const result = decode('logs', 'json', logRequest({ eventName: 'reflexion.UserInterrupt', attributes }));
    assert.deepEqual([result.records.length, result.rejected], isTaken ? [1, 0] : [0, 1]);
  }
});

test('[IN11] an event with a requestId stays an event', () => {
  const event = record({
    eventName: 'reflexion.PatchApplied',
    attributes: [attribute('requestId', string('r'))],
  });
  assert.deepEqual((event as EventRecord).payload, { requestId: 'r' });
});

test('[IN11] the id of an event without one depends on its content alone', () => {
  const event = (component: string): string =>
    (
      record({
        eventName: 'reflexion.X',
        timeUnixNano: '5000000',
        attributes: [attribute('b', { intValue: 1 }), attribute('component', string(component))],
      }) as EventRecord
    ).eventId;
  assert.match(event('a'), /^[0-9a-f]{32}$/);
  assert.equal(event('a'), event('a'));
  assert.notEqual(event('a'), event('b'));
});

test('[IN10] anything else is a log record with its time, severity and context', () => {
  const result = decode(
    'logs',
    'protobuf',
    logRequest({
      observedTimeUnixNano: '1750000000123000000',
      severityNumber: 17,
      severityText: 'ERROR',
      body: string('boom'),
      eventName: 'x',
      traceId: TRACE,
      spanId: '0'.repeat(16),
    }),
  );
  const log = logs(result)[0]!;
  assert.deepEqual(
    [
      log.kind,
      log.time,
      log.severityNumber,
      log.severityText,
      log.body,
      log.eventName,
      log.traceId,
      log.spanId,
    ],
    ['log', 1750000000123, 17, 'ERROR', 'boom', 'x', TRACE, undefined],
  );
});
