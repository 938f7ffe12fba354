import { toHexId } from './ids.ts';

/** OTLP/JSON as far as the converters write it. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export interface ExportRequest {
  readonly resourceSpans: readonly ResourceSpans[];
}

interface ResourceSpans {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans: readonly { readonly scope: Scope; readonly spans: readonly Span[] }[];
}

export interface Scope {
  readonly name: string;
  readonly version?: string;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  /** Decimal nanoseconds. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes: readonly KeyValue[];
  }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values: readonly KeyValue[] };
}

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toKeyValues(attributes: unknown): readonly KeyValue[] {
  if (!isObject(attributes)) return [];
  return Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

/** Structures were JSON text before an exporter parsed them, save for lists of plain values. */
function toAnyValue(value: unknown): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  const list = otlpList(value) ?? (Array.isArray(value) && !value.some(isStructure) ? value : undefined);
  if (list !== undefined) return { arrayValue: { values: list.map(toAnyValue) } };
  return { stringValue: JSON.stringify(value) };
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object';
}

/** `{values: [{stringValue}]}`: an OTLP array that lost its `arrayValue`. */
function otlpList(value: unknown): readonly unknown[] | undefined {
  if (!isObject(value) || !Array.isArray(value['values'])) return undefined;
  return value['values'].map((item: unknown) => (isObject(item) ? Object.values(item)[0] : item));
}

export function oneRequest(resource: unknown, scope: Scope, spans: readonly Span[]): ExportRequest {
  return {
    resourceSpans: [{ resource: { attributes: toKeyValues(resource) }, scopeSpans: [{ scope, spans }] }],
  };
}

/** ISO 8601 or epoch milliseconds as nanoseconds. */
export function toNanos(time: unknown): string {
  const ms = typeof time === 'number' ? time : Date.parse(String(time));
  return String(BigInt(Math.trunc(ms)) * 1_000_000n);
}

/** The ids of all spans of a request, in hex. */
export function spanIdsOf(request: unknown): readonly string[] {
  const ids: string[] = [];
  for (const resource of listOf(request, 'resourceSpans'))
    for (const scope of listOf(resource, 'scopeSpans'))
      for (const span of listOf(scope, 'spans')) {
        if (isObject(span) && typeof span['spanId'] === 'string') ids.push(toHexId(span['spanId'], 8));
      }
  return ids;
}

/** A list in a field of an unchecked object; empty when there is none. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}
