import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { unreachable } from '../../base/assert.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TelemetryRecord } from '../../model/records.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS, DEFAULT_RETRY_AFTER_MS, MAX_BUS_BUFFER } from '../config.ts';
import { countByKind } from '../count-kinds.ts';
import { parseCot } from '../events/parse-cot.ts';
import { parseEvent } from '../events/parse-event.ts';
import type { BusMessage, EventBus } from './event-bus.ts';

/** Retries of a full consumer once draining has begun; then the waiting records are dropped. */
const MAX_DRAIN_TRIES = 10;

export interface BusReceiverOptions {
  readonly bus: EventBus;
  readonly consumer: RecordConsumer;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Records that may wait for the consumer. */
  readonly maxBuffered?: number;
}

/**
 * Takes messages from a bus and passes them on in batches: those published in one turn of the event loop, or while the
 * consumer is busy, form one batch. An invalid message, or one that finds the buffer full, is refused when it is
 * published; a full consumer is retried.
 */
export class BusReceiver {
  private readonly options: BusReceiverOptions;
  private readonly maxBuffered: number;
  private buffer: TelemetryRecord[] = [];
  private oldest = 0;
  /** What became of the buffer. */
  private outcome = Promise.withResolvers<void>();
  private unsubscribe: (() => void) | undefined;
  private draining = false;
  private flushing: Promise<void> | undefined;

  constructor(options: BusReceiverOptions) {
    this.options = options;
    this.maxBuffered = options.maxBuffered ?? MAX_BUS_BUFFER;
  }

  start(): void {
    this.unsubscribe ??= this.options.bus.subscribe((message) => this.take(message));
  }

  /** Refuses new messages with UNAVAILABLE; resolves when the waiting ones have been passed on. */
  async drain(): Promise<void> {
    this.draining = true;
    await this.flushing;
  }

  async stop(): Promise<void> {
    await this.drain();
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  /** @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE */
  private take(message: BusMessage): Promise<void> {
    const { clock, metrics } = this.options;
    if (this.draining) throw new BoundaryError('UNAVAILABLE', 'the service is shutting down');
    if (this.buffer.length >= this.maxBuffered) {
      metrics.recordsRejected(signalOf(message), 'resource_exhausted', 1);
      throw new BoundaryError('RESOURCE_EXHAUSTED', 'the bus is full; publish again later', {
        retryAfterMs: DEFAULT_RETRY_AFTER_MS,
      });
    }
    const record = this.parse(message);
    if (this.buffer.length === 0) this.oldest = clock.monotonic();
    this.buffer.push(record);
    this.flushing ??= this.flush();
    return this.outcome.promise;
  }

  private parse(message: BusMessage): TelemetryRecord {
    const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
    try {
      const record = recordOf(message, bounds);
      if (bounds.textsCut > 0) this.options.metrics.textsCut(signalOf(message), bounds.textsCut);
      return record;
    } catch (error) {
      this.options.metrics.recordsRejected(signalOf(message), 'invalid', 1);
      throw error;
    }
  }

  private async flush(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    while (this.buffer.length > 0) {
      const records = this.buffer;
      const receivedAt = this.oldest;
      const { resolve, reject } = this.outcome;
      this.buffer = [];
      this.outcome = Promise.withResolvers();
      const refusal = await this.handOver(records, receivedAt);
      if (refusal) reject(refusal);
      else resolve();
    }
    this.flushing = undefined;
  }

  /**
   * Retries while the consumer is full. Records it refuses for another reason are lost, counted and logged.
   * @returns that reason
   */
  private async handOver(
    records: readonly TelemetryRecord[],
    receivedAt: number,
  ): Promise<BoundaryError | undefined> {
    const { consumer, metrics, logger } = this.options;
    const counts = countByKind(records);
    for (let drainTries = 0; ; drainTries += this.draining ? 1 : 0) {
      try {
        await consumer.consume({ receivedAt, source: 'bus', records });
        for (const [kind, count] of counts) metrics.recordsAccepted(kind, count);
        return undefined;
      } catch (error) {
        const refusal = BoundaryError.from(error);
        if (refusal.code === 'RESOURCE_EXHAUSTED' && drainTries < MAX_DRAIN_TRIES) {
          await this.pause(refusal.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
          continue;
        }
        for (const [kind, count] of counts) metrics.recordsRejected(kind, refusal.code.toLowerCase(), count);
        logger.error(
          { code: refusal.code, records: records.length },
          'records from the bus were refused and are lost',
        );
        return refusal;
      }
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.options.clock.after(ms, resolve);
    });
  }
}

function recordOf(message: BusMessage, bounds: Bounds): TelemetryRecord {
  switch (message.topic) {
    case 'cot':
      return parseCot(message.value, bounds);
    case 'reflexion':
      return parseEvent(message.value, bounds);
    case 'record':
      return message.record;
    default:
      return unreachable(message);
  }
}

function signalOf(message: BusMessage): string {
  switch (message.topic) {
    case 'cot':
      return 'cot';
    case 'reflexion':
      return 'event';
    case 'record':
      return message.record.kind;
    default:
      return unreachable(message);
  }
}
