import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../telemetry/logger.ts';

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

/** About 1.5 MB of lines wait at most while the disk is slow; what comes then is counted instead. */
const MAX_BUFFERED = 10_000;
/** The file and its one predecessor hold at most twice this. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface AuditLogOptions {
  readonly path: string;
  readonly logger: Logger;
  readonly maxFileBytes?: number;
  readonly maxBuffered?: number;
}

/** Appends entries to an NDJSON file. A full file becomes `<path>.1`, whose predecessor goes. */
export class AuditLog implements AuditSink {
  private readonly options: AuditLogOptions;
  private readonly maxBytes: number;
  private readonly maxBuffered: number;
  private buffer: AuditEntry[] = [];
  private lost = 0;
  private size: number | undefined;
  private writing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.options = options;
    this.maxBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    this.maxBuffered = options.maxBuffered ?? MAX_BUFFERED;
  }

  write(entry: AuditEntry): void {
    if (this.buffer.length >= this.maxBuffered) this.lost++;
    else this.buffer.push(entry);
    this.writing ??= this.drain();
  }

  /** Resolves when everything written so far is in the file, or could not be put there. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing;
  }

  private async drain(): Promise<void> {
    // Lets the batch that is being redacted finish, so that it becomes one write.
    await Promise.resolve();
    while (this.buffer.length > 0 || this.lost > 0) {
      const entries = this.buffer;
      const { lost } = this;
      this.buffer = [];
      this.lost = 0;
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
      if (lost > 0) lines.push(`${JSON.stringify({ time: entries.at(-1)?.time ?? 0, lostEntries: lost })}\n`);
      try {
        await this.append(lines.join(''));
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        this.options.logger.error(
          { entries: entries.length + lost, code },
          'redaction audit log not written',
        );
      }
    }
    this.writing = undefined;
  }

  private async append(text: string): Promise<void> {
    const { path } = this.options;
    if (this.size === undefined) {
      await mkdir(dirname(path), { recursive: true });
      this.size = await stat(path).then(
        (found) => found.size,
        () => 0,
      );
    }
    if (this.size >= this.maxBytes) {
      await rename(path, `${path}.1`);
      this.size = 0;
    }
    await appendFile(path, text, { mode: 0o600 });
    this.size += Buffer.byteLength(text);
  }
}
