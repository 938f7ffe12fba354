import type { EventRecord, LogRecord, SpanRecord, TelemetryRecord } from '../../src/model/records.ts';
import { epochMs } from '../../src/model/time.ts';
import type { Canaries } from './canaries.ts';

/** Requests and events in OTLP's JSON form, and records, with a canary in every string that a sender may choose. */

const START_NS = 1_750_000_000_000_000_000n;
const START_MS = 1_750_000_000_000;

type Plant = (place: string) => string;

function planter(canaries: Canaries, way: string): Plant {
  return (place) => canaries.at(`${way}: ${place}`);
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

/** Every shape that a value may have. */
function attributes(plant: Plant, place: string): readonly object[] {
  const at = (what: string): string => plant(`${place} ${what}`);
  const json = JSON.stringify({ user: { [at('key in JSON')]: [at('list in JSON')], note: at('JSON') } });
  return [
    attribute('note', at('value')),
    attribute(at('key'), 'x'),
    attribute('json', json),
    attribute('json.twice', JSON.stringify({ inner: JSON.stringify({ note: at('JSON in JSON') }) })),
    attribute('url.full', `https://example.org/a?q=${encodeURIComponent(at('URL'))}`),
    { key: 'list', value: { arrayValue: { values: [{ stringValue: at('array') }] } } },
    {
      key: 'map',
      value: {
        kvlistValue: {
          values: [
            attribute('note', at('kvlist value')),
            attribute(at('kvlist key'), 'x'),
            { key: 'deeper', value: { kvlistValue: { values: [attribute('note', at('nested value'))] } } },
          ],
        },
      },
    },
    { key: 'bytes', value: { bytesValue: Buffer.from(at('bytes')).toString('base64') } },
  ];
}

/** The attributes that become fields of a node or its texts, in several conventions. */
function meaningful(plant: Plant): readonly object[] {
  const messages = (place: string): string =>
    JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: plant(place) }] }]);
  const keys = [
    'component',
    'model.name',
    'prompt.summary',
    'taskID',
    'requestId',
    'gen_ai.agent.name',
    'gen_ai.tool.name',
    'gen_ai.tool.call.id',
    'gen_ai.tool.call.arguments',
    'gen_ai.conversation.id',
    'gen_ai.prompt',
    'gen_ai.completion',
    'input.value',
    'output.value',
    'llm.input_messages.0.message.content',
    'ai.prompt',
    'ai.response.text',
    'error.type',
    'exception.message',
    'issues.rule',
    'depends_on',
  ];
  return [
    ...keys.map((key) => attribute(key, plant(`attribute ${key}`))),
    attribute('gen_ai.operation.name', 'chat'),
    attribute('gen_ai.input.messages', messages('gen_ai.input.messages')),
    attribute('gen_ai.output.messages', messages('gen_ai.output.messages')),
  ];
}

function scope(plant: Plant): object {
  return {
    name: plant('scope name'),
    version: plant('scope version'),
    attributes: attributes(plant, 'scope attribute'),
  };
}

/** @param n tells the traces of several requests apart */
export function plantedTraces(canaries: Canaries, way: string, n: number): object {
  const plant = planter(canaries, way);
  const traceId = n.toString(16).padStart(32, 'a');
  const span = (spanId: string, name: string, more: object): object => ({
    traceId,
    spanId: spanId.repeat(16),
    name: plant(name),
    startTimeUnixNano: String(START_NS),
    endTimeUnixNano: String(START_NS + 900_000_000n),
    ...more,
  });
  const other = { traceId: traceId.replaceAll('a', 'b'), spanId: '9'.repeat(16) };
  const spans = [
    span('1', 'span name', {
      status: { code: 2, message: plant('status message') },
      traceState: `vendor=${plant('trace state')}`,
      attributes: attributes(plant, 'span attribute'),
      events: [
        {
          name: plant('event name'),
          timeUnixNano: String(START_NS),
          attributes: attributes(plant, 'event attribute'),
        },
        {
          name: 'exception',
          timeUnixNano: String(START_NS),
          attributes: [
            attribute('exception.type', plant('exception type')),
            attribute('exception.message', plant('exception message')),
            attribute('exception.stacktrace', `Error\n  at ${plant('stack trace')}`),
          ],
        },
      ],
      links: [
        { ...other, traceState: plant('link trace state'), attributes: attributes(plant, 'link attribute') },
      ],
    }),
    span('2', 'name of a call', { parentSpanId: '1'.repeat(16), attributes: meaningful(plant) }),
  ];
  const resource = {
    attributes: [
      ...attributes(plant, 'resource attribute'),
      attribute('service.name', plant('service.name')),
    ],
  };
  return {
    resourceSpans: [
      {
        resource,
        schemaUrl: plant('schema'),
        scopeSpans: [{ scope: scope(plant), schemaUrl: plant('schema'), spans }],
      },
    ],
  };
}

