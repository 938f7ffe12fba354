export type Environment = Readonly<Record<string, string | undefined>>;

const OTLP_PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Where the standard environment has the service's own spans sent, and how. */
export interface SpanTarget {
  /** Over HTTP with its path. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
}

/**
 * By the OpenTelemetry specification an empty variable counts as not set. Where no protocol is named it is gRPC.
 * @returns undefined where nothing is to be sent; a text says why it cannot be
 */
export function spanTarget(env: Environment): SpanTarget | string | undefined {
  const of = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (of('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  if (of('OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const own = of('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const shared = of('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url = own ?? shared;
  if (url === undefined) return undefined;
  const named = of('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? of('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'grpc';
  const protocol = OTLP_PROTOCOLS.find((one) => one === named);
  if (protocol === undefined)
    return `OTEL_EXPORTER_OTLP_PROTOCOL names no protocol of OTLP; it may be ${OTLP_PROTOCOLS.join(', ')}`;
  if (protocol === 'grpc' || own !== undefined) return { url, protocol };
  return { url: `${url.replace(/\/+$/, '')}/v1/traces`, protocol };
}
