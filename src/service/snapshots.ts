import type { Clock, Timer } from '../base/clock.ts';
import type { ExplanationGraph } from '../model/node.ts';
import { saveSnapshot } from '../storage/json/graph-snapshot.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly maxBytes: number;
  readonly graph: () => ExplanationGraph;
  readonly nodeCount: () => number;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the `explain.persist_snapshot` span. */
  readonly onSaved: (saved: { readonly fileSizeBytes: number; readonly latencyMs: number }) => void;
}

/**
 * Up to so many nodes the readable graph is written at every interval: some 10 MB, a tenth of a second of work. A
 * larger one is written at the clean stop and after the longer interval alone; nothing is lost with it, since the
 * records are in the log.
 */
const MAX_FREQUENT_NODES = 5000;
const RARELY = 60;

/** Writes the readable graph for other programs: at intervals, when something changed, and at a clean stop. */
export class Snapshots {
  private readonly options: SnapshotsOptions;
  private timer: Timer | undefined;
  private changed = false;
  private saving: Promise<void> | undefined;
  private skipped = 0;
  private failure: string | undefined;
  private isLargeSaid = false;

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
    this.timer = clock.after(intervalMs, () => {
      void this.saveAtInterval().then(() => this.start());
    });
  }

  /** Stops the intervals and writes what has changed. Never rejects. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.saving;
    await this.save();
    this.timer?.cancel();
  }

  /** Writes what has changed. Never rejects. */
  save(): Promise<void> {
    return (this.saving ??= this.write().finally(() => (this.saving = undefined)));
  }

  private async saveAtInterval(): Promise<void> {
    const isLarge = this.options.nodeCount() > MAX_FREQUENT_NODES;
    if (isLarge && ++this.skipped < RARELY) return;
    this.skipped = 0;
    await this.save();
  }

  private async write(): Promise<void> {
    if (!this.changed) return;
    this.changed = false;
    const { dataDir, maxBytes, graph, clock, logger, onSaved } = this.options;
    const start = clock.monotonic();
    try {
      const { bytes, isLeftOut } = await saveSnapshot(dataDir, graph(), maxBytes);
      onSaved({ fileSizeBytes: bytes, latencyMs: clock.monotonic() - start });
      this.failure = undefined;
      if (isLeftOut && !this.isLargeSaid)
        logger.warn({ maxBytes }, 'the graph is too large for the readable snapshot: its lists are empty');
      this.isLargeSaid = isLeftOut;
    } catch (error) {
      this.changed = true;
      this.failure = 'the last snapshot could not be written; see the log';
      logger.error({ err: error }, 'snapshot not written: it is tried again at the next interval');
    }
  }
}
