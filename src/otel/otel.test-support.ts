import { TraceFlags, type SpanContext } from '@opentelemetry/api';
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
  type ReadableLogRecord,
} from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, type Sampler } from '@opentelemetry/sdk-trace-base';
import { OpenSpanProcessor, type OpenSpanProcessorOptions, type SdkSpan } from './open-span-processor.ts';

export const CONTEXT: SpanContext = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  traceFlags: TraceFlags.SAMPLED,
};

export interface Setup {
  readonly tracers: BasicTracerProvider;
  readonly processor: OpenSpanProcessor;
  readonly written: () => readonly ReadableLogRecord[];
}

/** The real SDK with a processor in it, as a user sets it up; records land in memory. */
export function setup(options: OpenSpanProcessorOptions = {}, sampler?: Sampler): Setup {
  const exporter = new InMemoryLogRecordExporter();
  const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const processor = new OpenSpanProcessor({ loggerProvider, flushAfterMs: false, ...options });
  const tracers = new BasicTracerProvider({ spanProcessors: [processor], ...(sampler && { sampler }) });
  return { tracers, processor, written: () => exporter.getFinishedLogRecords() };
}

/** A span by its shape alone. */
export function fakeSpan(fields: Partial<SdkSpan> = {}): SdkSpan {
  return {
    name: 'chat',
    kind: 0,
    startTime: [1_750_000_000, 5],
    attributes: {},
    spanContext: () => CONTEXT,
    ...fields,
  };
}
