import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BoundaryError } from '../base/boundary-error.ts';
import { hasCode } from '../base/file-system.ts';

/** As long as the output of SHA-256, the most that HMAC makes use of. */
const KEY_BYTES = 32;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * The 32-byte key in a file, made at the first call. It outlives restarts, so that what was marked with it before
 * is marked alike afterwards. Of two that create it at the same time both get the same key.
 * @throws BoundaryError FAILED_PRECONDITION when the file does not hold a key; it is left as it is
 */
export async function loadOrCreateKey(path: string): Promise<Uint8Array> {
  const existing = await readKey(path);
  if (existing) return existing;
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  await createKey(path);
  const created = await readKey(path);
  if (!created)
    throw new BoundaryError('FAILED_PRECONDITION', 'the key file vanished while it was made: start again');
  return created;
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  let key: Uint8Array;
  try {
    key = await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (key.length !== KEY_BYTES)
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `the key file in dataDir does not hold ${KEY_BYTES} bytes: put the right one back, or delete it for a new key`,
    );
  await chmod(path, OWNER_ONLY_FILE);
  return key;
}

/** Written aside and linked into place: a crash leaves no half key, and an existing one is never replaced. */
async function createKey(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const file = await open(aside, 'wx', OWNER_ONLY_FILE);
  try {
    await file.writeFile(randomBytes(KEY_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(aside, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(aside);
  }
}
