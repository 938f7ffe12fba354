import { hasCode } from '../base/file-system.ts';
import { mkdir, open, readFile, rename, truncate } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';
import {
  CHAIN_BEGIN,
  chained,
  lineHash,
  openHead,
  readLine,
  sealHead,
  type AuditRecord,
  type ChainHead,
  type ChainPlace,
} from './audit-log-chain.ts';

/** What was hidden, where and by which rule; never the value. */
export interface AuditEntry {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly rule: string;
  readonly node: string;
  readonly field: string;
  /** Of the hidden text, in UTF-16 units. */
  readonly length: number;
}

export interface AuditSink {
  /** Never throws and never waits. */
  write(entry: AuditEntry): void;
}

export const noAudit: AuditSink = { write() {} };

/** About 1.5 MB of entries wait at most while the disk is slow; what comes then is counted instead. */
const MAX_BUFFERED = 10_000;
/** The file and its one predecessor hold at most twice this. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** Entry which says that the earlier entries can no longer be verified. */
export const CHAIN_RESTARTED = 'chain restarted';

/** What is hidden goes into one log, and who looked behind it into another, which no flood of the first can push out. */
export const AUDIT_FILES = ['audit.ndjson', 'audit-access.ndjson'] as const;

export interface AuditLogOptions {
  readonly path: string;
  /** Signs where the log ends. */
  readonly key: Uint8Array;
  readonly logger: Logger;
  readonly maxFileBytes?: number;
  readonly maxBuffered?: number;
}

interface Waiting {
  readonly record: AuditRecord;
  /** Somebody waits until it is on the disk. */
  readonly settle?: (error?: unknown) => void;
}

/**
 * Appends entries to an NDJSON file, each chained to the one before by its hash. A full file becomes `<path>.1`,
 * whose predecessor goes. `<path>.head` says, signed, where the kept chain begins and ends.
 */
