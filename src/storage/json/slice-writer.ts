import type { FileHandle } from 'node:fs/promises';

/** Bytes that are collected before they are written: a millisecond or two of making JSON between two waits. */
const SLICE_BYTES = 128 * 1024;
/** Items that are only looked at, not written, between two looks at the clock. */
const ITEMS_PER_LOOK = 256;
const SLICE_MS = 5;

/** Appends text to a file in slices; each slice is a wait for the disk in which the event loop runs. */
export class SliceWriter {
  private readonly file: FileHandle;
  private parts: string[] = [];
  private pending = 0;
  private written = 0;

  constructor(file: FileHandle) {
    this.file = file;
  }

  /** Bytes taken so far, written or not. */
  get bytes(): number {
    return this.written + this.pending;
  }

  async write(text: string): Promise<void> {
    this.parts.push(text);
    this.pending += Buffer.byteLength(text);
    if (this.pending >= SLICE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const slice = Buffer.from(this.parts.join(''));
    this.parts = [];
    this.pending = 0;
    for (let offset = 0; offset < slice.length;) {
      const { bytesWritten } = await this.file.write(slice, offset, slice.length - offset, this.written);
      offset += bytesWritten;
      this.written += bytesWritten;
    }
  }

  /** Takes back everything after the first so many bytes. */
  async rewind(bytes: number): Promise<void> {
    await this.flush();
    await this.file.truncate(bytes);
    this.written = bytes;
  }
}

/** The items as an array, taken without holding up the event loop. */
export async function collect<T>(items: Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  let start = performance.now();
  for (const item of items) {
    all.push(item);
    if (all.length % ITEMS_PER_LOOK !== 0 || performance.now() - start < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    start = performance.now();
  }
  return all;
}
