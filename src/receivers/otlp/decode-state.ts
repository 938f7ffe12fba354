import type { TelemetryRecord } from '../../model/records.ts';
import { Bounds } from '../bounds.ts';
import { MAX_REASONS, type ReceiverLimits } from '../config.ts';

/** Result of decoding one request. */
export interface Decoded {
  /** The caller's own. */
  readonly records: TelemetryRecord[];
  /** Number of data points without a value: accepted, but no record is made. */
  readonly dataPoints: number;
  readonly rejected: number;
  /** The first few reasons, each naming its field. Not empty with `rejected` 0: a warning. */
  readonly reasons: readonly string[];
  readonly textsCut: number;
}

/** State while one request is being decoded. */
export class DecodeState extends Bounds {
  /** Wall clock at reception, for records without a time of their own. */
  readonly receivedMs: number;
  readonly records: TelemetryRecord[] = [];
  readonly reasons: string[] = [];
  dataPoints = 0;
  rejected = 0;
  /** Records whose fields had another signal's types: spans among logs, logs among spans. */
  misplaced = 0;
  /** Records seen, good and bad. */
  seen = 0;

  constructor(limits: ReceiverLimits, receivedMs: number) {
    super(limits);
    this.receivedMs = receivedMs;
  }

  /** False (and counted as rejected) when the request holds more records than are taken from one. */
  takeRecord(): boolean {
    this.seen++;
    if (this.seen <= this.limits.maxRecords) return true;
    this.rejected++;
    if (this.seen === this.limits.maxRecords + 1) {
      this.warn(
        `only the first ${this.limits.maxRecords} records of one request are taken; send smaller batches`,
      );
    }
    return false;
  }

  reject(reason: string): void {
    this.rejected++;
    this.warn(reason);
  }

  warn(reason: string): void {
    if (this.reasons.length < MAX_REASONS) this.reasons.push(reason);
  }

  result(): Decoded {
    const { records, dataPoints, rejected, reasons, textsCut } = this;
    return { records, dataPoints, rejected, reasons, textsCut };
  }
}
