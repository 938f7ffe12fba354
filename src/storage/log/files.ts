import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The files of one folder, as the log needs them: a test puts a disk in their place that is full or crashes. */
export interface LogFiles {
  list(): string[];
  /** Opens for reading and writing; makes an empty file where there is none. */
  open(name: string): LogFile;
  rename(from: string, to: string): void;
  remove(name: string): void;
  size(name: string): number;
  /** Makes names durable: what was made, renamed and removed. */
  syncFolder(): void;
}

export interface LogFile {
  readonly size: number;
  /** All of the bytes, or an error; then some of them may be there. */
  write(bytes: Uint8Array, at: number): void;
  /** @returns how many were read: fewer at the end of the file */
  read(into: Uint8Array, at: number): number;
  truncate(size: number): void;
  /** Makes the bytes durable. */
  sync(): void;
  close(): void;
}

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

export function folderFiles(folder: string): LogFiles {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  return {
    list: () => readdirSync(folder),
    open: (name) => openFile(join(folder, name)),
    rename: (from, to) => renameSync(join(folder, from), join(folder, to)),
    remove: (name) => rmSync(join(folder, name), { force: true }),
    size: (name) => statSync(join(folder, name)).size,
    syncFolder: () => {
      const handle = openSync(folder, 'r');
      try {
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    },
  };
}

function openFile(path: string): LogFile {
  const handle = openSync(path, existsSync(path) ? 'r+' : 'wx+', OWNER_ONLY_FILE);
  return {
    get size() {
      return fstatSync(handle).size;
    },
    write: (bytes, at) => {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(handle, bytes, done, bytes.length - done, at + done);
      }
    },
    read: (into, at) => {
      let done = 0;
      while (done < into.length) {
        const count = readSync(handle, into, done, into.length - done, at + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    },
    truncate: (size) => ftruncateSync(handle, size),
    sync: () => fdatasyncSync(handle),
    close: () => closeSync(handle),
  };
}
