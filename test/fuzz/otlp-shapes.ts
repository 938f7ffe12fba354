import type { Draw } from './draw.ts';
import type { Field, Shape } from './shapes.ts';
import { hostileNanos, hostileNumber, hostileText, requestId, spanId, taskId, traceId } from './values.ts';

/** Keys that mean something to the conventions, and keys that mean harm. */
const KEYS = [
  'requestId', 'request_id', 'taskId', 'taskID', 'task_id', 'session.id', 'user.id', 'text', 'tokens', 'final', 'sequence',
  'summary', 'agent', 'component', 'model', 'model.name', 'gen_ai.operation.name', 'gen_ai.request.model',
  'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.agent.name', 'gen_ai.tool.name',
  'gen_ai.tool.call.id', 'gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.conversation.id', 'input.value',
  'output.value', 'llm.token_count.prompt', 'openinference.span.kind', 'ai.prompt', 'ai.toolCall.id', 'traceloop.span.kind',
  'test.name', 'tests.failed', 'issues.count', 'critic.score', 'depends_on', 'exception.message', 'error.type',
  'event.name', 'event_type', 'eventType', 'eventID', 'payload', 'timestamp', 'logfire.span_type',
  'logfire.pending_parent_id', 'span.ids_path', 'http.url', 'authorization', '__proto__', 'constructor', 'length', '',
] as const; // prettier-ignore

const EVENT_NAMES = [
  'cot.delta',
  'reasoning.step',
  'reflexion.ModelSwitched',
  'reflexion.UserInterrupt',
  'span.start',
  'span.heartbeat',
  'exception',
  'gen_ai.choice',
];

const text = (draw: Draw): string => hostileText(draw);
const number = (draw: Draw): number => hostileNumber(draw);

function keyText(draw: Draw): string {
  return draw.chance(0.9) ? draw.pick(KEYS) : hostileText(draw);
}

function valueText(draw: Draw): string {
  const kind = draw.weighted({ request: 1, task: 1, call: 1, any: 4 });
  if (kind === 'request') return requestId(draw);
  if (kind === 'task') return taskId(draw);
  return kind === 'call' ? `call-${draw.int(50)}` : hostileText(draw);
}

const anyValue: Shape = () => [
  { number: 1, name: 'stringValue', kind: 'text', value: valueText, chance: 0.7 },
  { number: 2, name: 'boolValue', kind: 'varint', value: (draw) => draw.int(2), chance: 0.05 },
  { number: 3, name: 'intValue', kind: 'varint', value: number, chance: 0.1 },
  { number: 4, name: 'doubleValue', kind: 'double', value: number, chance: 0.1 },
  { number: 5, name: 'arrayValue', kind: 'message', of: arrayValue, chance: 0.05 },
  { number: 6, name: 'kvlistValue', kind: 'message', of: keyValues, chance: 0.04 },
  { number: 7, name: 'bytesValue', kind: 'bytes', value: (draw) => draw.bytes(draw.int(30)), chance: 0.03 },
];

function arrayValue(): readonly Field[] {
  return [{ number: 1, name: 'values', kind: 'message', of: anyValue, most: 3 }];
}

function keyValues(): readonly Field[] {
  return [{ number: 1, name: 'values', kind: 'message', of: keyValue, most: 3 }];
}

const keyValue: Shape = () => [
  { number: 1, name: 'key', kind: 'text', value: keyText, chance: 0.98 },
  { number: 2, name: 'value', kind: 'message', of: anyValue, chance: 0.98 },
];

const attributes = (number: number, most: number): Field => ({
  number,
  name: 'attributes',
  kind: 'message',
  of: keyValue,
  most,
});
const traceField = (number: number): Field => ({
  number,
  name: 'traceId',
  kind: 'hex',
  value: traceId,
  chance: 0.97,
});
const spanField = (number: number): Field => ({
  number,
  name: 'spanId',
  kind: 'hex',
  value: spanId,
  chance: 0.97,
});
const nanos = (number: number, name: string): Field => ({
  number,
  name,
  kind: 'fixed64',
  value: hostileNanos,
  chance: 0.9,
});
const dropped = (number: number): Field => ({
  number,
  name: 'droppedAttributesCount',
  kind: 'varint',
  value: hostileNumber,
  chance: 0.02,
});

const spanEvent: Shape = () => [
  nanos(1, 'timeUnixNano'),
  { number: 2, name: 'name', kind: 'text', value: (draw) => draw.pick(EVENT_NAMES) },
  attributes(3, 3),
];
const link: Shape = () => [
  traceField(1),
  spanField(2),
  { number: 3, name: 'traceState', kind: 'text', value: text, chance: 0.1 },
  attributes(4, 2),
];
const status: Shape = () => [
  { number: 2, name: 'message', kind: 'text', value: text },
  {
    number: 3,
    name: 'code',
    kind: 'varint',
    value: (draw) => (draw.chance(0.9) ? draw.int(3) : hostileNumber(draw)),
  },
];

