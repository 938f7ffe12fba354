import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { SNAPSHOT_FILE } from './snapshot-format.ts';

const MS_PER_DAY = 86_400_000;
export const TEMPORARY_FILE = `${SNAPSHOT_FILE}.tmp`;

/** The name under which a file that cannot be read is kept. */
export function damagedName(nowMs: number): string {
  return `${SNAPSHOT_FILE}.damaged-${new Date(nowMs).toISOString().replaceAll(':', '-')}`;
}

/**
 * Deletes snapshots, damaged ones included, that were last written before the time allowed, and what an
 * interrupted write left behind. Other files of the folder are not touched.
 */
export async function deleteExpired(
  dataDir: string,
  retentionDays: number,
  nowMs: number,
  logger: Logger,
): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name !== SNAPSHOT_FILE && !name.startsWith(`${SNAPSHOT_FILE}.damaged-`) && name !== TEMPORARY_FILE)
      continue;
    const path = join(dataDir, name);
    const ageDays = (nowMs - (await stat(path)).mtimeMs) / MS_PER_DAY;
    if (name !== TEMPORARY_FILE && ageDays <= retentionDays) continue;
    await unlink(path);
    if (name !== TEMPORARY_FILE)
      logger.info(
        { file: name, ageDays: Math.floor(ageDays) },
        'deleted a snapshot past persistRetentionDays',
      );
  }
}
