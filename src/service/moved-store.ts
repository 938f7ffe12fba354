import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundaryError } from '../base/boundary-error.ts';
import { systemClock } from '../base/clock.ts';
import { hasCode } from '../base/file-system.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { DEFAULT_PROJECT, isProjectName } from '../model/project-name.ts';
import { lockDataDir } from '../storage/data-dir-lock.ts';
import { dataDirProblem, makeDataDir } from '../storage/data-dir.ts';
import { readStoreFile, writeStoreFile } from '../storage/exported/store-file.ts';
import type { ProjectItem, StoredItem } from '../storage/exported/stored-items.ts';
import { loadOrCreateKey } from '../storage/key-file.ts';
import { codeOf, isDamage, type Database } from '../storage/sqlite/database.ts';
import { openDatabase, STORE_FILE } from '../storage/sqlite/open-store.ts';
import { readAll } from '../storage/sqlite/read-all.ts';
import { TakeIn } from '../storage/sqlite/take-in.ts';
import type { Logger } from '../telemetry/logger.ts';
import { PROJECTS_FOLDER, projectConfig } from './project/project-config.ts';
import { checkFolderOfOne } from './supervisor/cell-folders.ts';

export interface Exported {
  readonly projects: readonly string[];
  readonly records: number;
}

export interface Imported extends Exported {
  /** Projects whose redaction key here is another than where they come from. */
  readonly otherKeys: readonly string[];
  /** The store has more than `maxStoreBytes`: the oldest tasks go when the service starts. */
  readonly isOverFull: boolean;
}

/** Kept in one transaction: some ten milliseconds of work, whichever comes first. */
const BATCH_ITEMS = 512;
const BATCH_CHARS = 4 * 1024 * 1024;

/**
 * Writes all records of a data folder that no service uses, of all its projects, into one file.
 * @throws BoundaryError FAILED_PRECONDITION when a service uses the folder, there is no store in it, or the file is there
 */
export async function exportStore(config: ServiceConfig, logger: Logger, path: string): Promise<Exported> {
  const { dataDir } = config;
  await checkFolderOfOne(dataDir);
  const projects = await projectsIn(dataDir);
  if (projects.length === 0)
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `there is no store in ${dataDir}: name the data folder of the cell with --data-dir`,
    );
  return alone(dataDir, logger, async () => {
    const opened: { readonly project: ProjectItem; readonly database: Database }[] = [];
    try {
      for (const name of projects) {
        const project = await projectItem(config, name);
        opened.push({ project, database: openStoreOf(config, name) });
      }
      const records = await writeStoreFile(path, itemsOf(opened));
      return { projects, records };
    } finally {
      for (const { database } of opened) database.close();
    }
  });
}

/**
 * Puts what such a file has into a data folder that no service uses, beside what is there. The whole file is looked at before
 * anything is changed; interrupted, it can be done again.
 * @throws BoundaryError FAILED_PRECONDITION when a service uses the folder, or the file cannot be used
 */
export async function importStore(config: ServiceConfig, logger: Logger, path: string): Promise<Imported> {
  const { dataDir, zeroDataRetention } = config;
  if (zeroDataRetention)
    throw new BoundaryError('FAILED_PRECONDITION', 'with zeroDataRetention nothing is imported');
  await checkFolderOfOne(dataDir);
  await lookThrough(path);
  await makeDataDir(dataDir, logger);
  return alone(dataDir, logger, async () => {
    const projects: string[] = [];
    const otherKeys: string[] = [];
    let records = 0;
    let bytes = 0;
    for await (const { project, items } of byProject(readStoreFile(path))) {
      projects.push(project.name);
      await makeDataDir(projectConfig(config, project.name).dataDir, logger);
      const keepsMarkers = (await projectItem(config, project.name)).key === project.key;
      if (!keepsMarkers) otherKeys.push(project.name);
      const database = openStoreOf(config, project.name);
      try {
        records += await takeIn(new TakeIn(database, keepsMarkers), items);
        database.emptyLog();
        bytes += database.bytes;
      } finally {
        database.close();
      }
    }
    return { projects, records, otherKeys, isOverFull: bytes > config.maxStoreBytes };
  });
}

