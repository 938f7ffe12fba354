import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { RecordBatch, RecordConsumer } from '../model/pipeline.ts';

/** How long a sender should wait while the service goes down and is, most likely, started again. */
const RESTART_MS = 2000;

/** What was taken in, for the `explain.ingest` span. */
export interface IngestReport {
  readonly batchSize: number;
  readonly latencyMs: number;
  readonly errors: boolean;
}

/**
 * The one gate between all receivers and the redaction door: shut until the graph is restored and while draining,
 * and timed.
 */
export class Intake implements RecordConsumer {
  private readonly next: RecordConsumer;
  private readonly clock: Clock;
  private readonly onIngest: (report: IngestReport) => void;
  private state: 'starting' | 'open' | 'draining' = 'starting';
  private readonly running = new Set<Promise<void>>();

  constructor(next: RecordConsumer, clock: Clock, onIngest: (report: IngestReport) => void) {
    this.next = next;
    this.clock = clock;
    this.onIngest = onIngest;
  }

  async consume(batch: RecordBatch): Promise<void> {
    this.assertOpen();
    // They may be gone when it is done.
    const batchSize = batch.records.length;
    const taken = this.next.consume(batch);
    this.running.add(taken);
    let errors = (batch.refused ?? 0) > 0;
    try {
      await taken;
    } catch (error) {
      errors = true;
      throw error;
    } finally {
      this.running.delete(taken);
      const latencyMs = this.clock.monotonic() - batch.receivedAt;
      this.onIngest({ batchSize, latencyMs, errors });
    }
  }

  /** @throws BoundaryError UNAVAILABLE with a delay until the graph is restored, and while draining */
  assertOpen(): void {
    if (this.state === 'open') return;
    const doing = this.state === 'starting' ? 'restoring its graph' : 'shutting down';
    throw new BoundaryError('UNAVAILABLE', `the service is ${doing}: send again later`, {
      retryAfterMs: RESTART_MS,
    });
  }

  /** Takes what comes from now on. */
  start(): void {
    this.state = 'open';
  }

  /** Refuses what comes from now on; resolves when everything before is through. */
  async stop(): Promise<void> {
    this.state = 'draining';
    await Promise.allSettled(this.running);
  }
}
