import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { RecordConsumer } from '../model/pipeline.ts';
import type { EventRecord } from '../model/records.ts';
import type { EpochMs } from '../model/time.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface OwnEventsOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is said of one that could not be recorded. */
  readonly lost: string;
}

/** A service that is full is tried again so often. */
const MAX_ATTEMPTS = 60;
const RETRY_MS = 1_000;

/** Puts events that the service itself makes on the graph, in the order in which they came about. */
export class OwnEvents {
  private readonly options: OwnEventsOptions;
  private last: Promise<void> = Promise.resolve();
  private isStopping = false;
  private wake: () => void = () => {};

  constructor(options: OwnEventsOptions) {
    this.options = options;
  }

  /** Resolves when all of them are recorded, or never will be. */
  get recorded(): Promise<void> {
    return this.last;
  }

  /** @param isWanted asked before it is recorded: what it is about may have been erased */
  record(event: EventRecord, isWanted: () => boolean = () => true): void {
    // What agents are told goes out in this turn of the event loop, before the work that this is.
    this.last = this.last.then(nextTurn).then(() => this.write(event, isWanted));
  }

  /** Nothing is waited for any more. Resolves as `recorded`. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.last;
  }

  private async write(event: EventRecord, isWanted: () => boolean): Promise<void> {
    const { consumer, clock, logger, lost } = this.options;
    for (let attempt = 1; isWanted(); attempt++) {
      try {
        await consumer.consume({ receivedAt: clock.monotonic(), source: 'bus', records: [event] });
        return;
      } catch (error) {
        const { code, retryAfterMs = RETRY_MS } = BoundaryError.from(error);
        if (code !== 'RESOURCE_EXHAUSTED' || this.isStopping || attempt === MAX_ATTEMPTS) {
          logger.error({ code }, lost);
          return;
        }
        await this.pause(retryAfterMs);
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.options.clock.after(ms, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** An event of the service itself. What is undefined in its payload is left out. */
export function eventOf(
  eventId: string,
  eventType: string,
  component: string | undefined,
  time: EpochMs,
  said: { readonly [key: string]: AttributeValue | undefined },
): EventRecord {
  const payload: { [key: string]: AttributeValue } = {};
  for (const [key, value] of Object.entries(said)) if (value !== undefined) payload[key] = value;
  return {
    kind: 'event',
    eventId,
    eventType,
    component,
    time,
    payload,
    traceId: undefined,
    spanId: undefined,
  };
}
