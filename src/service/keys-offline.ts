import { join } from 'node:path';
import { Keys } from '../access/keys.ts';
import { PROGRAM, type Principal } from '../access/principal.ts';
import { systemClock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { AUDIT_FILES, AuditLog } from '../redaction/audit-log.ts';
import { MarkerMaker } from '../redaction/marker.ts';
import type { KeysApi } from '../servers/http/key-routes.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { dataDirProblem, makeDataDir } from '../storage/data-dir.ts';
import { loadOrCreateKey } from '../storage/key-file.ts';
import type { Logger } from '../telemetry/logger.ts';
import { AccessRecord } from './access-record.ts';
import { keyAdministration } from './key-administration.ts';

/** Whoever may write to the data folder. */
const OWNER: Principal = { ...PROGRAM, id: 'command line', name: 'the owner of the data folder' };

/** Keys of a data folder that no service uses. */
export interface OfflineKeys {
  list(): ReturnType<KeysApi['list']>;
  create(request: unknown): ReturnType<KeysApi['create']>;
  revoke(id: string): ReturnType<KeysApi['revoke']>;
  rotate(id: string, graceMinutes: unknown): ReturnType<KeysApi['rotate']>;
}

/**
 * Deals with the keys of a folder, which is made if there is none.
 * @throws BoundaryError FAILED_PRECONDITION when a service uses it, or it cannot be used
 */
export async function withKeysOf<T>(
  { dataDir }: ServiceConfig,
  logger: Logger,
  use: (keys: OfflineKeys) => Promise<T>,
): Promise<T> {
  const clock = systemClock;
  await makeDataDir(dataDir, logger);
  const lock = await lockDataDir({ dataDir, waitMs: 0, clock, logger }).catch((error: unknown) => {
    throw dataDirProblem(dataDir, error);
  });
  try {
    const key = await loadOrCreateKey(join(dataDir, 'redaction.key'));
    const logs = AUDIT_FILES.map((file) => new AuditLog({ path: join(dataDir, file), key, logger }));
    await Promise.all(logs.map((one) => one.open()));
    const [, log] = logs;
    const markers = new MarkerMaker(key);
    const accesses = new AccessRecord(log, clock, logger, (token) => markers.make('SECRET', token));
    const found = await Keys.open({ dataDir, clock, logger, isKept: true });
    // The next start sees to their projects.
    const keys = keyAdministration(found, accesses, () => Promise.resolve());
    const answer = await use({
      list: () => keys.list(OWNER),
      create: (request) => keys.create(OWNER, request),
      revoke: (id) => keys.revoke(OWNER, id),
      rotate: (id, graceMinutes) => keys.rotate(OWNER, id, graceMinutes),
    });
    await log?.flush();
    return answer;
  } finally {
    lock.release();
  }
}
