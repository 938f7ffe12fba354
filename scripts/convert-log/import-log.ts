import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ErasureOrder } from '../../src/storage/record-store.ts';
import type { Database } from '../../src/storage/sqlite/database.ts';
import { OLD_LOG } from '../../src/storage/sqlite/open-store.ts';
import { Records } from '../../src/storage/sqlite/records.ts';
import { readOldLog, type OldEntry } from './old-log.ts';
import { makeTies } from '../../src/storage/sqlite/tied-nodes.ts';

const SEGMENT = /^\d{8}\.seg(\.tmp)?$/;
/** Of earlier versions: beside the log, and made from it. */
const OLD_INDEX = ['', '-wal', '-shm', '.damaged'].map((ending) => `explain_index.db${ending}`);
/** Between the files of a log as they are told. */
const FILES = ', ';
/** Entries taken over in one transaction. */
const BATCH = 512;

/** Which log of an earlier version there is: its files and their sizes; undefined when there is none. */
export function oldLogIn(dataDir: string): string | undefined {
  const folder = join(dataDir, OLD_LOG);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return undefined;
  const segments = readdirSync(folder).filter((name) => SEGMENT.test(name));
  if (segments.length === 0) return undefined;
  return segments
    .sort()
    .map((name) => `${name} ${statSync(join(folder, name)).size}`)
    .join(FILES);
}

/** Takes over what the log of an earlier version holds. @returns how many records that were */
export function importLog(dataDir: string, oldLog: string, database: Database): number {
  const records = new Records(database);
  let count = 0;
  let batch: OldEntry[] = [];
  const flush = (): void => {
    records.transaction(() => batch.forEach((entry) => take(records, entry)));
    batch = [];
  };
  for (const entry of readOldLog(join(dataDir, OLD_LOG))) {
    if (entry.kind === 'record') count++;
    batch.push(entry);
    if (batch.length === BATCH) flush();
  }
  flush();
  database.transaction(() => makeTies(database));
  database.sql('UPDATE content SET has_texts = 1, old_log = ?').run(oldLog);
  return count;
}

/** Whether nothing came to it since: some of it may have been removed already. */
export function wasTakenOver(oldLog: string, takenOver: string | undefined): boolean {
  const known = new Set(takenOver?.split(FILES));
  return oldLog.split(FILES).every((file) => known.has(file));
}

/** What was taken over, and before that what was derived from it; nothing else that stands there. */
export function removeOldLog(dataDir: string): void {
  const folder = join(dataDir, OLD_LOG);
  for (const name of OLD_INDEX) rmSync(join(dataDir, name), { force: true });
  for (const name of readdirSync(folder)) if (SEGMENT.test(name)) rmSync(join(folder, name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

interface OldNode {
  readonly node: { readonly id: string };
  readonly sources: readonly string[];
}

function take(records: Records, entry: OldEntry): void {
  switch (entry.kind) {
    case 'record':
      records.put(
        [String(entry.source), entry.part, entry.rank, String(entry.facts), String(entry.texts)],
        entry.time,
      );
      break;
    case 'left': {
      const nodes = JSON.parse(entry.nodes) as readonly OldNode[];
      // An erased node stands there without an id.
      for (const node of nodes.filter((left) => left.node.id !== ''))
        records.put([String(entry.task), node.node.id, node.sources, JSON.stringify(node)], entry.time);
      break;
    }
    case 'erase': {
      const order = JSON.parse(entry.order) as ErasureOrder & {
        left?: readonly string[];
        nodes?: readonly string[];
      };
      const sources = [...order.sources, ...(order.left ?? []), ...(order.nodes ?? [])];
      records.bury({ tasks: order.tasks, sources }, entry.time);
      break;
    }
  }
}
