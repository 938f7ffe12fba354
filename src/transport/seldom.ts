import type { Clock } from '../base/clock.ts';
import type { Logger } from '../telemetry/logger.ts';

/** What peers can cause at will is logged once in this time for each message: a flood must not flood the log. */
const SAY_EVERY_MS = 60_000;

/** Warnings that peers cause, each said at most once a minute, with how often it came since it was last said. */
export class Seldom {
  private readonly clock: Clock;
  private readonly logger: Logger;
  /** By message, of which there are as many as are written in the sources. */
  private readonly said = new Map<string, { at: number; unsaid: number }>();

  constructor(clock: Clock, logger: Logger) {
    this.clock = clock;
    this.logger = logger;
  }

  /** @param message one of a fixed set: it is remembered */
  warn(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const now = this.clock.monotonic();
    const last = this.said.get(message) ?? { at: -Infinity, unsaid: 0 };
    this.said.set(message, last);
    last.unsaid++;
    if (now - last.at < SAY_EVERY_MS) return;
    this.logger.warn({ ...fields, times: last.unsaid }, message);
    last.at = now;
    last.unsaid = 0;
  }
}