const span: Shape = () => [
  traceField(1),
  spanField(2),
  { number: 3, name: 'traceState', kind: 'text', value: text, chance: 0.05 },
  { number: 4, name: 'parentSpanId', kind: 'hex', value: spanId, chance: 0.6 },
  { number: 5, name: 'name', kind: 'text', value: text, chance: 0.9 },
  { number: 6, name: 'kind', kind: 'varint', value: (draw) => draw.int(7), chance: 0.9 },
  nanos(7, 'startTimeUnixNano'),
  nanos(8, 'endTimeUnixNano'),
  attributes(9, 6),
  dropped(10),
  { number: 11, name: 'events', kind: 'message', of: spanEvent, most: 2, chance: 0.2 },
  { number: 13, name: 'links', kind: 'message', of: link, most: 3, chance: 0.2 },
  { number: 15, name: 'status', kind: 'message', of: status, chance: 0.3 },
];

const scope: Shape = () => [
  { number: 1, name: 'name', kind: 'text', value: text },
  { number: 2, name: 'version', kind: 'text', value: text, chance: 0.2 },
];
const resource: Shape = () => [attributes(1, 3)];
const scopeField: Field = { number: 1, name: 'scope', kind: 'message', of: scope };
const resourceField: Field = { number: 1, name: 'resource', kind: 'message', of: resource };

const scopeSpans: Shape = () => [
  scopeField,
  { number: 2, name: 'spans', kind: 'message', of: span, most: 4, chance: 0.97 },
];
const resourceSpans: Shape = () => [
  resourceField,
  { number: 2, name: 'scopeSpans', kind: 'message', of: scopeSpans, most: 2, chance: 0.97 },
];

const logRecord: Shape = () => [
  nanos(1, 'timeUnixNano'),
  { number: 2, name: 'severityNumber', kind: 'varint', value: hostileNumber, chance: 0.2 },
  { number: 5, name: 'body', kind: 'message', of: anyValue },
  attributes(6, 6),
  traceField(9),
  spanField(10),
  nanos(11, 'observedTimeUnixNano'),
  {
    number: 12,
    name: 'eventName',
    kind: 'text',
    value: (draw) => (draw.chance(0.8) ? draw.pick(EVENT_NAMES) : hostileText(draw)),
  },
];
const scopeLogs: Shape = () => [
  scopeField,
  { number: 2, name: 'logRecords', kind: 'message', of: logRecord, most: 4, chance: 0.97 },
];
const resourceLogs: Shape = () => [
  resourceField,
  { number: 2, name: 'scopeLogs', kind: 'message', of: scopeLogs, most: 2, chance: 0.97 },
];

const point: Shape = () => [
  nanos(2, 'startTimeUnixNano'),
  nanos(3, 'timeUnixNano'),
  { number: 4, name: 'asDouble', kind: 'double', value: hostileNumber },
  { number: 6, name: 'asInt', kind: 'fixed64', value: hostileNumber, chance: 0.3 },
  attributes(7, 4),
];
const gauge: Shape = () => [{ number: 1, name: 'dataPoints', kind: 'message', of: point, most: 3 }];
const sum: Shape = () => [
  { number: 1, name: 'dataPoints', kind: 'message', of: point, most: 3 },
  { number: 2, name: 'aggregationTemporality', kind: 'varint', value: (draw) => draw.int(4) },
];
const histogramPoint: Shape = () => [
  nanos(3, 'timeUnixNano'),
  { number: 4, name: 'count', kind: 'fixed64', value: hostileNumber },
  { number: 5, name: 'sum', kind: 'double', value: hostileNumber },
  { number: 6, name: 'bucketCounts', kind: 'fixed64', value: hostileNumber, most: 4 },
  { number: 7, name: 'explicitBounds', kind: 'double', value: hostileNumber, most: 4 },
  attributes(9, 3),
];
const histogram: Shape = () => [
  { number: 1, name: 'dataPoints', kind: 'message', of: histogramPoint, most: 2 },
];
const METRICS = [
  'gen_ai.client.token.usage',
  'gen_ai.client.operation.duration',
  'claude_code.cost.usage',
  'gemini_cli.token.usage',
];
const metric: Shape = () => [
  { number: 1, name: 'name', kind: 'text', value: (draw) => draw.pick([...METRICS, hostileText(draw)]) },
  { number: 3, name: 'unit', kind: 'text', value: text, chance: 0.3 },
  { number: 5, name: 'gauge', kind: 'message', of: gauge, chance: 0.3 },
  { number: 7, name: 'sum', kind: 'message', of: sum, chance: 0.4 },
  { number: 9, name: 'histogram', kind: 'message', of: histogram, chance: 0.3 },
];
const scopeMetrics: Shape = () => [
  scopeField,
  { number: 2, name: 'metrics', kind: 'message', of: metric, most: 3 },
];
const resourceMetrics: Shape = () => [
  resourceField,
  { number: 2, name: 'scopeMetrics', kind: 'message', of: scopeMetrics, most: 2 },
];

export type Signal = 'traces' | 'logs' | 'metrics';

/** The three Export requests of OTLP. */
export const EXPORT_REQUESTS: Readonly<Record<Signal, Shape>> = {
  traces: () => [
    { number: 1, name: 'resourceSpans', kind: 'message', of: resourceSpans, most: 2, chance: 0.99 },
  ],
  logs: () => [{ number: 1, name: 'resourceLogs', kind: 'message', of: resourceLogs, most: 2, chance: 0.99 }],
  metrics: () => [
    { number: 1, name: 'resourceMetrics', kind: 'message', of: resourceMetrics, most: 2, chance: 0.99 },
  ],
};
