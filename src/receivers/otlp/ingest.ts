import type { Clock } from '../../base/clock.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { Pace } from '../../base/pace.ts';
import type { RecordBatch, RecordConsumer } from '../../model/pipeline.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import type { ReceiverLimits } from '../config.ts';
import { countByKind } from '../count-kinds.ts';
import { requestDigest } from '../request-digest.ts';
import { decodeInPieces, type Encoding, type Signal } from './decode.ts';
import type { Decoded } from './decode-state.ts';

export interface OtlpIngestDeps {
  readonly limits: ReceiverLimits;
  readonly consumer: RecordConsumer;
  readonly metrics: OwnMetrics;
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own for each request if absent. */
  readonly pace?: Pace | undefined;
}

export interface OtlpRequest {
  readonly signal: Signal;
  readonly encoding: Encoding;
  /** Uncompressed. */
  readonly body: Buffer;
  readonly source: RecordBatch['source'];
  /** Clock.monotonic() when the body was complete. */
  readonly receivedAt: number;
}

/** Content of an OTLP response: empty when all was accepted, else partial_success. */
export interface ExportResult {
  readonly rejected: number;
  /** The first reasons; a warning when `rejected` is 0. */
  readonly message: string;
}

const SIGNAL_NAME = { traces: 'span', logs: 'log', metrics: 'metric' } as const;

/**
 * Decodes one export request and hands it on; resolves when the next stage has taken it over.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE; or the consumer's RESOURCE_EXHAUSTED, UNAVAILABLE
 */
export async function ingestOtlp(deps: OtlpIngestDeps, request: OtlpRequest): Promise<ExportResult> {
  const { signal, encoding, body, source, receivedAt } = request;
  const { metrics } = deps;
  let decoded: Decoded;
  try {
    const pace = deps.pace ?? new Pace(deps.clock);
    decoded = await decodeInPieces(signal, encoding, body, deps.limits, deps.clock.now(), pace);
  } catch (error) {
    metrics.recordsRejected(SIGNAL_NAME[signal], 'unparsable', 1);
    throw error;
  }
  if (decoded.rejected > 0) {
    metrics.recordsRejected(SIGNAL_NAME[signal], 'invalid', decoded.rejected);
  }
  if (decoded.textsCut > 0) metrics.textsCut(SIGNAL_NAME[signal], decoded.textsCut);
  if (decoded.records.length > 0) {
    const { records, rejected: refused } = decoded;
    const digest = requestDigest(body, records);
    const release = (): void => void (records.length = 0);
    await handOver(deps, { receivedAt, source, records, refused, digest, release });
  }
  if (decoded.dataPoints > 0) metrics.recordsAccepted('metric', decoded.dataPoints);
  return { rejected: decoded.rejected, message: decoded.reasons.join('; ') };
}

async function handOver(deps: OtlpIngestDeps, batch: RecordBatch): Promise<void> {
  const counts = countByKind(batch.records);
  try {
    await deps.consumer.consume(batch);
  } catch (error) {
    const refusal = BoundaryError.from(error);
    for (const [kind, count] of counts) {
      deps.metrics.recordsRejected(kind, refusal.code.toLowerCase(), count);
    }
    throw refusal;
  }
  for (const [kind, count] of counts) deps.metrics.recordsAccepted(kind, count);
}
