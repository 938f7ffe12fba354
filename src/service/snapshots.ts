import type { Clock, Timer } from '../base/clock.ts';
import type { GraphStore, SnapshotSource } from '../storage/graph-store.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface SnapshotsOptions {
  readonly store: GraphStore;
  readonly source: SnapshotSource;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the `explain.persist_snapshot` span. */
  readonly onSaved: (saved: { readonly fileSizeBytes: number; readonly latencyMs: number }) => void;
}

/** Writes the graph to the store at intervals, when something changed, and at a clean stop. */
export class Snapshots {
  private readonly options: SnapshotsOptions;
  private timer: Timer | undefined;
  private changed = false;
  private failure: string | undefined;

  constructor(options: SnapshotsOptions) {
    this.options = options;
  }

  /** Why the last attempt failed, for `/readyz`; undefined when it did not. */
  get problem(): string | undefined {
    return this.failure;
  }

  markChanged(): void {
    this.changed = true;
  }

  start(): void {
    const { clock, intervalMs } = this.options;
    this.timer = clock.after(intervalMs, () => void this.save().then(() => this.start()));
  }

  /** Stops the intervals and writes what has changed. Never rejects. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.save();
    this.timer?.cancel();
  }

  /** Writes what has changed. Never rejects. */
  async save(): Promise<void> {
    if (!this.changed) return;
    this.changed = false;
    const { store, source, clock, logger, onSaved } = this.options;
    const start = clock.monotonic();
    try {
      const { bytes } = await store.save(source);
      onSaved({ fileSizeBytes: bytes, latencyMs: clock.monotonic() - start });
      this.failure = undefined;
    } catch (error) {
      this.changed = true;
      this.failure = 'the last snapshot could not be written; see the log';
      logger.error({ err: error }, 'snapshot not written: it is tried again at the next interval');
    }
  }
}
