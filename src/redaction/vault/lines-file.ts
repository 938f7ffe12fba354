import { hasCode, syncFolder } from '../../base/file-system.ts';
import { createReadStream } from 'node:fs';
import { open, rename, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const LINE_BREAK = 0x0a;
/** Lines are collected to so much before they are written. */
const SLICE_BYTES = 256 * 1024;

/** Appends lines with one write. @returns the bytes that were written */
export async function appendLines(path: string, lines: readonly string[]): Promise<number> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const file = await open(path, 'a', OWNER_ONLY);
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  return bytes.length;
}

/** Replaces a file by these lines: a crash leaves the old one or the new one. @returns its size in bytes */
export async function replaceLines(
  path: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<number> {
  const aside = `${path}.tmp`;
  const file = await open(aside, 'w', OWNER_ONLY);
  let size = 0;
  try {
    let slice: string[] = [];
    let pending = 0;
    const flush = async (): Promise<void> => {
      const bytes = Buffer.from(slice.join(''));
      await file.appendFile(bytes);
      size += bytes.length;
      slice = [];
      pending = 0;
    };
    for await (const line of lines) {
      slice.push(`${line}\n`);
      pending += line.length;
      if (pending >= SLICE_BYTES) await flush();
    }
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  await syncFolder(dirname(path));
  return size;
}

/** The whole lines of a file, from its beginning; nothing when there is no file. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, from)) {
        yield bytes.toString('utf8', from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Cuts what a crash left behind the last whole line. @returns the lines, if `keep`, and the size in bytes */
export async function readLines(
  path: string,
  each?: (line: string, bytes: number) => void,
): Promise<{ readonly lines: readonly string[]; readonly bytes: number }> {
  const lines: string[] = [];
  let bytes = 0;
  for await (const line of linesOf(path)) {
    const length = Buffer.byteLength(line) + 1;
    bytes += length;
    if (each) each(line, length);
    else lines.push(line);
  }
  await cutTo(path, bytes);
  return { lines, bytes };
}

async function cutTo(path: string, bytes: number): Promise<void> {
  try {
    await truncate(path, bytes);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
