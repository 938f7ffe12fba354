import { BoundaryError } from '../base/boundary-error.ts';
import type { RecordBatch, RecordConsumer } from '../model/pipeline.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { MAX_LISTED_ERRORS } from './config.ts';

interface Remark {
  readonly index: number;
  readonly message: string;
}

interface UnknownItems {
  readonly lines: number;
  /** The first MAX_LISTED_ERRORS, as in `errors`. */
  readonly first: readonly number[];
}

/** What is answered of the items of a body, as JSON. */
export interface ItemsBody {
  readonly accepted: number;
  readonly rejected: number;
  /** The first MAX_LISTED_ERRORS; `index` counts items from 0. */
  readonly errors: readonly Remark[];
  /** Items of a type that is not known, which were passed over; absent when there are none. */
  readonly unknown?: UnknownItems;
}

/** Counts what became of the items of a body. */
export class ItemAnswer {
  accepted = 0;
  rejected = 0;
  private readonly errors: Remark[] = [];
  private unknown = 0;
  private readonly firstUnknown: number[] = [];

  /** What is wrong with one item costs no other. */
  orReject(index: number, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof BoundaryError) || error.code !== 'INVALID_ARGUMENT') throw error;
      this.reject(index, error.message);
    }
  }

  reject(index: number, message: string): void {
    this.rejected++;
    if (this.errors.length < MAX_LISTED_ERRORS) this.errors.push({ index, message });
  }

  passOver(index: number): void {
    this.unknown++;
    if (this.firstUnknown.length < MAX_LISTED_ERRORS) this.firstUnknown.push(index);
  }

  get body(): ItemsBody {
    const { accepted, rejected, errors, unknown } = this;
    const passedOver = unknown > 0 && { unknown: { lines: unknown, first: this.firstUnknown } };
    return { accepted, rejected, errors, ...passedOver };
  }
}

/** @param signal as which they are counted @throws BoundaryError the consumer's RESOURCE_EXHAUSTED, UNAVAILABLE */
export async function consumeCounted(
  signal: string,
  batch: RecordBatch,
  consumer: RecordConsumer,
  metrics: OwnMetrics,
): Promise<void> {
  const { length } = batch.records;
  if (length === 0) return;
  try {
    await consumer.consume(batch);
  } catch (error) {
    const refusal = BoundaryError.from(error);
    metrics.recordsRejected(signal, refusal.code.toLowerCase(), length);
    throw refusal;
  }
  metrics.recordsAccepted(signal, length);
}
