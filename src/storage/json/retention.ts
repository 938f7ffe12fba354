import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { isPutAside } from '../put-aside.ts';
import { SNAPSHOT_FILE } from './snapshot-format.ts';

const MS_PER_DAY = 86_400_000;
export const TEMPORARY_FILE = `${SNAPSHOT_FILE}.tmp`;

/**
 * Deletes snapshots and files that were put aside as damaged when they were last written before the time allowed, and
 * what an interrupted write left behind. Other files of the folder are not touched.
 */
export async function deleteExpired(
  dataDir: string,
  retentionDays: number,
  nowMs: number,
  logger: Logger,
): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name !== SNAPSHOT_FILE && name !== TEMPORARY_FILE && !isPutAside(name)) continue;
    const path = join(dataDir, name);
    const ageDays = (nowMs - (await stat(path)).mtimeMs) / MS_PER_DAY;
    if (name !== TEMPORARY_FILE && ageDays <= retentionDays) continue;
    await unlink(path);
    if (name !== TEMPORARY_FILE)
      logger.info({ file: name, ageDays: Math.floor(ageDays) }, 'deleted a file past persistRetentionDays');
  }
}
