import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { appendLines, linesOf, readLines, replaceLines } from './lines-file.ts';
import type { Original, OriginalsSink } from './originals.ts';
import { type Group, VaultGroups } from './vault-groups.ts';
import { entryLine, markerOf, openEntry, readEntry } from './vault-entry.ts';
import { type DataKey, VaultKeys } from './vault-keys.ts';

export interface VaultOptions {
  /** Holds the two files of the vault; made when it is not there. */
  readonly folder: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** Of the sealed originals on disk; while they are rewritten, what stays stands there twice. */
  readonly maxBytes: number;
  /** The task that a record belongs to now; undefined when it is not in the graph, and then nothing is kept of it. */
  readonly taskOf: (source: string) => string | undefined;
  readonly logger: Logger;
  readonly maxTasks?: number;
}

/** Which markers, as they are kept, are looked for. */
type WantedMarkers = Pick<ReadonlySet<string>, 'size' | 'has'>;

/** A task costs some 400 bytes of memory here: 20 MB at most. */
const MAX_TASKS = 50_000;
/** When the bound is reached, so much of it is kept, so that not every batch has to make room anew. */
const KEEP_SHARE = 0.8;
/** The file is rewritten when this much of it belongs to nobody, and more than what belongs to somebody. */
const MIN_DEAD_BYTES = 1024 * 1024;
/** Sealed entries that wait for a slow disk; what comes then is not kept. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A stream is redacted anew with every piece: what was sealed lately is not sealed again. */
const MAX_RECENT = 50_000;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * The originals of what was redacted, sealed under a key of their task and kept in an append-only file. Dropping a
 * task's key makes its originals unreadable for good, and the next rewriting takes them off the disk.
 */
export class Vault implements OriginalsSink {
  private readonly options: VaultOptions;
  private readonly path: string;
  private readonly keys: VaultKeys;
  private readonly groups = new VaultGroups();
  private readonly recent = new Set<string>();
  private readonly maxTasks: number;
  private buffer: { readonly group: Group; readonly line: string }[] = [];
  private bufferedBytes = 0;
  private newKeys: DataKey[] = [];
  private keysDropped = false;
  private fileBytes = 0;
  private notKept = 0;
  private working: Promise<void> | undefined;

  private constructor(options: VaultOptions) {
    this.options = options;
    this.path = join(options.folder, 'originals.ndjson');
    this.keys = new VaultKeys(join(options.folder, 'keys.ndjson'), options.masterKey);
    this.maxTasks = options.maxTasks ?? MAX_TASKS;
  }

  /** @throws BoundaryError FAILED_PRECONDITION when the master key is not the one that the vault was made with */
  static async open(options: VaultOptions): Promise<Vault> {
    await mkdir(options.folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const vault = new Vault(options);
    await vault.load();
    return vault;
  }

  get tasks(): number {
    return this.groups.size;
  }

  /** Seals at once: nothing raw waits here. */
  keep(originals: readonly Original[]): void {
    for (const original of originals) this.keepOne(original);
    this.work();
  }

  /**
   * The values behind markers, as far as they are kept. Reads the whole file: for people who ask, not for programs.
   * @param task only what was hidden in this one: a sender can write the markers of others into its own texts
   */
  async find(markers: WantedMarkers, task?: string): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    if (markers.size === 0) return found;
    await this.flush();
    for await (const line of linesOf(this.path)) {
      const marker = markerOf(line);
      if (marker === undefined || found.has(marker) || !markers.has(marker)) continue;
      const entry = readEntry(line);
      const group = entry && this.groups.get(entry.group);
      if (!entry || !group?.sources.has(entry.source)) continue;
      if (task !== undefined && task !== group.task && task !== this.options.taskOf(entry.source)) continue;
      const value = openEntry(entry, group);
      if (value !== undefined) found.set(marker, value);
    }
    return found;
  }

  /** These records left the store: with the last one of a task the task's key goes. @returns how many tasks went */
  forget(sources: Iterable<string>): number {
    let count = 0;
    for (const source of sources) {
      for (const group of this.groups.forget(source)) {
        this.drop(group);
        count++;
      }
    }
    // What is forgotten may come again.
    this.recent.clear();
    this.work();
    return count;
  }

  /** Drops a task's key. @returns false when nothing of it was kept */
  erase(task: string): boolean {
    const group = this.groups.ofTask(task);
    if (!group) return false;
    this.drop(group);
    this.recent.clear();
    this.work();
    return true;
  }

  /** Forgets all records of which this says no: after a restart the graph may have less. */
  retain(isThere: (source: string) => boolean): void {
    this.forget([...this.groups.sources()].filter((source) => !isThere(source)));
  }

