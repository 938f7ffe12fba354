import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What cannot be read is kept under a name with this in it, for whoever wants to know what happened. */
const ASIDE = /\.damaged(?:-|$)/;

/** Removes what was put aside in a folder: what is erased may be in it, and nobody can look. @throws Error when the disk refuses */
export function removePutAside(dataDir: string): void {
  for (const name of readdirSync(dataDir)) if (ASIDE.test(name)) rmSync(join(dataDir, name));
}
