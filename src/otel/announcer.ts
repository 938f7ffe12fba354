import { diag, trace, type Context } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { announcementAttributes } from './announcement.ts';
import type { SdkLoggerProvider, SdkSpan } from './sdk-types.ts';
import { unrefTimer } from './unref-timer.ts';

const LOGGER_NAME = 'explainability-agent/otel';

export interface AnnouncerOptions {
  /** Undefined: the global one, whenever it is set. */
  readonly loggerProvider: SdkLoggerProvider | undefined;
  /** Milliseconds after which what was announced is flushed; undefined: not flushed from here. */
  readonly flushAfterMs: number | undefined;
}

/** Writes announcements through the user's logger provider, and sees that they leave the process soon. Never throws. */
export class Announcer {
  private readonly options: AnnouncerOptions;
  private provider: SdkLoggerProvider | undefined;
  private logger: ReturnType<SdkLoggerProvider['getLogger']> | undefined;
  private writing = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushing = false;
  private flushWanted = false;
  private hasComplained = false;

  constructor(options: AnnouncerOptions) {
    this.options = options;
  }

  /** True while a record is being written: spans that start now are the log exporter's own. */
  get isWriting(): boolean {
    return this.writing;
  }

  /** @param parentContext what the span was started in; the record carries the span's own ids */
  announce(eventName: string, span: SdkSpan, parentContext: Context): void {
    this.guard(() => {
      this.writing = true;
      try {
        this.currentLogger().emit({
          eventName,
          context: trace.setSpanContext(parentContext, span.spanContext()),
          attributes: announcementAttributes(eventName, span),
        });
      } finally {
        this.writing = false;
      }
      this.flushSoon();
    });
  }

  /** Resolves when the provider has sent what it held, or could not; never rejects. */
  async flush(): Promise<void> {
    try {
      await this.currentProvider().forceFlush?.();
    } catch (error) {
      this.complain(error);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushWanted = false;
  }

  /** Runs what may fail; a failure costs an announcement and never the app. */
  guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.complain(error);
    }
  }

  private currentProvider(): SdkLoggerProvider {
    return this.options.loggerProvider ?? logs.getLoggerProvider();
  }

  /** Getting a logger costs something; the global provider may be set, or set anew, at any time. */
  private currentLogger(): NonNullable<typeof this.logger> {
    const provider = this.currentProvider();
    if (this.logger === undefined || provider !== this.provider) {
      this.logger = provider.getLogger(LOGGER_NAME);
      this.provider = provider;
    }
    return this.logger;
  }

  /** One flush for all that is announced within `flushAfterMs`, and never two at once. */
  private flushSoon(): void {
    const { flushAfterMs } = this.options;
    if (flushAfterMs === undefined) return;
    this.flushWanted = true;
    if (this.timer !== undefined || this.flushing) return;
    this.timer = unrefTimer(setTimeout(() => void this.flushNow(), flushAfterMs));
  }

  private async flushNow(): Promise<void> {
    this.timer = undefined;
    this.flushWanted = false;
    this.flushing = true;
    await this.flush();
    this.flushing = false;
    if (this.flushWanted) this.flushSoon();
  }

  /** Once: what is broken now is broken for every span. */
  private complain(error: unknown): void {
    if (this.hasComplained) return;
    this.hasComplained = true;
    try {
      diag.warn('explainability-agent: open spans could not be announced', error);
    } catch {
      // The diag logger is the user's as well; there is nobody left to tell.
    }
  }
}
