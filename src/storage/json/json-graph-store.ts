import { copyFile, mkdir, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type DataDirLock, lockDataDir } from '../data-dir-lock.ts';
import type { GraphStore, SnapshotSource, StoredState } from '../graph-store.ts';
import { damagedName, deleteExpired, TEMPORARY_FILE } from './retention.ts';
import { SNAPSHOT_FILE, SNAPSHOT_FORMAT } from './snapshot-format.ts';
import { readSnapshot } from './snapshot-reader.ts';
import { writeSnapshot, type WrittenSnapshot } from './snapshot-writer.ts';

export interface JsonGraphStoreOptions {
  /** Made, for its owner alone, when it does not exist. */
  readonly dataDir: string;
  /** Of the snapshot file; while a new one is written, the old one stands beside it. */
  readonly maxStoreBytes: number;
  readonly persistRetentionDays: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Puts the finished file in its place; a test lets it fail. */
  readonly rename?: (from: string, to: string) => Promise<void>;
}

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * Opens the store of spec 5.6: the file `explain_graph.json` in `dataDir`, which is locked against other services.
 * @throws BoundaryError FAILED_PRECONDITION when another service uses the folder; Error when the disk refuses
 */
export async function openJsonGraphStore(options: JsonGraphStoreOptions): Promise<GraphStore> {
  const { dataDir, persistRetentionDays, logger, clock = systemClock } = options;
  await mkdir(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const lock = await lockDataDir(dataDir);
  try {
    await deleteExpired(dataDir, persistRetentionDays, clock.now(), logger);
    return new JsonGraphStore(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

class JsonGraphStore implements GraphStore {
  private readonly options: JsonGraphStoreOptions;
  private readonly lock: DataDirLock;
  private readonly path: string;
  private lastSave: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(options: JsonGraphStoreOptions, lock: DataDirLock) {
    this.options = options;
    this.lock = lock;
    this.path = join(options.dataDir, SNAPSHOT_FILE);
  }

  /** @throws BoundaryError FAILED_PRECONDITION when a newer version wrote the file; it is left as it is */
  async load(): Promise<StoredState> {
    const { dataDir, logger, clock = systemClock } = this.options;
    const snapshot = await readSnapshot(this.path);
    const aside = damagedName(clock.now());
    switch (snapshot.kind) {
      case 'absent':
        return NOTHING;
      case 'damaged':
        await rename(this.path, join(dataDir, aside));
        logger.error(
          { file: SNAPSHOT_FILE, movedTo: aside },
          'the stored graph is damaged: starting without it',
        );
        return NOTHING;
      case 'newer':
        throw new BoundaryError(
          'FAILED_PRECONDITION',
          `${SNAPSHOT_FILE} has format ${snapshot.format}, and this version reads ${SNAPSHOT_FORMAT}: use the version that wrote it, or set another dataDir`,
        );
      case 'read':
        if (snapshot.unusable > 0) {
          await copyFile(this.path, join(dataDir, aside));
          logger.error(
            { file: SNAPSHOT_FILE, copiedTo: aside, entries: snapshot.unusable },
            'entries of the stored graph are damaged: starting without them',
          );
        }
        return snapshot.state;
    }
  }

  save(source: SnapshotSource): Promise<{ readonly bytes: number }> {
    assert(!this.closed, 'save after close');
    const saved = this.lastSave.then(() => this.write(source));
    this.lastSave = saved.catch(() => {});
    return saved;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.lastSave;
    await this.lock.release();
  }

  private async write(source: SnapshotSource): Promise<{ readonly bytes: number }> {
    const temporary = join(this.options.dataDir, TEMPORARY_FILE);
    try {
      const written = await writeFileDurably(temporary, source, this.options.maxStoreBytes);
      await (this.options.rename ?? rename)(temporary, this.path);
      await syncFolder(this.options.dataDir);
      this.reportLeftOut(written);
      return { bytes: written.bytes };
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
  }

  private reportLeftOut({ textsLeftOut, factsLeftOut, graphLeftOut }: WrittenSnapshot): void {
    if (textsLeftOut === 0 && factsLeftOut === 0 && !graphLeftOut) return;
    this.options.logger.warn(
      { textsLeftOut, factsLeftOut, graphLeftOut, maxStoreBytes: this.options.maxStoreBytes },
      'the stored graph reached maxStoreBytes: the oldest entries are left out',
    );
  }
}

const NOTHING: StoredState = { facts: [], texts: [] };

async function writeFileDurably(
  path: string,
  source: SnapshotSource,
  maxBytes: number,
): Promise<WrittenSnapshot> {
  const file = await open(path, 'w', OWNER_ONLY_FILE);
  try {
    const written = await writeSnapshot(file, source, maxBytes);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** Makes a rename durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
