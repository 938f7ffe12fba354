import { randomUUID } from 'node:crypto';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BoundaryError } from '../base/boundary-error.ts';
import { hasCode } from './fs-error.ts';

/** A folder that one service at a time may use. */
export interface DataDirLock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly id: string;
}

const LOCK_FILE = 'explain.lock';
/** The holder touches its lock this often, … */
const TOUCH_EVERY_MS = 15_000;
/** … so that one of another host (a container that is gone) is known to be dead after this. */
const DEAD_AFTER_MS = 60_000;
/** A lock that dies while it is being looked at is looked at again; more often than this is a fight. */
const MAX_ATTEMPTS = 5;

/** Locks of this process. A process id alone does not tell two services in one process apart, nor a restarted container. */
const heldHere = new Set<string>();

/**
 * Takes the folder. A lock whose holder is dead is taken over.
 * @throws BoundaryError FAILED_PRECONDITION when a living service holds it
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const path = join(dataDir, LOCK_FILE);
  const mine: Holder = { pid: process.pid, host: hostname(), id: randomUUID() };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (await createLock(path, mine)) return hold(path, mine);
    const found = await readLock(path);
    if (!found) continue;
    if (await isAlive(path, found.holder, mine))
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        `dataDir is in use by another service (${describeHolder(found.holder)}): stop it, or set another dataDir`,
      );
    await removeDead(path, found.text, mine.id);
  }
  throw new BoundaryError('FAILED_PRECONDITION', 'dataDir is being taken by other services: start only one');
}

function hold(path: string, mine: Holder): DataDirLock {
  heldHere.add(mine.id);
  const touch = setInterval(() => {
    const now = new Date();
    // A touch that fails makes the lock look older than it is, no more.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_EVERY_MS);
  touch.unref();
  return {
    async release() {
      clearInterval(touch);
      heldHere.delete(mine.id);
      const found = await readLock(path);
      if (found?.holder?.id === mine.id) await unlink(path).catch(ignoreMissing);
    },
  };
}

/** Written aside and linked into place, so that nobody ever reads half a lock. @returns whether it was free */
async function createLock(path: string, mine: Holder): Promise<boolean> {
  const aside = `${path}.${mine.id}`;
  await writeFile(aside, JSON.stringify(mine), { mode: 0o600 });
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(aside).catch(ignoreMissing);
  }
}

async function readLock(
  path: string,
): Promise<{ readonly text: string; readonly holder: Holder | undefined } | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return { text, holder: parseHolder(text) };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    const { pid, host, id } = value ?? {};
    return Number.isInteger(pid) && pid && pid > 0 && typeof host === 'string' && typeof id === 'string'
      ? { pid, host, id }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A lock that nobody can read was never ours. */
async function isAlive(path: string, holder: Holder | undefined, mine: Holder): Promise<boolean> {
  if (!holder) return false;
  if (heldHere.has(holder.id)) return true;
  // Our own process id without our holding it: a container was restarted and numbers processes from 1 again.
  if (holder.host === mine.host) return holder.pid !== mine.pid && processRuns(holder.pid);
  const touched = await stat(path).catch(ignoreMissing);
  return touched !== undefined && Date.now() - touched.mtimeMs < DEAD_AFTER_MS;
}

function processRuns(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, under another user.
    return hasCode(error, 'EPERM');
  }
}

/** Takes a dead lock away, unless another service has replaced it meanwhile: then that one is put back. */
async function removeDead(path: string, deadText: string, id: string): Promise<void> {
  const aside = `${path}.dead-${id}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== deadText)
    await link(aside, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  await unlink(aside).catch(ignoreMissing);
}

function describeHolder(holder: Holder | undefined): string {
  return holder ? `process ${holder.pid} on ${holder.host}` : 'unknown';
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
