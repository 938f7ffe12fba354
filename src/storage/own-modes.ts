import type { Dirent } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OF_OTHERS = 0o077;
const STICKY = 0o1000;
/** What a service writes into its data folder, with what it puts aside, and writes before it renames. */
const OWN_NAME =
  /^\.?(?:explain[._]|audit[.-]|redaction\.key|adaptations\.|keys\.json|sessions\.|(?:thoughtflow|vault|projects)$)/;
/** Projects and vaults have folders of their own, and these have folders. */
const MAX_DEPTH = 4;
/** More is not looked at: a start must end. Artifacts of sessions are a thousand at most. */
const MAX_FILES = 20_000;

/**
 * Takes from the group and from others what they may do in the data folder of a service: it may be older than this rule,
 * copied, or restored from a backup. What belongs to another user stays, and so do other things, and a folder that holds any.
 */
export async function mendModes(dataDir: string, logger: Logger): Promise<void> {
  const user = process.getuid?.();
  if (user === undefined || dataDir === homedir()) return;
  const entries = await readdir(dataDir, { withFileTypes: true });
  const own = entries.filter(({ name }) => OWN_NAME.test(name));
  if (own.length === 0) return;
  const mender = new Mender(user);
  if (own.length === entries.length) await mender.mend(dataDir, OWNER_ONLY_FOLDER);
  await mender.entries(dataDir, own, 0);
  if (mender.mended > 0)
    logger.warn(
      { dataDir, mended: mender.mended },
      'other users of this machine could read or change files of dataDir: now its owner alone can (modes 700 and 600)',
    );
}

class Mender {
  mended = 0;
  private seen = 0;
  private readonly user: number;

  constructor(user: number) {
    this.user = user;
  }

  async entries(folder: string, entries: readonly Dirent[], depth: number): Promise<void> {
    for (const entry of entries) {
      if (++this.seen > MAX_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isFile()) await this.mend(path, OWNER_ONLY_FILE);
      if (!entry.isDirectory() || depth === MAX_DEPTH) continue;
      await this.mend(path, OWNER_ONLY_FOLDER);
      await this.entries(path, await readdir(path, { withFileTypes: true }), depth + 1);
    }
  }

  async mend(path: string, wanted: number): Promise<void> {
    try {
      const { mode, uid } = await lstat(path);
      if (uid !== this.user || (mode & OF_OTHERS) === 0 || (mode & STICKY) !== 0) return;
      await chmod(path, wanted);
      this.mended++;
    } catch {
      // It is gone, or its file system knows no modes: no reason not to start.
    }
  }
}
