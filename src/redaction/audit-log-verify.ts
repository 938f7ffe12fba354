import { textIfThere } from '../base/file-system.ts';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CHAIN_RESTARTED } from './audit-log.ts';
import { lineHash, openHead, readLine, type ChainHead, type ChainPlace } from './audit-log-chain.ts';

/** What became of one log. */
export interface AuditVerdict {
  readonly file: string;
  readonly entries: number;
  /** The first thing that is wrong, and where; undefined when the chain holds. */
  readonly problem?: string;
  /** Nothing wrong, but worth saying. */
  readonly notes: readonly string[];
}

/**
 * Checks one audit log with its predecessor against the signed head: every entry follows the one before, nothing is
 * missing at the beginning, in the middle or at the end. The service may go on writing meanwhile.
 * @param path of the current file
 * @param key the redaction key of the data folder
 */
export async function verifyAuditLog(path: string, key: Uint8Array): Promise<AuditVerdict> {
  const file = basename(path);
  // The head first: what is appended meanwhile comes after it.
  const sealed = await textIfThere(`${path}.head`);
  const files = [`${path}.1`, path];
  const texts = await Promise.all(files.map(textIfThere));
  if (sealed === undefined) {
    const isEmpty = texts.every((text) => text === undefined);
    const problem = isEmpty ? `there is no ${file}, and no ${file}.head` : `${file}.head is missing`;
    return { file, entries: 0, problem, notes: [] };
  }
  const head = openHead(key, file, sealed);
  if (!head) {
    const problem = `${file}.head was changed, or made under another redaction.key`;
    return { file, entries: 0, problem, notes: [] };
  }
  const walk = new ChainWalk(head);
  for (const [index, text] of texts.entries()) {
    walk.take(basename(files[index] ?? ''), text ?? '', index === files.length - 1);
    if (walk.problem !== undefined) break;
  }
  walk.finish();
  const { entries, problem, notes } = walk;
  return { file, entries, notes, ...(problem !== undefined && { problem }) };
}

/** Both logs of a data folder. */
export async function verifyAuditFolder(
  dataDir: string,
  files: readonly string[],
): Promise<readonly AuditVerdict[]> {
  const key = await readFile(join(dataDir, 'redaction.key'));
  return Promise.all(files.map((file) => verifyAuditLog(join(dataDir, file), key)));
}

class ChainWalk {
  entries = 0;
  problem: string | undefined;
  readonly notes: string[] = [];
  private readonly head: ChainHead;
  private last: ChainPlace | undefined;
  private afterHead = 0;

  constructor(head: ChainHead) {
    this.head = head;
  }

  take(file: string, text: string, isCurrent: boolean): void {
    const lines = text.split('\n');
    const rest = lines.pop();
    for (const [index, line] of lines.entries()) {
      this.problem = this.step(line, `${file} line ${index + 1}`);
      if (this.problem !== undefined) return;
    }
    if (rest === undefined || rest === '') return;
    const unfinished = `${file} line ${lines.length + 1} is unfinished`;
    if (isCurrent) this.notes.push(`${unfinished}: a crash does that, and the next start cuts it off`);
    else this.problem = unfinished;
  }

  /** What is missing at the end. */
  finish(): void {
    if (this.afterHead > 0)
      this.notes.push(
        `${this.afterHead} entries are newer than the head: written just now, or before a crash`,
      );
    if (this.problem !== undefined) return;
    const { start, end } = this.head;
    const reached = this.last?.seq ?? start.seq;
    if (reached < end.seq) this.problem = `${missing(reached + 1, end.seq)} at the end: the log was cut off`;
  }

  /** @returns what is wrong with the line */
  private step(line: string, where: string): string | undefined {
    const said = readLine(line);
    if (!said) return `${where} is not an entry of the log`;
    const wrong = this.last ? follows(said, this.last, where) : begins(said, this.head.start, where);
    if (wrong !== undefined) return wrong;
    const place = { seq: said.seq, hash: lineHash(line) };
    const { end } = this.head;
    if (place.seq === end.seq && place.hash !== end.hash)
      return `${where} (entry ${place.seq}) is not what the head was signed for: it was changed`;
    if (said.event === CHAIN_RESTARTED)
      return `${where} (entry ${place.seq}): the head was missing or wrong when the service started, so nothing proves that the entries before it are complete`;
    if (place.seq > end.seq) this.afterHead++;
    this.last = place;
    this.entries++;
    return undefined;
  }
}

function begins(
  said: { readonly seq: number; readonly prev: string },
  start: ChainPlace,
  where: string,
): string | undefined {
  // A crash in the middle of a rotation leaves more than the head promises.
  if (said.seq <= start.seq) return undefined;
  if (said.seq > start.seq + 1) return `${missing(start.seq + 1, said.seq - 1)} before ${where}`;
  return said.prev === start.hash
    ? undefined
    : `${where} (entry ${said.seq}) does not follow what was dropped before it`;
}

function follows(
  said: { readonly seq: number; readonly prev: string },
  last: ChainPlace,
  where: string,
): string | undefined {
  if (said.seq > last.seq + 1) return `${missing(last.seq + 1, said.seq - 1)} before ${where}`;
  if (said.seq <= last.seq) return `${where}: entry ${said.seq} comes again after entry ${last.seq}`;
  if (said.prev === last.hash) return undefined;
  return `${where} (entry ${said.seq}) does not follow entry ${last.seq}: one of the two was changed`;
}

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}
