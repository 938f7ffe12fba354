import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ArchiveIndex } from '../index/archive-index.ts';
import { MemoryArchiveIndex } from '../index/memory-archive-index.ts';
import { SqliteArchiveIndex } from '../index/sqlite-archive-index.ts';
import type { Say } from './say.ts';

const INDEX_FILE = 'explain_index.db';
const OWNER_ONLY_FILE = 0o600;

/**
 * Opens the index in a folder. One that cannot be opened is put aside for an empty one, which is then made from the
 * log; where Node has no SQLite, or none can be opened at all, it is in memory.
 */
export function openIndexIn(
  folder: string,
  maxBytes: number,
  openDatabase: ((path: string) => DatabaseSync) | undefined,
  say: Say,
): (anew: boolean) => ArchiveIndex {
  const path = join(folder, INDEX_FILE);
  if (!openDatabase) {
    say(
      'warn',
      { node: process.versions.node },
      'this Node has no node:sqlite (22.5 or later has): the index of the store is kept in memory and made from the log at every start',
    );
    return () => new MemoryArchiveIndex();
  }
  const open = (): ArchiveIndex => {
    // SQLite would make it readable for others, and gives what it makes beside it the same rights.
    closeSync(openSync(path, 'a', OWNER_ONLY_FILE));
    return new SqliteArchiveIndex(openDatabase, path, maxBytes);
  };
  return (anew) => {
    try {
      if (!anew) return open();
    } catch (error) {
      say(
        'error',
        { code: codeOf(error) },
        'the index of the store cannot be opened: it is put aside and made anew',
      );
    }
    try {
      putAside(path);
      return open();
    } catch (error) {
      say('error', { code: codeOf(error) }, 'no index can be made on the disk: it is kept in memory');
      return new MemoryArchiveIndex();
    }
  };
}

/** One that was put aside before is replaced: it is derived, and kept only for whoever wants to know what happened. */
function putAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`);
  } catch {
    // There is none.
  }
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? (error instanceof Error ? error.name : 'unknown');
}
