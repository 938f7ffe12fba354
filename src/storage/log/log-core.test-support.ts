import type { Facts } from '../../model/facts.ts';
import { epochMs } from '../../model/time.ts';
import type { ArchiveIndex } from '../index/archive-index.ts';
import { MemoryArchiveIndex } from '../index/memory-archive-index.ts';
import { recordKey } from '../record-key.ts';
import type { LogFile, LogFiles } from './files.ts';
import { FrameWriter } from './frame-writer.ts';
import { LogCore, type LogCoreOptions } from './log-core.ts';
import type { LeftEntry } from './stored.ts';

/** Files in memory: a disk that can be full, or cut off at any byte as by a crash. */
export class TestDisk implements LogFiles {
  readonly contents = new Map<string, Buffer>();
  /** Bytes that may still be written; then every write fails after what fits. */
  room = Infinity;

  list(): string[] {
    return [...this.contents.keys()];
  }

  open(name: string): LogFile {
    if (!this.contents.has(name)) this.contents.set(name, Buffer.alloc(0));
    const get = (): Buffer => this.contents.get(name) ?? Buffer.alloc(0);
    return {
      get size() {
        return get().length;
      },
      write: (bytes, at) => {
        const fits = Math.min(bytes.length, this.room);
        this.room -= fits;
        const before = get();
        const after = Buffer.alloc(Math.max(before.length, at + fits));
        before.copy(after);
        Buffer.from(bytes.buffer, bytes.byteOffset, fits).copy(after, at);
        this.contents.set(name, after);
        if (fits < bytes.length) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      },
      read: (into, at) => (at < get().length ? get().copy(into, 0, at) : 0),
      truncate: (size) => void this.contents.set(name, get().subarray(0, size)),
      sync: () => {},
      close: () => {},
    };
  }

  rename(from: string, to: string): void {
    const bytes = this.contents.get(from);
    if (bytes) this.contents.set(to, bytes);
    this.contents.delete(from);
  }

  remove(name: string): void {
    this.contents.delete(name);
  }

  size(name: string): number {
    return this.contents.get(name)?.length ?? 0;
  }

  syncFolder(): void {}

  /** As it is now, for what a crash would leave. */
  copy(): TestDisk {
    const disk = new TestDisk();
    for (const [name, bytes] of this.contents) disk.contents.set(name, Buffer.from(bytes));
    return disk;
  }

  get text(): string {
    return [...this.contents.values()].map((bytes) => bytes.toString('latin1')).join('\n');
  }
}

export interface Opened {
  readonly core: LogCore;
  readonly said: string[];
  readonly dropped: { reason: string; tasks: number; records: number }[];
}

export function openCore(files: LogFiles, options: Partial<LogCoreOptions> = {}): Opened {
  const said: string[] = [];
  const dropped: Opened['dropped'] = [];
  const core = new LogCore({
    files,
    openIndex: (): ArchiveIndex => new MemoryArchiveIndex(),
    segmentBytes: 4096,
    maxBytes: 1e9,
    retentionMs: 1e12,
    withoutTexts: false,
    say: (_level, _fields, message) => void said.push(message),
    onDropped: (reason, tasks, records) => void dropped.push({ reason, tasks, records }),
    ...options,
  });
  return { core, said, dropped };
}

export const NOW = 1_750_000_000_000;

/** A span of a trace and span number, with a text of its own. */
export function spanFacts(trace: number, span: number, end = 10, name = 'step'): Facts {
  return {
    kind: 'span',
    traceId: trace.toString(16).padStart(32, '0'),
    spanId: span.toString(16).padStart(16, '0'),
    name,
    start: epochMs(NOW),
    end: epochMs(NOW + end),
    step: { status: 'OK', details: {} },
  };
}

export function sourceOf(facts: Facts): string {
  return recordKey(facts).source;
}

export function recordFrames(records: readonly { readonly facts: Facts; readonly text?: string }[]): Buffer {
  const writer = new FrameWriter();
  for (const { facts, text } of records) {
    const { source, rank, part } = recordKey(facts);
    writer.record(source, rank, part, JSON.stringify(facts), text === undefined ? '' : JSON.stringify(text));
  }
  return writer.take();
}

export function leftFrames(task: string, sources: readonly string[]): Buffer {
  const entries: LeftEntry[] = sources.map((source) => ({
    node: { id: source },
    edges: [],
    sources: [source],
  }));
  const writer = new FrameWriter();
  writer.left(task, JSON.stringify(entries));
  return writer.take();
}

/** Every live record, by what restoring gives. */
export function restored(core: LogCore): string[] {
  const all: string[] = [];
  for (let some = core.restoreNext(); some; some = core.restoreNext())
    all.push(...(JSON.parse(some.facts) as Facts[]).map((facts) => JSON.stringify(facts)));
  return all.sort();
}

/** Nodes of a task that left. */
export function leftOf(core: LogCore, task: string): string[] {
  const ids: string[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: ReturnType<LogCore['leftPage']> = core.leftPage(task, after);
    ids.push(...(JSON.parse(page.entries) as LeftEntry[]).map(({ node }) => node.id));
    after = page.next;
  }
  return ids.sort();
}