  /** Resolves when everything so far is on the disk, or could not be put there. */
  async flush(): Promise<void> {
    while (this.working) await this.working;
  }

  private keepOne(original: Original): void {
    const { source, marker } = original;
    const task = this.options.taskOf(source);
    if (task === undefined) return;
    const once = `${task}\0${source}\0${marker}`;
    if (this.recent.has(once)) return;
    const known = this.groups.ofTask(task);
    const group = known ?? this.openGroup(task);
    const line = entryLine(original, group);
    const bytes = Buffer.byteLength(line) + 1;
    if (this.bufferedBytes + bytes > MAX_BUFFERED_BYTES || !this.makeRoom(bytes, group)) {
      this.notKept++;
      return;
    }
    if (this.recent.size >= MAX_RECENT) this.recent.clear();
    this.recent.add(once);
    this.groups.add(group, source, bytes);
    this.buffer.push({ group, line });
    this.bufferedBytes += bytes;
  }

  private openGroup(task: string): Group {
    const key = this.keys.make(task);
    this.newKeys.push(key);
    return this.groups.open(key);
  }

  /** Oldest tasks go first, never the one that is written to. */
  private makeRoom(bytes: number, current: Group): boolean {
    const { maxBytes } = this.options;
    if (this.groups.liveBytes + bytes <= maxBytes && this.groups.size <= this.maxTasks) return true;
    let dropped = 0;
    for (const group of this.groups.all()) {
      const fits = this.groups.liveBytes + bytes <= maxBytes * KEEP_SHARE;
      if (fits && this.groups.size <= this.maxTasks * KEEP_SHARE) break;
      if (group === current) continue;
      this.drop(group);
      dropped++;
    }
    this.recent.clear();
    if (dropped > 0)
      this.options.logger.warn(
        { tasks: dropped },
        'the vault is full: the originals of the oldest tasks are erased',
      );
    return this.groups.liveBytes + bytes <= maxBytes;
  }

  private drop(group: Group): void {
    this.groups.drop(group);
    this.newKeys = this.newKeys.filter((key) => key.id !== group.id);
    this.keysDropped = true;
  }

  private async load(): Promise<void> {
    for (const key of await this.keys.load()) {
      const before = this.groups.ofTask(key.task);
      if (before) this.groups.drop(before);
      this.groups.open(key);
    }
    const { bytes } = await readLines(this.path, (line, length) => {
      const entry = readEntry(line);
      const group = entry && this.groups.get(entry.group);
      if (entry && group) this.groups.add(group, entry.source, length);
    });
    this.fileBytes = bytes;
    for (const group of this.groups.all()) if (group.sources.size === 0) this.drop(group);
    this.work();
    await this.flush();
  }

  private work(): void {
    this.working ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    await Promise.resolve();
    do {
      try {
        await this.writeOnce();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        this.options.logger.error({ code }, 'the vault was not written: some originals are not kept');
        // The key file is made anew with the next write.
        this.keysDropped = true;
        break;
      }
    } while (this.buffer.length > 0 || this.newKeys.length > 0 || this.keysDropped);
    if (this.notKept > 0)
      this.options.logger.warn(
        { values: this.notKept },
        'originals not kept: more came than the vault can take',
      );
    this.notKept = 0;
    this.working = undefined;
  }

  private async writeOnce(): Promise<void> {
    const entries = this.buffer;
    const added = this.newKeys;
    this.buffer = [];
    this.bufferedBytes = 0;
    this.newKeys = [];
    // A key is on the disk before anything that only it opens.
    if (this.keysDropped) {
      this.keysDropped = false;
      await this.keys.rewrite(this.groups.all());
    } else if (added.length > 0) await this.keys.add(added);
    const lines = entries.filter(({ group }) => this.groups.get(group.id) === group).map(({ line }) => line);
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (this.mustRewrite(bytes)) this.fileBytes = await replaceLines(this.path, this.liveLines());
    if (lines.length > 0) this.fileBytes += await appendLines(this.path, lines);
  }

  private mustRewrite(more: number): boolean {
    const dead = this.fileBytes + more + this.bufferedBytes - this.groups.liveBytes;
    return (
      this.fileBytes + more > this.options.maxBytes || dead > Math.max(MIN_DEAD_BYTES, this.groups.liveBytes)
    );
  }

  private async *liveLines(): AsyncGenerator<string> {
    for await (const line of linesOf(this.path)) {
      const entry = readEntry(line);
      if (entry && this.groups.get(entry.group)?.sources.has(entry.source) === true) yield line;
    }
  }
}
