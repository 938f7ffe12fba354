import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What cannot be read is kept under a name with this in it, for whoever wants to know what happened. */
const ASIDE = '.damaged-';

/** The name under which a file that cannot be read is kept. */
export function putAsideName(file: string, nowMs: number): string {
  return `${file}${ASIDE}${new Date(nowMs).toISOString().replaceAll(':', '-')}`;
}

export function isPutAside(name: string): boolean {
  return name.includes(ASIDE);
}

/**
 * Removes what was put aside in a folder: what is erased may be in it, and nobody can look.
 * @param file its copies alone
 * @throws Error when the disk refuses
 */
export function removePutAside(dataDir: string, file = ''): void {
  for (const name of readdirSync(dataDir))
    if (isPutAside(name) && name.startsWith(file)) rmSync(join(dataDir, name), { force: true });
}
