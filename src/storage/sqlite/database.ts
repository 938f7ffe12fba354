import { randomInt } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, statSync, type Stats } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { BoundaryError } from '../../base/boundary-error.ts';
import { SCHEMA, SCHEMA_VERSION, TIES } from './schema.ts';

export interface DatabaseOptions {
  readonly path: string;
  /** What was committed is on the disk, not only with the operating system. */
  readonly durable: boolean;
  /** The write-ahead log is emptied into the database about here. */
  readonly walBytes: number;
  /** Milliseconds to wait for another program that has it open. */
  readonly waitMs: number;
}

/**
 * Records are written one after the other, so large pages save more calls of the system than they cost where an index
 * is touched: 10 µs a record of 2 KB instead of 14 µs with pages of 4 KiB.
 */
export const PAGE_BYTES = 16 * 1024;
const MIN_WAL_PAGES = 8;
/** It is a field of 32 bits with a sign. */
const MAX_IDENTITY = 2 ** 31;
/** Room for the upper pages of all trees; the rest is the operating system's. */
const CACHE_KIB = 16 * 1024;
const OWNER_ONLY_FILE = 0o600;
/** Checked after a crash up to this size: half a second or so. Beyond it, damage is found where it is read. */
const MAX_CHECKED_BYTES = 256 * 1024 * 1024;

const SQLITE = { BUSY: 5, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const;

/** Code of the error when a file of the database is no longer in its folder. */
export const STORE_REMOVED = 'STORE_REMOVED';

/**
 * One SQLite file that nobody else can open: SQLite holds an exclusive lock on it, which the operating system ends with
 * the process. Everything here is synchronous: it runs in a thread of its own.
 */
export class Database {
  readonly path: string;
  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private readonly files: readonly { readonly path: string; readonly own: Stats }[];

  /**
   * @throws BoundaryError FAILED_PRECONDITION when a newer version wrote it; Error of the file system or of SQLite, see
   * `isBusy`, `isDamage`
   */
  constructor({ path, durable, walBytes, waitMs }: DatabaseOptions) {
    const isUnclean = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    makeFile(path);
    this.path = path;
    this.database = new DatabaseSync(path, { timeout: waitMs });
    try {
      this.database.exec('PRAGMA locking_mode = EXCLUSIVE');
      const version = this.readVersion();
      if (version === 0)
        this.database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
      const walPages = Math.max(MIN_WAL_PAGES, Math.floor(walBytes / PAGE_BYTES));
      this.database.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'};
        PRAGMA cache_size = -${CACHE_KIB};
        PRAGMA wal_autocheckpoint = ${walPages};
        PRAGMA journal_size_limit = ${walPages * PAGE_BYTES};
        PRAGMA secure_delete = ON;
      `);
      if (version === 0)
        this.database.exec(
          `BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id = ${randomInt(1, MAX_IDENTITY)}; COMMIT;`,
        );
      if (isUnclean && statSync(path).size <= MAX_CHECKED_BYTES) this.check();
      this.files = [path, `${path}-wal`].map((of) => ({ path: of, own: statSync(of) }));
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** Brings tables of version 1, which had no ties, up to date: all of it or nothing. */
  upgrade(makeTies: (database: Database) => void): void {
    if (this.pragma('user_version') === SCHEMA_VERSION) return;
    this.transaction(() => {
      this.database.exec(TIES);
      makeTies(this);
      this.database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    });
  }

  /** Another one in every database that was made: 1 to 2^31 - 1, and 0 in those of earlier versions. */
  get identity(): number {
    return this.pragma('application_id');
  }

  /** Of all files. */
  get bytes(): number {
    return this.files.reduce(
      (sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** What the file has: bytes of pages in use, and of free ones. */
  get pages(): { readonly used: number; readonly free: number } {
    const free = this.pragma('freelist_count');
    return { used: (this.pragma('page_count') - free) * PAGE_BYTES, free: free * PAGE_BYTES };
  }

  /** @throws Error STORE_REMOVED when what is written would be lost as soon as the files are closed */
  assertInPlace(): void {
    for (const { path, own } of this.files) {
      const named = statSync(path, { throwIfNoEntry: false });
      if (named?.ino === own.ino && named.dev === own.dev) continue;
      throw Object.assign(new Error('a file of the store is no longer in its folder'), {
        code: STORE_REMOVED,
      });
    }
  }

  /** All of the work is kept, or nothing. */
  transaction<T>(work: () => T): T {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk ends it by itself.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The statement, prepared once. */
  sql(sql: string): StatementSync {
    const held = this.statements.get(sql);
    if (held) return held;
    const made = this.database.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }

  /** The first column of the first row, which is a number; 0 when there is none. */
  number(sql: string, ...values: SQLInputValue[]): number {
    const row = this.sql(sql).get(...values);
    return row ? Number(Object.values(row)[0] ?? 0) : 0;
  }

  /** Makes the file smaller by up to so many bytes of free pages. */
  shrink(bytes: number): void {
    this.database.exec(`PRAGMA incremental_vacuum(${Math.ceil(bytes / PAGE_BYTES)})`);
  }

  /** Nothing is left in the write-ahead log; what was deleted in the database is overwritten as it is. */
  emptyLog(): void {
    this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Files that were removed are not written again. */
  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private pragma(name: string): number {
    return this.number(`PRAGMA ${name}`);
  }

  /** 0 when it is empty. */
  private readVersion(): number {
    const version = this.pragma('user_version');
    if (version <= SCHEMA_VERSION) return version;
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `the store has format ${version}, and this version reads ${SCHEMA_VERSION}: use the version that wrote it, or set another dataDir`,
    );
  }

  private check(): void {
    const answer = this.database.prepare('PRAGMA quick_check(1)').get();
    if (Object.values(answer ?? {})[0] !== 'ok')
      throw Object.assign(new Error('the database is damaged'), { errcode: SQLITE.CORRUPT });
  }
}

/** SQLite would make it readable for others, and gives what it makes beside it the same rights. */
function makeFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR', path });
  // To open and close a file would drop the locks that this process has on it.
  if (found) accessSync(path, constants.R_OK | constants.W_OK);
  else closeSync(openSync(path, 'a', OWNER_ONLY_FILE));
}

/** The code of SQLite without its details; undefined for other errors. */
function sqliteCode(error: unknown): number | undefined {
  const code = (error as { readonly errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Whether another program has it open. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE.BUSY;
}

/** Whether it does no good any more, however long one waits. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.CORRUPT || code === SQLITE.NOTADB;
}

/** What may be said of a failure: the code of the system, else the name of the error. */
export function codeOf(error: unknown): string {
  switch (sqliteCode(error)) {
    case SQLITE.FULL:
      return 'ENOSPC';
    case SQLITE.IOERR:
      return 'EIO';
    case SQLITE.READONLY:
      return 'EROFS';
    case SQLITE.CANTOPEN:
      return 'EACCES';
    case undefined:
      return (error as { readonly code?: string }).code ?? (error instanceof Error ? error.name : 'unknown');
    default:
      return `SQLITE_${sqliteCode(error)}`;
  }
}
