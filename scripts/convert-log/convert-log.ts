import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, makeStore, STORE_FILE, type StorePlace } from '../../src/storage/sqlite/open-store.ts';
import { importLog, oldLogIn, removeOldLog, wasTakenOver } from './import-log.ts';

/**
 * Makes the store of what the log of an earlier version holds, and removes the log then. Interrupted, it can be begun again.
 * @returns how many records there were; undefined when there is no log, or all of it is in the store already
 * @throws Error when the log was written to since it was converted
 */
export function convertLog(dataDir: string): number | undefined {
  const oldLog = oldLogIn(dataDir);
  if (oldLog === undefined) return undefined;
  const place: StorePlace = { dataDir, durable: true, maxBytes: Infinity };
  let records: number | undefined;
  if (!existsSync(join(dataDir, STORE_FILE)))
    makeStore(place, (made) => {
      records = importLog(dataDir, oldLog, made);
    });
  else if (!wasTakenOver(oldLog, convertedLog(place)))
    throw new Error(
      `${dataDir} holds a store, and a log that was written since: move ${STORE_FILE} away to convert the log, or move the folder log away`,
    );
  removeOldLog(dataDir);
  return records;
}

/** Which log the store was made of. */
function convertedLog(place: StorePlace): string | undefined {
  const store = openDatabase(place, STORE_FILE);
  try {
    return (store.sql('SELECT old_log FROM content').get()?.['old_log'] ?? undefined) as string | undefined;
  } finally {
    store.close();
  }
}
