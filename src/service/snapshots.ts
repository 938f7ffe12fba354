import { rename } from 'node:fs/promises';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { ExplanationGraph } from '../model/node.ts';
import { saveSnapshot } from '../storage/json/graph-snapshot.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface SnapshotsOptions {
  /** False where nothing is kept on the disk: then nothing is written. */
  readonly isKept: boolean;
  readonly dataDir: string;
  /** Whether another folder stands in its place, which may be another service's. */
  readonly isReplaced: () => boolean;
  readonly maxBytes: () => number;
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
 * records are in the store.
 */
const MAX_FREQUENT_NODES = 5000;
const RARELY = 60;
/** A write that failed is repeated so soon, so that `/readyz` is right again when the disk is. */
const RETRY_MS = 5000;

/** Writes the readable graph for other programs: at intervals, when something changed, and at a clean stop. */
export class Snapshots {
  private readonly options: SnapshotsOptions;
  private timer: Timer | undefined;
  private changed = false;
  private isStopped = false;
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
    this.changed = this.options.isKept;
  }

  start(): void {
    if (this.options.isKept) this.schedule();
  }

  /** Stops the intervals and writes what has changed. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.saving;
    await this.save();
  }

  /** Writes what has changed. Never rejects. */
  save(): Promise<void> {
    return (this.saving ??= this.write().finally(() => (this.saving = undefined)));
  }

  private schedule(): void {
    if (this.isStopped) return;
    const { clock, intervalMs } = this.options;
    const waitMs = this.failure === undefined ? intervalMs : Math.min(intervalMs, RETRY_MS);
    this.timer?.cancel();
    this.timer = clock.after(waitMs, () => {
      void this.saveAtInterval().then(() => this.schedule());
    });
  }

  private async saveAtInterval(): Promise<void> {
    const isLarge = this.options.nodeCount() > MAX_FREQUENT_NODES;
    if (isLarge && this.failure === undefined && ++this.skipped < RARELY) return;
    this.skipped = 0;
    await this.save();
  }

  /** @throws BoundaryError FAILED_PRECONDITION */
  private assertOwn(): void {
    const { dataDir, isReplaced } = this.options;
    if (isReplaced())
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        `dataDir ${dataDir} was moved away, and another folder stands in its place: nothing is written into that`,
      );
  }

  private async write(): Promise<void> {
    if (!this.changed) return;
    this.changed = false;
    const { dataDir, graph, clock, logger, onSaved } = this.options;
    const maxBytes = this.options.maxBytes();
    const start = clock.monotonic();
    try {
      this.assertOwn();
      const { bytes, isLeftOut } = await saveSnapshot(dataDir, graph(), maxBytes, (from, to) => {
        this.assertOwn();
        return rename(from, to);
      });
      onSaved({ fileSizeBytes: bytes, latencyMs: clock.monotonic() - start });
      this.failure = undefined;
      if (isLeftOut && !this.isLargeSaid)
        logger.warn({ maxBytes }, 'the graph is too large for the readable snapshot: its lists are empty');
      this.isLargeSaid = isLeftOut;
    } catch (error) {
      this.changed = true;
      const isFirst = this.failure === undefined;
      this.failure = 'the last snapshot could not be written; see the log';
      if (isFirst) logger.error({ err: error }, 'snapshot not written: it is tried again until it is');
      // The next interval may be far away.
      if (isFirst && this.timer) this.schedule();
    }
  }
}
