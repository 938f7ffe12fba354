import { TraceFlags, type Context } from '@opentelemetry/api';
import { SPAN_HEARTBEAT, SPAN_START } from './announcement.ts';
import { Announcer } from './announcer.ts';
import type { SdkLoggerProvider, SdkSpan } from './sdk-types.ts';
import { unrefTimer } from './unref-timer.ts';

export type {
  SdkLoggerProvider,
  SdkScope,
  SdkSpan,
  SpanAnnouncement,
  SpanAnnouncementAttributes,
} from './sdk-types.ts';

export interface OpenSpanProcessorOptions {
  /** Where announcements go; by default the global one of `@opentelemetry/api-logs`, which `NodeSDK` sets. */
  readonly loggerProvider?: SdkLoggerProvider;
  /** Which spans are announced; by default every one that is recorded and sampled. */
  readonly filter?: (span: SdkSpan) => boolean;
  /** Seconds between two announcements of a span that is still open, at least 1; 0 for none. Default 30. */
  readonly heartbeatSeconds?: number;
  /**
   * Milliseconds after an announcement until the logger provider is told to flush, however long its processors
   * would wait; `false` leaves it to them. Default 20.
   */
  readonly flushAfterMs?: number | false;
}

const DEFAULT_HEARTBEAT_SECONDS = 30;
/** More often would tell nobody anything new. */
const MIN_HEARTBEAT_SECONDS = 1;
/** Below what people notice, and long enough for spans that start together to share one request. */
const DEFAULT_FLUSH_AFTER_MS = 20;
/** Spans that are remembered until they end, for heartbeats; of a program that forgets to end its spans the oldest go. */
const MAX_OPEN_SPANS = 1_000;
/** Longest delay of a timer (32 bits of milliseconds); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

interface OpenSpan {
  readonly span: SdkSpan;
  readonly parentContext: Context;
}

/**
 * A span processor for the OpenTelemetry SDK, 1.x or 2.x, in Node and in browsers: makes spans known when they start,
 * as log records (`span.start`, and `span.heartbeat` while they stay open) in the span's own trace context. It stands
 * beside the processor that exports ended spans:
 *
 *     spanProcessors: [new BatchSpanProcessor(exporter), new OpenSpanProcessor()]
 *
 * Nothing that fails in here reaches the program; the first failure is told to the API's `diag`.
 */
export class OpenSpanProcessor {
  private readonly open = new Map<string, OpenSpan>();
  private readonly filter: (span: SdkSpan) => boolean;
  private readonly heartbeatMs: number | undefined;
  private readonly announcer: Announcer;
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private isShutDown = false;

  constructor(options: OpenSpanProcessorOptions = {}) {
    const { loggerProvider, filter, heartbeatSeconds, flushAfterMs } = options;
    this.filter = filter ?? (() => true);
    this.heartbeatMs = heartbeatMsOf(heartbeatSeconds ?? DEFAULT_HEARTBEAT_SECONDS);
    this.announcer = new Announcer({ loggerProvider, flushAfterMs: flushAfterMsOf(flushAfterMs) });
  }

  onStart(span: SdkSpan, parentContext: Context): void {
    if (this.isShutDown || this.announcer.isWriting) return;
    this.announcer.guard(() => {
      // A span that is recorded but not sampled is never exported, so nobody would hear of its end.
      const { traceFlags } = span.spanContext();
      if ((traceFlags & TraceFlags.SAMPLED) === 0 || !this.filter(span)) return;
      this.remember(span, parentContext);
      this.announcer.announce(SPAN_START, span, parentContext);
    });
  }

  onEnd(span: Pick<SdkSpan, 'spanContext'>): void {
    this.announcer.guard(() => {
      if (this.open.delete(keyOf(span)) && this.open.size === 0) this.stopHeartbeat();
    });
  }

  /** Resolves when the logger provider has sent what was announced; never rejects. */
  forceFlush(): Promise<void> {
    return this.isShutDown ? Promise.resolve() : this.announcer.flush();
  }

  /**
   * Announces nothing from then on. It does not flush: the logger provider flushes when it is shut down itself, which
   * `NodeSDK` does at the same time, and the SDK's batch processor loses what it holds when a flush meets its shutdown.
   */
  async shutdown(): Promise<void> {
    this.isShutDown = true;
    this.stopHeartbeat();
    this.open.clear();
    this.announcer.stop();
  }

  private remember(span: SdkSpan, parentContext: Context): void {
    if (this.heartbeatMs === undefined) return;
    if (this.open.size >= MAX_OPEN_SPANS) {
      for (const oldest of this.open.keys()) {
        this.open.delete(oldest);
        break;
      }
    }
    this.open.set(keyOf(span), { span, parentContext });
    this.heartbeat ??= unrefTimer(setInterval(() => this.beat(), this.heartbeatMs));
  }

  private beat(): void {
    for (const { span, parentContext } of this.open.values())
      this.announcer.announce(SPAN_HEARTBEAT, span, parentContext);
  }

  private stopHeartbeat(): void {
    clearInterval(this.heartbeat);
    this.heartbeat = undefined;
  }
}

function keyOf(span: Pick<SdkSpan, 'spanContext'>): string {
  const { traceId, spanId } = span.spanContext();
  return `${traceId}:${spanId}`;
}

function heartbeatMsOf(seconds: number): number | undefined {
  if (!(seconds > 0)) return undefined;
  return Math.min(Math.max(seconds, MIN_HEARTBEAT_SECONDS) * 1000, MAX_TIMER_MS);
}

function flushAfterMsOf(option: number | false | undefined): number | undefined {
  if (option === false) return undefined;
  if (option === undefined || Number.isNaN(option)) return DEFAULT_FLUSH_AFTER_MS;
  return Math.min(Math.max(option, 0), MAX_TIMER_MS);
}
