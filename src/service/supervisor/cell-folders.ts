import { existsSync } from 'node:fs';
import { copyFile, constants, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundaryError } from '../../base/boundary-error.ts';
import { hasCode } from '../../base/file-system.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { loadOrCreateKey } from '../../storage/key-file.ts';
import { STORE_FILE } from '../../storage/sqlite/open-store.ts';

/** Below the data folder, a folder for each cell: `0`, `1`, … */
export const CELLS_FOLDER = 'cells';
const OWNER_ONLY_FOLDER = 0o700;
const KEY_FILE = 'redaction.key';

/**
 * Whether the folder was used by as many cells, or fewer: what is in a folder of its own that no cell has is shown to nobody.
 * @throws BoundaryError FAILED_PRECONDITION, with what to do
 */
export async function checkCellFolders(dataDir: string, count: number): Promise<void> {
  const numbers = await cellNumbers(dataDir);
  if (existsSync(join(dataDir, STORE_FILE)))
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `dataDir ${dataDir} holds the history of one service: start it without cells, set another dataDir, or ${numbers.length === 0 ? `make it that of the first cell: ${asFirstCell(dataDir)}` : `move its ${STORE_FILE} away: there are cells in it as well`}`,
    );
  const unused = numbers.filter((number) => number >= count);
  if (unused.length === 0) return;
  const names = unused.map((number) => `cell-${number}`).join(', ');
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `dataDir ${dataDir} was used by more than ${count} cells, and the tasks of ${names} would not be shown: start with --cells ${Math.max(...numbers) + 1}, or move ${unused.map((number) => join(dataDir, CELLS_FOLDER, String(number))).join(', ')} away`,
  );
}

/**
 * For a start without cells.
 * @throws BoundaryError FAILED_PRECONDITION when the folder has the history of cells, which would not be shown
 */
export async function checkNoCellFolders({ dataDir, durability }: ServiceConfig): Promise<void> {
  if (durability === 'memory') return;
  const numbers = await cellNumbers(dataDir);
  if (numbers.length === 0) return;
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `dataDir ${dataDir} holds the history of cells: start with --cells ${Math.max(...numbers) + 1}, or set another dataDir`,
  );
}

/**
 * For what is done with a folder while no service runs: nothing of what cells have would be found, and a store that is made
 * beside them keeps them from starting.
 * @throws BoundaryError FAILED_PRECONDITION that names the folders of the cells
 */
export async function checkFolderOfOne(dataDir: string): Promise<void> {
  const numbers = await cellNumbers(dataDir);
  if (numbers.length === 0) return;
  const folders = numbers.toSorted((a, b) => a - b).map((number) => join(dataDir, CELLS_FOLDER, `${number}`));
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `dataDir ${dataDir} holds the history of cells: do it for each, with --data-dir ${folders.join(', ')}`,
  );
}

/**
 * All cells hide values by the same key, so that what is the same in several parts of a task is seen to be the same. A cell
 * that has a key, or a history, keeps what it has.
 * @param folders of the cells, the first one first
 */
export async function shareKey(dataDir: string, folders: readonly string[]): Promise<void> {
  const shared = join(dataDir, KEY_FILE);
  const [first] = folders;
  // The history of a former single service goes on with its key.
  if (first !== undefined) await copyIfAbsent(join(first, KEY_FILE), shared);
  await loadOrCreateKey(shared);
  for (const folder of folders) {
    if (existsSync(join(folder, STORE_FILE))) continue;
    try {
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
      await copyIfAbsent(shared, join(folder, KEY_FILE));
    } catch {
      // What keeps the folder from being used is said by its cell, and by it alone.
    }
  }
}

async function copyIfAbsent(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  }
}

async function cellNumbers(dataDir: string): Promise<readonly number[]> {
  try {
    const entries = await readdir(join(dataDir, CELLS_FOLDER), { withFileTypes: true });
    return entries.flatMap((entry) =>
      entry.isDirectory() && /^(?:0|[1-9]\d{0,5})$/.test(entry.name) ? [Number(entry.name)] : [],
    );
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** A command; the keys stay with the gateway. */
function asFirstCell(dataDir: string): string {
  const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;
  const [whole, moved, cells] = [dataDir, `${dataDir}.moved`, join(dataDir, CELLS_FOLDER)].map(quoted);
  const [first, keys] = [join(dataDir, CELLS_FOLDER, '0'), join(dataDir, CELLS_FOLDER, '0', 'keys.json')].map(
    quoted,
  );
  return `mv ${whole} ${moved} && mkdir -p -m 700 ${whole} ${cells} && mv ${moved} ${first} && { [ ! -e ${keys} ] || cp -p ${keys} ${whole}; }`;
}
