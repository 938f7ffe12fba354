import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Facts } from '../../model/facts.ts';
import type { SourceTexts } from '../text-store.ts';
import { hasCode } from '../fs-error.ts';
import { isFacts, isTextEntry } from './facts-check.ts';
import { FORMAT_WITH_RECORDS, HEAD_LINE, SNAPSHOT_FORMAT, TAIL_LINE } from './snapshot-format.ts';

export interface OldState {
  readonly facts: readonly Facts[];
  readonly texts: readonly (readonly [sourceKey: string, texts: SourceTexts])[];
}

export type ReadSnapshot =
  /** There is none, or none with records. */
  | { readonly kind: 'absent' }
  /** `unusable`: entries that are JSON, but not facts or texts; they are left out. */
  | { readonly kind: 'read'; readonly state: OldState; readonly unusable: number }
  | { readonly kind: 'newer'; readonly format: number }
  | { readonly kind: 'damaged' };

/** A file in another layout is read in one piece, as long as that is sure to fit into one string. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024;
/** No line of ours comes near: requests are smaller. Beyond V8's longest string it could not be read at all. */
const MAX_LINE_CHARS = 256 * 1024 * 1024;

/** Reads the records of a snapshot that has some. @throws Error of the file system, except that there is no file */
export async function readSnapshot(path: string): Promise<ReadSnapshot> {
  const size = await fileSize(path);
  if (size === undefined) return { kind: 'absent' };
  const collected = new Collected();
  let format: number | undefined;
  let complete = false;
  let section = '';
  try {
    for await (const line of lines(path)) {
      if (format === undefined) {
        const head = HEAD_LINE.exec(line);
        if (!head) return await readWhole(path, size);
        format = Number(head[1]);
        if (format !== FORMAT_WITH_RECORDS) return otherFormat(format);
      } else if (line.startsWith('"')) {
        section = line.slice(1, line.indexOf('"', 1));
      } else if (line === TAIL_LINE) {
        complete = section === 'texts';
      } else if (line !== '' && line !== '],') {
        if (section === 'facts') collected.fact(parseItem(line));
        else if (section === 'texts') collected.text(parseItem(line));
      }
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return { kind: 'damaged' };
    throw error;
  }
  return complete ? collected.result() : { kind: 'damaged' };
}

/** An item stands on its line with the comma that parts it from the next. */
function parseItem(line: string): unknown {
  return JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as unknown;
}

/** A file that another program has laid out anew. */
async function readWhole(path: string, size: number): Promise<ReadSnapshot> {
  if (size > MAX_WHOLE_BYTES) return { kind: 'damaged' };
  const value = JSON.parse(await readFile(path, 'utf8')) as unknown;
  if (typeof value !== 'object' || value === null || !('format' in value)) return { kind: 'damaged' };
  if (value.format !== FORMAT_WITH_RECORDS) return otherFormat(value.format);
  const collected = new Collected();
  if (!('facts' in value) || !Array.isArray(value.facts)) return { kind: 'damaged' };
  for (const fact of value.facts as unknown[]) collected.fact(fact);
  if ('texts' in value && Array.isArray(value.texts))
    for (const text of value.texts as unknown[]) collected.text(text);
  return collected.result();
}

function otherFormat(format: unknown): ReadSnapshot {
  if (format === SNAPSHOT_FORMAT) return { kind: 'absent' };
  const newer = typeof format === 'number' && Number.isInteger(format) && format > SNAPSHOT_FORMAT;
  return newer ? { kind: 'newer', format } : { kind: 'damaged' };
}

class Collected {
  private readonly facts: Facts[] = [];
  private readonly texts: (readonly [string, SourceTexts])[] = [];
  private unusable = 0;

  fact(value: unknown): void {
    if (isFacts(value)) this.facts.push(value);
    else this.unusable++;
  }

  text(value: unknown): void {
    if (isTextEntry(value)) this.texts.push(value);
    else this.unusable++;
  }

  /** Oldest first again, so that a cache that is filled in this order forgets the oldest first. */
  result(): ReadSnapshot {
    const state = { facts: this.facts.reverse(), texts: this.texts.reverse() };
    return { kind: 'read', state, unusable: this.unusable };
  }
}

async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * The lines of a file, parted by `\n` alone: JSON may hold U+2028, at which `node:readline` would part as well.
 * @throws RangeError when a line is too long
 */
async function* lines(path: string): AsyncGenerator<string> {
  let unfinished: string[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const parts = String(chunk).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield unfinished.length === 0 ? part : unfinished.join('') + part;
      unfinished = [];
      length = 0;
    }
    unfinished.push(last);
    length += last.length;
    if (length > MAX_LINE_CHARS) throw new RangeError('line too long');
  }
  yield unfinished.join('');
}
