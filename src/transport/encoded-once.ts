import { OwnBlocks } from './own-blocks.ts';

/**
 * Half of what is kept, in characters or bytes, about. Readers are mostly sent a change in the same turn; but changes are kept
 * for readers who come back, and with their encodings they would take a hundred times as much.
 */
const HALF_SIZE = 8 * 1024 * 1024;

/** The parts as one piece, in the memory of what is kept. */
export type Join = (parts: readonly Buffer[]) => Buffer;

/** Encodes what several readers are sent once, as long as it is among what was encoded last. */
export class EncodedOnce<Encoded extends { readonly length: number }> {
  private recent = new Map<object, Encoded>();
  private older: ReadonlyMap<object, Encoded> = this.recent;
  private recentSize = 0;
  private readonly blocks = new OwnBlocks();
  private readonly join: Join = (parts) => this.blocks.join(parts);

  /** @param encode whose short buffers are all made by `join` */
  of<Value extends object>(value: Value, encode: (value: Value, join: Join) => Encoded): Encoded {
    const known = this.recent.get(value) ?? this.older.get(value);
    if (known !== undefined) return known;
    const made = encode(value, this.join);
    this.recent.set(value, made);
    this.recentSize += made.length;
    if (this.recentSize > HALF_SIZE) {
      // The eldest go together: taken out of a map one by one they leave gaps that each look at the first one walks over.
      this.older = this.recent;
      this.recent = new Map();
      this.recentSize = 0;
    }
    return made;
  }
}
