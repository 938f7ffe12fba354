import { readFile } from 'node:fs/promises';

/** The parts of an OTLP/JSON ExportTraceServiceRequest that the demo plays. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly RecordedAttribute[];
  readonly events?: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes?: readonly RecordedAttribute[];
  }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface RecordedAttribute {
  readonly key: string;
  readonly value: RecordedValue;
}

interface RecordedValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly RecordedValue[] };
}

/** Spans of one recording with the resource and scope they were exported under. */
export interface RecordedGroup {
  readonly resource: readonly RecordedAttribute[];
  readonly scope: string;
  readonly spans: readonly RecordedSpan[];
}

interface RecordedRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly RecordedAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope?: { readonly name?: string };
      readonly spans: readonly RecordedSpan[];
    }[];
  }[];
}

export async function loadRecording(file: URL): Promise<RecordedGroup[]> {
  const request = JSON.parse(await readFile(file, 'utf8')) as RecordedRequest;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.map(({ scope, spans }) => ({
      resource: resource?.attributes ?? [],
      scope: scope?.name ?? '',
      spans,
    })),
  );
}

export type PlainValue = string | number | boolean | string[];

/** An attribute value as the OpenTelemetry API takes it. */
export function plainValue(value: RecordedValue): PlainValue {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map((item) => String(plainValue(item)));
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? '';
}
