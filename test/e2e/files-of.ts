import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FileBytes {
  /** Without its folder. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** All files of a folder and of those in it, also while a service renames and removes some. */
export async function filesOf(folder: string): Promise<readonly FileBytes[]> {
  for (;;) {
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return await Promise.all(
        files.map(async ({ name, parentPath }) => ({ name, bytes: await readFile(join(parentPath, name)) })),
      );
    } catch (error) {
      // One went between the two looks, maybe under another name: all are read again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
