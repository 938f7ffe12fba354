import { hasCode, syncFolder } from '../base/file-system.ts';
import { constants } from 'node:fs';
import { lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MAX_FILE_BYTES } from './adaptation-file.ts';

const OWNER_ONLY_FILE = 0o600;

/** A file as it was found. */
export interface FoundFile {
  readonly text: string;
  /** Changes whenever the file does. */
  readonly mark: string;
}

/** What the store does on the disk; tests have one in memory that fails where they want it to. */
export interface Files {
  /** undefined where there is no file. */
  mark(path: string): Promise<string | undefined>;
  /** @throws Error of the file system */
  read(path: string): Promise<FoundFile | undefined>;
  /**
   * Whole and atomically: a reader or a crash sees the old one or the new one.
   * @param expected mark of what it replaces; absent where it may be anything
   * @returns the mark of the new one; undefined when the old one is another by now, which then stays
   * @throws Error of the file system
   */
  replace(path: string, text: string, expected?: string): Promise<string | undefined>;
  /** Out of the way, under another name. */
  putAside(path: string, as: string): Promise<void>;
}

export const systemFiles: Files = {
  async mark(path) {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async read(path) {
    const mark = await this.mark(path);
    if (mark === undefined) return undefined;
    // A pipe is opened without waiting for who writes to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      // A device has no end.
      if (!found.isFile()) throw Object.assign(new Error(NO_FILE), { code: NO_FILE });
      // Of what is far too large it is enough to see that it is.
      if (found.size > MAX_READ_BYTES) return { text: ' '.repeat(MAX_FILE_BYTES + 1), mark };
      // What changes while it is read has another mark the next time.
      return { text: await file.readFile('utf8'), mark };
    } finally {
      await file.close();
    }
  },
  async replace(path, text, expected) {
    // A link stays one.
    const target = await lstat(path).then(
      () => realpath(path),
      () => path,
    );
    const temporary = `${target}.tmp`;
    try {
      await unlink(temporary).catch(() => {});
      const file = await open(temporary, 'wx', OWNER_ONLY_FILE);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      if (expected !== undefined && (await this.mark(path)) !== expected) {
        await unlink(temporary);
        return undefined;
      }
      await rename(temporary, target);
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
    await syncFolder(dirname(target));
    return this.mark(path);
  },
  async putAside(path, as) {
    await rename(path, as);
  },
};

/** Said in the place of a code of the file system. */
const NO_FILE = 'it is a folder, a pipe or a device';
/** The history beside it may be larger. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}
