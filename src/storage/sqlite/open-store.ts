import { linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BoundaryError } from '../../base/boundary-error.ts';
import { putAsideName, removePutAside } from '../put-aside.ts';
import { codeOf, Database, isBusy, isDamage } from './database.ts';
import { salvage } from './salvage.ts';
import type { Say } from './say.ts';
import { StoreCore, type CoreOptions } from './store-core.ts';
import { makeTies } from './tied-nodes.ts';

/** Where the database is. */
export interface StorePlace {
  readonly dataDir: string;
  /** `fsync`: what was appended is on the disk before it is answered. */
  readonly durable: boolean;
  /** Of all files of the store. */
  readonly maxBytes: number;
}

export interface StoreFolder extends StorePlace, CoreOptions {}

export const STORE_FILE = 'explain.db';
/** Of earlier versions: a folder of segments. */
export const OLD_LOG = 'log';
/** What is being made to become the store; what an interrupted start left of it is made again. */
const NEW_FILE = `${STORE_FILE}.new`;
const MAX_WAL_BYTES = 8 * 1024 * 1024;
/** Of the bound of the whole store. */
const MAX_WAL_SHARE = 1 / 32;
/** Another program that looks into the database holds it for a moment, not for longer. */
const BUSY_MS = 3000;

/**
 * Opens the store in a folder. A database that is damaged is put aside, and what can be read of it is kept.
 * @param isDamaged whether that is known already
 * @throws BoundaryError FAILED_PRECONDITION when another program uses it, or an earlier version with a log or a newer one
 * wrote it; Error of the system
 */
export function openStore(folder: StoreFolder, isDamaged = false): StoreCore {
  const { dataDir } = folder;
  if (holdsOldLog(dataDir))
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `dataDir ${dataDir} holds the log of an earlier version: "npm run store:convert -- ${dataDir}" in a clone of the sources takes it into the store; or move the folder ${OLD_LOG} away`,
    );
  return openOrRepair(folder, isDamaged);
}

function holdsOldLog(dataDir: string): boolean {
  const path = join(dataDir, OLD_LOG);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && readdirSync(path).some((name) => /^\d{8}\.seg(\.tmp)?$/.test(name));
}

function openOrRepair(folder: StoreFolder, isDamaged: boolean): StoreCore {
  if (!isDamaged) {
    try {
      return openCore(folder);
    } catch (error) {
      if (!isDamage(error)) throw error;
      sayDamaged(folder.say, error);
    }
  }
  repair(folder);
  return openCore(folder);
}

export function sayDamaged(say: Say, error: unknown): void {
  const fields = { code: codeOf(error) };
  say('error', fields, 'the database of the store is damaged: what can be read of it is copied');
}

function openCore(folder: StoreFolder): StoreCore {
  const database = openDatabase(folder, STORE_FILE);
  try {
    return new StoreCore(database, folder);
  } catch (error) {
    database.close();
    throw error;
  }
}

function repair(folder: StoreFolder): void {
  const { dataDir, say } = folder;
  const path = join(dataDir, STORE_FILE);
  const aside = putAsideName(STORE_FILE, Date.now());
  makeStore(folder, (made) => {
    const records = salvage(path, made);
    // Only one is kept: it is as large as the store.
    removePutAside(dataDir, STORE_FILE);
    linkSync(path, join(dataDir, aside));
    const fields = { records, movedTo: aside };
    say('error', fields, 'the store was damaged: it is put aside, and what could be read of it is kept');
  });
}

/** Makes another database, which takes the place of the store when it is complete. */
export function makeStore(folder: StorePlace, fill: (made: Database) => void): void {
  const path = join(folder.dataDir, STORE_FILE);
  const wal = `${path}-wal`;
  for (const ending of ['', '-wal']) rmSync(join(folder.dataDir, NEW_FILE + ending), { force: true });
  const made = openDatabase(folder, NEW_FILE);
  try {
    fill(made);
  } finally {
    made.close();
  }
  // A log that is of another database would be written into it.
  rmSync(wal, { force: true });
  renameSync(join(folder.dataDir, NEW_FILE), path);
}

export function openDatabase({ dataDir, durable, maxBytes }: StorePlace, name: string): Database {
  const walBytes = Math.min(MAX_WAL_BYTES, maxBytes * MAX_WAL_SHARE);
  try {
    const database = new Database({ path: join(dataDir, name), durable, walBytes, waitMs: BUSY_MS });
    return upgraded(database);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `${name} in dataDir ${dataDir} is in use by another program: stop it, or set another dataDir`,
    );
  }
}

/** With the tables of this version. */
function upgraded(database: Database): Database {
  try {
    database.upgrade(makeTies);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
