import type { FileHandle } from 'node:fs/promises';

/** Bytes that are collected before they are written: a millisecond or two of making JSON between two waits. */
const SLICE_BYTES = 128 * 1024;

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
