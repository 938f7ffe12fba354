import type { Attributes, Context, HrTime, SpanContext } from '@opentelemetry/api';

/**
 * What is used of the OpenTelemetry SDK, by shape: the processor fits the SDK's 1.x and 2.x alike, and needs
 * neither as a dependency.
 */

/** A span as the SDK hands it to its processors. */
export interface SdkSpan {
  readonly name: string;
  /** SpanKind of the API. */
  readonly kind: number;
  readonly startTime: HrTime;
  readonly attributes: Attributes;
  spanContext(): SpanContext;
  /** 2.x. */
  readonly parentSpanContext?: SpanContext | undefined;
  readonly instrumentationScope?: SdkScope | undefined;
  /** 1.x. */
  readonly parentSpanId?: string | undefined;
  readonly instrumentationLibrary?: SdkScope | undefined;
}

export interface SdkScope {
  readonly name: string;
  readonly version?: string | undefined;
}

export type SpanAnnouncementAttributes = Record<
  string,
  string | number | boolean | (string | number | boolean)[]
>;

/** What is written for each announcement. It has no severity, so that no severity filter takes it out. */
export interface SpanAnnouncement {
  readonly eventName: string;
  readonly context: Context;
  readonly attributes: SpanAnnouncementAttributes;
}

/** A LoggerProvider, of the SDK or of the API. */
export interface SdkLoggerProvider {
  getLogger(name: string): { emit(record: SpanAnnouncement): void };
  /** The SDK's has it. */
  forceFlush?(): Promise<void>;
}
