const BLOCK_BYTES = 65_536;
/** Longer ones have memory of their own: at the end of a block they would leave too much of it unused. */
const MAX_IN_BLOCK = BLOCK_BYTES / 8;

/**
 * Memory for short buffers that are kept for long. Node makes short ones in blocks, among whatever else is made at the
 * time, and each that is kept keeps all of its block: a hundred times what it takes. In these blocks nothing else is.
 */
export class OwnBlocks {
  private block = Buffer.alloc(0);
  private used = 0;

  /** A copy of all parts as one piece. */
  join(parts: readonly Buffer[]): Buffer {
    let length = 0;
    for (const part of parts) length += part.length;
    const joined = this.take(length);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  private take(length: number): Buffer {
    if (length > MAX_IN_BLOCK) return Buffer.allocUnsafeSlow(length);
    if (this.used + length > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.used = 0;
    }
    const from = this.used;
    this.used += length;
    return this.block.subarray(from, this.used);
  }
}
