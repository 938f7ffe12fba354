import type { Context } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OpenSpanProcessor, type OpenSpanProcessorOptions, type SdkSpan } from 'explainability-agent/otel';

const options: OpenSpanProcessorOptions = {
  loggerProvider: logs.getLoggerProvider(),
  filter: (span: SdkSpan) => span.instrumentationScope?.name !== 'http',
  heartbeatSeconds: 10,
  flushAfterMs: false,
};
const processor = new OpenSpanProcessor(options);
/** The SDK's SpanProcessor, as far as it is not optional. */
interface Processor {
  onStart(span: SdkSpan, parentContext: Context): void;
  onEnd(span: SdkSpan): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}
export const processors: readonly Processor[] = [processor, new OpenSpanProcessor()];

// Types that are there but say nothing would let these pass.
// @ts-expect-error no such option
export const unknown: OpenSpanProcessorOptions = { heartbeat: 10 };
// @ts-expect-error true is no time
export const wrong: OpenSpanProcessorOptions = { flushAfterMs: true };
// @ts-expect-error spans have no title
export const blind: OpenSpanProcessorOptions = { filter: (span) => span.title === 'chat' };