async function lookThrough(path: string): Promise<void> {
  for await (const item of readStoreFile(path)) {
    if (item.kind !== 'project' || isProjectName(item.name)) continue;
    throw new BoundaryError('FAILED_PRECONDITION', `${path} is damaged or not whole: export it again`);
  }
}

async function takeIn(into: TakeIn, items: AsyncIterable<StoredItem>): Promise<number> {
  let records = 0;
  let batch: StoredItem[] = [];
  let chars = 0;
  const flush = (): void => {
    into.put(batch, systemClock.now());
    batch = [];
    chars = 0;
  };
  for await (const item of items) {
    batch.push(item);
    const behind = item.kind === 'live' ? [item] : item.records;
    records += behind.length;
    for (const { facts, texts } of behind) chars += facts.length + texts.length;
    if (batch.length >= BATCH_ITEMS || chars >= BATCH_CHARS) flush();
  }
  flush();
  return records;
}

interface ProjectItems {
  readonly project: ProjectItem;
  /** To be read before the next project is asked for. */
  readonly items: AsyncGenerator<StoredItem>;
}

async function* byProject(all: AsyncGenerator<ProjectItem | StoredItem>): AsyncGenerator<ProjectItems> {
  let next = await all.next();
  async function* items(): AsyncGenerator<StoredItem> {
    for (
      next = await all.next();
      next.done !== true && next.value.kind !== 'project';
      next = await all.next()
    )
      yield next.value;
  }
  while (next.done !== true) {
    if (next.value.kind !== 'project') return;
    yield { project: next.value, items: items() };
  }
}

function* itemsOf(
  opened: readonly { readonly project: ProjectItem; readonly database: Database }[],
): Generator<ProjectItem | StoredItem> {
  for (const { project, database } of opened) {
    yield project;
    yield* readAll(database);
  }
}

/** The projects with a store, the default one first. */
async function projectsIn(dataDir: string): Promise<readonly string[]> {
  const named = await readdir(join(dataDir, PROJECTS_FOLDER)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw dataDirProblem(dataDir, error);
  });
  const withStore = named
    .filter((name) => isProjectName(name) && existsSync(join(dataDir, PROJECTS_FOLDER, name, STORE_FILE)))
    .sort();
  return existsSync(join(dataDir, STORE_FILE)) ? [DEFAULT_PROJECT, ...withStore] : withStore;
}

async function projectItem(config: ServiceConfig, name: string): Promise<ProjectItem> {
  const key = await loadOrCreateKey(join(projectConfig(config, name).dataDir, 'redaction.key'));
  const shown = createHmac('sha256', key).update('which key a store was written with').digest('base64url');
  return { kind: 'project', name, key: shown };
}

function openStoreOf(config: ServiceConfig, name: string): Database {
  const { dataDir } = projectConfig(config, name);
  return openDatabase({ dataDir, durable: true, maxBytes: config.maxStoreBytes }, STORE_FILE);
}

/** With the folder locked. */
async function alone<T>(dataDir: string, logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    const lock = await lockDataDir({ dataDir, waitMs: 0, clock: systemClock, logger });
    try {
      return await work();
    } finally {
      lock.release();
    }
  } catch (error) {
    throw problemOf(dataDir, error);
  }
}

function problemOf(dataDir: string, error: unknown): unknown {
  if (isDamage(error))
    return new BoundaryError(
      'FAILED_PRECONDITION',
      `the store in ${dataDir} is damaged: start the service on it once, which keeps what can be read of it`,
      { cause: error },
    );
  if (codeOf(error) === 'ENOSPC')
    return new BoundaryError('UNAVAILABLE', 'the disk is full (ENOSPC): make room, and do it again', {
      cause: error,
    });
  return dataDirProblem(dataDir, error);
}
