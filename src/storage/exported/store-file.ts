import { createReadStream } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BoundaryError } from '../../base/boundary-error.ts';
import { hasCode } from '../../base/file-system.ts';
import { FILE_VERSION, FIRST_LINE, itemIn, lineOf, versionIn, type FileItem } from './file-lines.ts';
import type { ProjectItem, StoredItem } from './stored-items.ts';

const OWNER_ONLY_FILE = 0o600;
/** A node with all records behind it is one line; the largest are thoughts of some millions of characters. */
const MAX_LINE_CHARS = 256 * 1024 * 1024;

/**
 * Writes what stores have into one compressed file, for its owner alone. It has its name when it is whole.
 * @returns how many records there are
 * @throws BoundaryError FAILED_PRECONDITION when there is such a file; Error of the file system or of SQLite
 */
export async function writeStoreFile(
  path: string,
  items: Iterable<ProjectItem | StoredItem>,
): Promise<number> {
  await assertFree(path);
  let records = 0;
  function* lines(): Generator<string> {
    yield `${FIRST_LINE}\n`;
    for (const item of items) {
      if (item.kind !== 'project') records += item.kind === 'live' ? 1 : item.records.length;
      yield `${lineOf(item)}\n`;
    }
    yield `${lineOf({ kind: 'end', records })}\n`;
  }
  const aside = `${path}.part`;
  const file = await open(aside, 'w', OWNER_ONLY_FILE);
  try {
    await pipeline(Readable.from(lines()), createGzip(), file.createWriteStream({ flush: true }));
    await rename(aside, path);
  } catch (error) {
    await unlink(aside).catch(() => {});
    throw error;
  }
  return records;
}

/**
 * What such a file says, in its order, without the last line.
 * @throws BoundaryError FAILED_PRECONDITION when it is none, is damaged or of a newer version: the message says which
 */
export async function* readStoreFile(path: string): AsyncGenerator<ProjectItem | StoredItem> {
  let records = 0;
  let last: FileItem['kind'] | undefined;
  for await (const { item, line } of itemsOf(path)) {
    if (last === 'end' || (last === undefined && item.kind !== 'project')) throw damaged(path, line);
    last = item.kind;
    if (item.kind === 'end') {
      if (item.records !== records) throw damaged(path, line);
      continue;
    }
    if (item.kind !== 'project') records += item.kind === 'live' ? 1 : item.records.length;
    yield item;
  }
  if (last !== 'end') throw damaged(path);
}

async function* itemsOf(path: string): AsyncGenerator<{ readonly item: FileItem; readonly line: number }> {
  let line = 0;
  for await (const text of linesOf(path)) {
    line++;
    if (line === 1) {
      assertReadable(path, text);
      continue;
    }
    const item = itemIn(text);
    if (!item) throw damaged(path, line);
    yield { item, line };
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const text = createGunzip().setEncoding('utf8');
  const source = createReadStream(path).on('error', (error) => text.destroy(error));
  source.pipe(text);
  try {
    let begun = '';
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = (begun + chunk).split('\n');
      begun = lines.pop() ?? '';
      yield* lines;
      if (begun.length > MAX_LINE_CHARS) throw damaged(path);
    }
    if (begun !== '') yield begun;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    source.destroy();
    text.destroy();
  }
}

function assertReadable(path: string, firstLine: string): void {
  const version = versionIn(firstLine);
  if (version === undefined) throw noStoreFile(path);
  if (version <= FILE_VERSION) return;
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `${path} was written by a newer version (format ${version}, this one reads ${FILE_VERSION}): import it with that version`,
  );
}

async function assertFree(path: string): Promise<void> {
  try {
    await (await open(path)).close();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  throw new BoundaryError('FAILED_PRECONDITION', `${path} is there already: name another file`);
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BoundaryError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'Z_DATA_ERROR' && error.message.includes('header')) return noStoreFile(path);
  if (code.startsWith('Z_')) return damaged(path);
  if (code === 'ENOENT') return new BoundaryError('FAILED_PRECONDITION', `${path} does not exist`);
  return new BoundaryError('FAILED_PRECONDITION', `${path} cannot be read (${code})`);
}

function noStoreFile(path: string): BoundaryError {
  return new BoundaryError(
    'FAILED_PRECONDITION',
    `${path} is no file that "store export" wrote: nothing was imported`,
  );
}

function damaged(path: string, line?: number): BoundaryError {
  const where = line === undefined ? '' : ` (line ${line})`;
  return new BoundaryError('FAILED_PRECONDITION', `${path} is damaged or not whole${where}: export it again`);
}