export function plantedLogs(canaries: Canaries, way: string): object {
  const plant = planter(canaries, way);
  const log = (more: object): object => ({ timeUnixNano: String(START_NS), ...more });
  const kvlist = (values: readonly object[]): object => ({ kvlistValue: { values } });
  const logRecords = [
    log({
      body: { stringValue: plant('log body') },
      severityText: plant('severity'),
      eventName: plant('log event name'),
      attributes: attributes(plant, 'log attribute'),
    }),
    log({ body: kvlist(attributes(plant, 'log body map')) }),
    log({ body: { stringValue: JSON.stringify({ note: plant('log body as JSON') }) } }),
    log({
      body: { stringValue: plant('thought') },
      attributes: [
        attribute('requestId', plant('requestId of a log')),
        ...['summary', 'agent', 'model', 'taskId'].map((key) => attribute(key, plant(`thought ${key}`))),
      ],
    }),
    log({
      eventName: `reflexion.CodeFixApplied ${plant('reflexion event name')}`,
      body: kvlist(attributes(plant, 'reflexion payload')),
      attributes: [
        attribute('eventID', plant('eventID')),
        attribute('component', plant('component')),
        attribute('taskId', plant('taskId')),
      ],
    }),
  ];
  const resource = { attributes: attributes(plant, 'log resource') };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: scope(plant), logRecords }] }] };
}

export function plantedMetrics(canaries: Canaries, way: string): object {
  const plant = planter(canaries, way);
  const dataPoints = [
    { timeUnixNano: String(START_NS), asInt: '1', attributes: attributes(plant, 'metric attribute') },
  ];
  const metric = {
    name: plant('metric'),
    description: plant('description'),
    unit: plant('unit'),
    sum: { dataPoints },
  };
  const resource = { attributes: attributes(plant, 'metric resource') };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: scope(plant), metrics: [metric] }] }] };
}

/** Thoughts as the POST endpoint and the bus take them. */
export function plantedThoughts(canaries: Canaries, way: string): readonly object[] {
  const plant = planter(canaries, way);
  const rest = (place: string): object => ({
    timestamp: START_MS,
    summary: plant(`${place} summary`),
    agent: plant(`${place} agent`),
    model: plant(`${place} model`),
    taskId: plant(`${place} taskId`),
  });
  const streamed = plant('requestId of a stream');
  const pieces = canaries.cutAt(`${way}: tokens`);
  return [
    { requestId: plant('requestId'), text: plant('text'), final: true, ...rest('thought') },
    { requestId: plant('requestId'), text: plant('text that stays open'), ...rest('open thought') },
    ...pieces.map((piece, sequence) => ({
      requestId: streamed,
      tokens: [piece.slice(0, 3), piece.slice(3)],
      sequence,
      timestamp: START_MS,
      final: sequence === pieces.length - 1,
    })),
    // Never finished, so what comes after the last safe place is still held back at the stop.
    ...canaries.cutAt(`${way}: tokens without an end`).map((piece, sequence) => ({
      requestId: `open ${way}`,
      tokens: [piece],
      sequence,
      timestamp: START_MS,
    })),
  ];
}

export function plantedEvents(canaries: Canaries, way: string): readonly object[] {
  const plant = planter(canaries, way);
  const event = (eventType: string): object => ({
    eventID: plant(`${eventType} eventID`),
    eventType,
    component: plant(`${eventType} component`),
    timestamp: START_MS,
    payload: {
      taskId: plant(`${eventType} taskId`),
      requestId: plant(`${eventType} requestId`),
      reason: plant(`${eventType} reason`),
      newModel: plant(`${eventType} newModel`),
      diffSummary: plant(`${eventType} diffSummary`),
      [plant(`${eventType} payload key`)]: 1,
      nested: {
        list: [{ deep: plant(`${eventType} nested`) }],
        json: JSON.stringify({ a: plant(`${eventType} JSON`) }),
      },
    },
  });
  return [event('ModelSwitched'), event('CodeFixApplied'), event(plant('eventType')), event('Escalated')];
}

/** Records as a sender in the same process may publish them. */
export function plantedRecords(canaries: Canaries, way: string): readonly TelemetryRecord[] {
  const plant = planter(canaries, way);
  const values = (place: string) =>
    new Map([
      ['note', plant(`${place} value`)],
      [plant(`${place} key`), 'x'],
    ]);
  const owner = {
    scope: { name: plant('scope name'), version: plant('scope version'), attributes: values('scope') },
    resource: { attributes: values('resource') },
  };
  const span: SpanRecord = {
    kind: 'span',
    traceId: 'c'.repeat(32),
    spanId: '1'.repeat(16),
    parentSpanId: undefined,
    name: plant('span name'),
    start: epochMs(START_MS),
    end: undefined,
    durationMs: undefined,
    status: 'ERROR',
    statusMessage: plant('status message'),
    traceState: plant('trace state'),
    attributes: values('attribute'),
    events: [{ name: plant('event name'), time: epochMs(START_MS), attributes: values('event') }],
    links: [{ traceId: 'd'.repeat(32), spanId: '1'.repeat(16), attributes: values('link') }],
    ...owner,
  };
  const log: LogRecord = {
    kind: 'log',
    time: epochMs(START_MS),
    severityNumber: 9,
    severityText: plant('severity'),
    eventName: plant('log event name'),
    body: { text: plant('body'), [plant('body key')]: [plant('body list')] },
    attributes: values('log'),
    traceId: span.traceId,
    spanId: span.spanId,
    ...owner,
  };
  const event: EventRecord = {
    kind: 'event',
    eventId: plant('eventId'),
    eventType: plant('eventType'),
    component: plant('component'),
    time: epochMs(START_MS),
    payload: { note: plant('payload'), deep: { list: [plant('deep')] } },
    traceId: undefined,
    spanId: undefined,
  };
  return [span, log, event];
}
