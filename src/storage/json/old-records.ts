import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { SourceRecord } from '../record-store.ts';
import { recordKey } from '../record-key.ts';
import { damagedName } from './retention.ts';
import { SNAPSHOT_FILE, SNAPSHOT_FORMAT } from './snapshot-format.ts';
import { readSnapshot } from './snapshot-reader.ts';

/**
 * The records of a snapshot from before there was a log; none when there is no such snapshot. They are to be
 * appended to the log, and a snapshot in today's format written over this one.
 * @throws BoundaryError FAILED_PRECONDITION when a newer version wrote the file; it is left as it is
 */
export async function readOldRecords(
  dataDir: string,
  nowMs: number,
  logger: Logger,
): Promise<readonly SourceRecord[]> {
  const path = join(dataDir, SNAPSHOT_FILE);
  const snapshot = await readSnapshot(path);
  const aside = damagedName(nowMs);
  switch (snapshot.kind) {
    case 'absent':
      return [];
    case 'damaged':
      await rename(path, join(dataDir, aside));
      logger.error({ file: SNAPSHOT_FILE, movedTo: aside }, 'the snapshot of the graph is damaged');
      return [];
    case 'newer':
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        `${SNAPSHOT_FILE} has format ${snapshot.format}, and this version reads ${SNAPSHOT_FORMAT}: use the version that wrote it, or set another dataDir`,
      );
    case 'read': {
      if (snapshot.unusable > 0) {
        await copyFile(path, join(dataDir, aside));
        logger.error(
          { file: SNAPSHOT_FILE, copiedTo: aside, entries: snapshot.unusable },
          'entries of the stored graph are damaged: starting without them',
        );
      }
      const texts = new Map(snapshot.state.texts);
      return snapshot.state.facts.map((facts) => ({ facts, texts: texts.get(recordKey(facts).source) }));
    }
  }
}
