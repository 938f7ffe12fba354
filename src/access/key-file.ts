import { chmod, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BoundaryError } from '../base/boundary-error.ts';
import { hasCode, syncFolder } from '../base/file-system.ts';
import { parseJson } from '../base/json.ts';
import { keyFileSchema, type KeyRecord } from './key-record.ts';

const OWNER_ONLY = 0o600;

/**
 * The keys in a file; undefined where there never were any.
 * @throws BoundaryError FAILED_PRECONDITION when it cannot be read: without it nobody would be asked for a key
 */
export async function readKeyFile(path: string): Promise<readonly KeyRecord[] | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    await chmod(path, OWNER_ONLY);
    return keyFileSchema.parse(parseJson(text)).keys;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      'keys.json in dataDir cannot be read, or is none that this version wrote: put a good one back, or remove it to have no keys',
      { cause },
    );
  }
}

/** Written aside and renamed, so that a crash leaves the old one or the new one. */
export async function writeKeyFile(path: string, keys: readonly KeyRecord[]): Promise<void> {
  const aside = `${path}.tmp`;
  const file = await open(aside, 'w', OWNER_ONLY);
  try {
    await file.writeFile(`${JSON.stringify({ format: 1, keys }, null, 1)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  await syncFolder(dirname(path));
}
