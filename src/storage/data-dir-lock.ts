import { closeSync, openSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A folder that one service at a time may use. */
export interface DataDirLock {
  /** Whether another folder, with a lock of its own, stands in place of this one now. */
  readonly isReplaced: boolean;
  release(): void;
}

export interface LockOptions {
  readonly dataDir: string;
  /** Milliseconds to wait for a service that holds the folder. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A service that is stopped or killed has let go of the folder by then; longer, and it is not going down. */
export const PREDECESSOR_WAIT_MS = 5000;
const RETRY_MS = 50;
const LOCK_FILE = 'explain.lock';
const OWNER_ONLY_FILE = 0o600;
const SQLITE_BUSY = 5;

/**
 * Takes the folder by an exclusive SQLite transaction on an empty file that is never written to. The operating system
 * ends the lock with the process, however that ends, and SQLite keeps services in one process apart.
 * @throws BoundaryError FAILED_PRECONDITION when another service holds it for longer than `waitMs`; Error of the file system
 */
export async function lockDataDir({ dataDir, waitMs, clock, logger }: LockOptions): Promise<DataDirLock> {
  const path = join(dataDir, LOCK_FILE);
  createEmpty(path);
  const first = tryLock(path);
  if (first) return first;
  if (waitMs > 0)
    logger.info({ dataDir, waitMs }, 'dataDir is in use by another service: waiting for it to go down');
  const giveUpAt = clock.monotonic() + waitMs;
  // Timers of the clock do not keep the process alive, and at this time nothing else may.
  const awake = setInterval(() => {}, waitMs);
  try {
    while (clock.monotonic() < giveUpAt) {
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
      const lock = tryLock(path);
      if (lock) return lock;
    }
  } finally {
    clearInterval(awake);
  }
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `dataDir ${dataDir} is in use by another service: stop it, or set another dataDir`,
  );
}

/** Earlier versions wrote a process id into the file, which SQLite would refuse. A held lock is an empty file. */
function createEmpty(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // Opening and closing a file drops the locks that this process has on it, so an empty one is left alone.
  if (!found?.isFile()) closeSync(openSync(path, 'a', OWNER_ONLY_FILE));
  else if (found.size > 0) truncateSync(path);
}

function tryLock(path: string): DataDirLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // With the journal in memory nothing is written, so that a full disk can be locked as well.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    // Held open by the lock, so no other file has its number before it is released.
    const own = statSync(path);
    return {
      get isReplaced() {
        const found = statSync(path, { throwIfNoEntry: false });
        return found !== undefined && (found.ino !== own.ino || found.dev !== own.dev);
      },
      release: () => database.close(),
    };
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