export class AuditLog implements AuditSink {
  private readonly options: AuditLogOptions;
  private readonly maxBytes: number;
  private readonly maxBuffered: number;
  private buffer: Waiting[] = [];
  private lost = 0;
  private size = 0;
  /** undefined until the files were looked at. */
  private head: ChainHead | undefined;
  /** Where the file begins. */
  private fileStart: ChainPlace = CHAIN_BEGIN;
  private writing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.options = options;
    this.maxBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    this.maxBuffered = options.maxBuffered ?? MAX_BUFFERED;
  }

  write(entry: AuditEntry): void {
    if (this.buffer.length >= this.maxBuffered) this.lost++;
    else this.buffer.push({ record: { ...entry } });
    this.writing ??= this.drain();
  }

  /** Resolves when the entry is on the disk. @throws Error when it could not be put there */
  record(record: AuditRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void =>
        error === undefined ? resolve() : reject(error instanceof Error ? error : new Error('not written'));
      if (this.buffer.length >= this.maxBuffered) return settle(new Error('the audit log is full'));
      this.buffer.push({ record, settle });
      this.writing ??= this.drain();
    });
  }

  /** Makes the head of a new log, so that its absence means something from then on. Never rejects. */
  async open(): Promise<void> {
    this.writing ??= this.drain();
    await this.flush();
  }

  /** Resolves when everything written so far is in the file, or could not be put there. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing;
  }

  /** Its entries, the newest first. @param before the `seq` that they are below */
  async page(
    limit: number,
    before = Infinity,
    values: Readonly<Record<string, string>> = {},
  ): Promise<readonly AuditRecord[]> {
    await this.flush();
    const wanted = Object.entries(values);
    const found: AuditRecord[] = [];
    for (const file of [this.options.path, `${this.options.path}.1`]) {
      const lines = (await readIfThere(file)).toString('utf8').split('\n').slice(0, -1);
      for (const line of lines.reverse()) {
        if (found.length === limit) return found;
        const at = readLine(line);
        if (!at || at.seq >= before) continue;
        const record = JSON.parse(line) as AuditRecord;
        if (wanted.every(([name, value]) => record[name] === value)) found.push(record);
      }
    }
    return found;
  }

  private async drain(): Promise<void> {
    // Lets the batch that is being redacted finish, so that it becomes one write.
    await Promise.resolve();
    do {
      const entries = this.buffer;
      const { lost } = this;
      this.buffer = [];
      this.lost = 0;
      const records = entries.map(({ record }) => record);
      if (lost > 0) records.push({ time: entries.at(-1)?.record['time'] ?? 0, lostEntries: lost });
      const isAwaited = entries.some(({ settle }) => settle !== undefined);
      try {
        await this.append(records, isAwaited);
        for (const { settle } of entries) settle?.();
      } catch (error) {
        for (const { settle } of entries) settle?.(error);
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        this.options.logger.error(
          { entries: entries.length + lost, code },
          'redaction audit log not written',
        );
        // How much of it reached the disk is read again from the file.
        this.head = undefined;
      }
    } while (this.buffer.length > 0 || this.lost > 0);
    this.writing = undefined;
  }

  private async append(records: readonly AuditRecord[], isAwaited: boolean): Promise<void> {
    const { path } = this.options;
    let head = this.head ?? (await this.recover());
    if (records.length > 0 && this.size >= this.maxBytes) {
      // The new beginning is signed first: after a crash in between there is more than is promised, never less.
      head = await this.sign({ ...head, start: this.fileStart });
      await rename(path, `${path}.1`);
      this.size = 0;
      this.fileStart = head.end;
    }
    let end = head.end;
    const lines = records.map((record) => {
      const { line, place } = chained(record, end);
      end = place;
      return `${line}\n`;
    });
    if (lines.length > 0) this.size += await appendTo(path, lines.join(''), isAwaited);
    this.head = await this.sign({ ...head, end });
  }

  private async sign(head: ChainHead): Promise<ChainHead> {
    const { path, key } = this.options;
    const file = `${path}.head`;
    await replaceFile(file, sealHead(key, basename(path), head));
    return head;
  }

  /** Finds where the log of an earlier run ends, and cuts a line that a crash left unfinished. */
  private async recover(): Promise<ChainHead> {
    const { path, key } = this.options;
    await mkdir(dirname(path), { recursive: true });
    const text = await readIfThere(path);
    const whole = text.subarray(0, text.lastIndexOf(LINE_BREAK) + 1);
    if (whole.length < text.length) await truncate(path, whole.length);
    this.size = whole.length;
    const lines = whole.toString('utf8').split('\n').slice(0, -1);
    const head = openHead(key, basename(path), (await readIfThere(`${path}.head`)).toString('utf8'));
    const first = readLine(lines[0] ?? '');
    const last = lastPlace(lines);
    this.fileStart = first ? { seq: first.seq - 1, hash: first.prev } : (head?.end ?? CHAIN_BEGIN);
    if (!head) return lines.length === 0 ? FRESH : this.restart(last ?? CHAIN_BEGIN);
    // A log that ends before its head stays visibly so: the next entry follows the one that is missing.
    return last === undefined || last.seq < head.end.seq ? head : { ...head, end: last };
  }

  private async restart(last: ChainPlace): Promise<ChainHead> {
    const { path, logger } = this.options;
    logger.error(
      { file: basename(path) },
      'the head of the audit log is missing or wrong: the chain goes on, marked',
    );
    const { line, place } = chained({ event: CHAIN_RESTARTED, time: Date.now() }, last);
    this.size += await appendTo(path, `${line}\n`, true);
    return this.sign({ start: this.fileStart, end: place });
  }
}

const LINE_BREAK = 0x0a;
const FRESH: ChainHead = { start: CHAIN_BEGIN, end: CHAIN_BEGIN };

function lastPlace(lines: readonly string[]): ChainPlace | undefined {
  const line = lines.at(-1);
  const said = line === undefined ? undefined : readLine(line);
  return line === undefined || said === undefined ? undefined : { seq: said.seq, hash: lineHash(line) };
}

async function appendTo(path: string, text: string, isDurable: boolean): Promise<number> {
  const bytes = Buffer.from(text);
  const file = await open(path, 'a', OWNER_ONLY);
  try {
    await file.appendFile(bytes);
    if (isDurable) await file.datasync();
  } finally {
    await file.close();
  }
  return bytes.length;
}

/** Written aside and renamed, so that a crash leaves the old one or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.tmp`;
  const file = await open(aside, 'w', OWNER_ONLY);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  await rename(aside, path);
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}
