import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import { hasCode } from '../base/file-system.ts';
import { FULL_CODES } from '../base/full-disk.ts';
import { mendModes } from './own-modes.ts';

const OWNER_ONLY_FOLDER = 0o700;
/** Bits of the group and of everybody. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes the folder, for its owner alone, where there is none; takes the rights of others from one that is there, and warns
 * where that cannot be done and they can write to it.
 * @throws BoundaryError FAILED_PRECONDITION when it cannot be made or used, UNAVAILABLE when the disk is full
 */
export async function makeDataDir(dataDir: string, logger: Logger): Promise<void> {
  try {
    await makeFolder(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw dataDirProblem(dataDir, error);
  }
  await mendModes(dataDir, logger);
  const { mode } = await stat(dataDir);
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    logger.warn(
      { dataDir, mode: (mode & 0o777).toString(8) },
      'dataDir can be written by other users, who could replace its store and its key: take their right away (chmod 700)',
    );
}

/** What an error of the file system means for whoever starts the service; any other error as it is. */
export function dataDirProblem(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BoundaryError) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  const where = path === undefined || path === dataDir ? '' : ` (at ${path})`;
  if (FULL_CODES.has(code))
    return new BoundaryError(
      'UNAVAILABLE',
      `dataDir ${dataDir}: the disk is full (${code})${where}: make room`,
      {
        cause: error,
      },
    );
  return new BoundaryError(
    'FAILED_PRECONDITION',
    `dataDir ${dataDir} cannot be used: ${reasonOf(code)} (${code})${where}: ${code === 'EISDIR' ? 'move it away' : 'set a folder that this user may write to'}`,
    { cause: error },
  );
}

/**
 * Not `mkdir` with `recursive`: below a folder that refuses new names with ENOENT, such as /proc, that never returns.
 */
async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await isFolder(at)); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse())
    await mkdir(folder, { mode: OWNER_ONLY_FOLDER }).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
}

/** @throws Error ENOTDIR when something else has this name */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', path });
}

function reasonOf(code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read and written';
    case 'EROFS':
      return 'its file system is read-only';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'something there is not a folder';
    case 'EISDIR':
      return 'a folder stands where a file belongs';
    case 'ENOENT':
      return 'it cannot be made there';
    default:
      return 'the system refuses';
  }
}
