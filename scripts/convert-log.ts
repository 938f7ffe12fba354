/** Takes the records of an earlier version into the store. Usage: npm run store:convert -- DATA_DIR */
import { systemClock } from '../src/base/clock.ts';
import { lockDataDir } from '../src/storage/data-dir-lock.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { convertLog } from './convert-log/convert-log.ts';

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: npm run store:convert -- DATA_DIR');
const lock = await lockDataDir({ dataDir, waitMs: 0, clock: systemClock, logger: silentLogger });
try {
  const records = convertLog(dataDir);
  console.log(records === undefined ? 'nothing is left to convert' : `${records} records are in the store`);
} finally {
  lock.release();
}
