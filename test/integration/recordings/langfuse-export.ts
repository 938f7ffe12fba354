import { toHexId } from './ids.ts';
import {
  isObject,
  oneRequest,
  toKeyValues,
  toNanos,
  type ExportRequest,
  type JsonObject,
  type KeyValue,
  type Scope,
  type Span,
} from './otlp-json.ts';

/**
 * A Langfuse export: `{trace, observations}`. What the SDK had sent sits in `observation.metadata`
 * (`attributes`, `resourceAttributes`, `scope`). An observation without attributes came from Langfuse's own SDK,
 * whose attributes are written again from the observation's fields.
 */
export function fromLangfuse(document: JsonObject): readonly ExportRequest[] {
  const observations = Array.isArray(document['observations'])
    ? document['observations'].filter(isObject)
    : [];
  return observations.map((observation) => {
    const metadata = metadataOf(observation);
    return oneRequest(metadata['resourceAttributes'], scopeOf(metadata), [convert(observation, metadata)]);
  });
}

function metadataOf(observation: JsonObject): JsonObject {
  const raw = observation['metadata'];
  const metadata: unknown = typeof raw === 'string' ? JSON.parse(raw) : raw;
  return isObject(metadata) ? metadata : {};
}

function scopeOf(metadata: JsonObject): Scope {
  const scope = isObject(metadata['scope']) ? metadata['scope'] : {};
  return { name: wordOf(scope['name']), version: wordOf(scope['version']) };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function convert(observation: JsonObject, metadata: JsonObject): Span {
  const parent = observation['parentObservationId'];
  return {
    traceId: toHexId(String(observation['traceId']), 16),
    spanId: toHexId(String(observation['id']), 8),
    ...(typeof parent === 'string' ? { parentSpanId: toHexId(parent, 8) } : {}),
    name: String(observation['name']),
    kind: 1,
    startTimeUnixNano: toNanos(observation['startTime']),
    endTimeUnixNano: toNanos(observation['endTime'] ?? observation['startTime']),
    attributes: isObject(metadata['attributes'])
      ? toKeyValues({ ...metadata['attributes'], ...liftedMessages(observation, metadata['attributes']) })
      : sdkAttributes(observation, metadata),
    status: { code: 0 },
  };
}

const LIFTED = [
  ['input', 'gen_ai.input.messages'],
  ['output', 'gen_ai.output.messages'],
] as const;

/**
 * Langfuse takes the messages of some senders out of the attributes. Logfire's list of the attributes that were
 * written as JSON still names them.
 */
function liftedMessages(observation: JsonObject, attributes: JsonObject): JsonObject {
  const schema = attributes['logfire.json_schema'];
  if (schema === undefined) return {};
  const named = JSON.stringify(schema);
  const lifted = LIFTED.filter(([field, key]) => {
    return named.includes(key) && attributes[key] === undefined && observation[field] !== null;
  });
  return Object.fromEntries(lifted.map(([field, key]) => [key, asJson(observation[field])]));
}

const NOT_METADATA = new Set(['attributes', 'resourceAttributes', 'scope']);

function sdkAttributes(observation: JsonObject, metadata: JsonObject): readonly KeyValue[] {
  const own = Object.entries(metadata).filter(([key]) => !NOT_METADATA.has(key));
  return toKeyValues({
    'langfuse.observation.type': String(observation['type']).toLowerCase(),
    'langfuse.observation.model.name': observation['model'],
    'langfuse.observation.input': asJson(observation['input']),
    'langfuse.observation.output': asJson(observation['output']),
    'langfuse.observation.usage_details': filledJson(observation['usageDetails']),
    // `costDetails` may be Langfuse's own estimate.
    'langfuse.observation.cost_details': filledJson(observation['providedCostDetails']),
    'langfuse.observation.level': observation['level'],
    'langfuse.observation.status_message': observation['statusMessage'],
    ...Object.fromEntries(own.map(([key, value]) => [`langfuse.observation.metadata.${key}`, value])),
  });
}

function asJson(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function filledJson(value: unknown): string | undefined {
  return isObject(value) && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined;
}
