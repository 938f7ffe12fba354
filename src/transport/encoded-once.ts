/**
 * What was encoded last, in characters or bytes, about. Readers of one view are mostly sent an update in the same turn; but
 * updates themselves are kept for readers who come back, and with their encodings they would take a hundred times as much.
 */
const MAX_SIZE = 16 * 1024 * 1024;

/** Encodes what several readers are sent once, as long as it is among what was encoded last. */
export class EncodedOnce<Encoded extends { readonly length: number }> {
  private readonly encoded = new Map<object, Encoded>();
  private size = 0;

  of<Value extends object>(value: Value, encode: (value: Value) => Encoded): Encoded {
    const known = this.encoded.get(value);
    if (known !== undefined) return known;
    const made = encode(value);
    this.encoded.set(value, made);
    this.size += made.length;
    for (const [oldest, { length }] of this.encoded) {
      if (this.size <= MAX_SIZE) break;
      this.encoded.delete(oldest);
      this.size -= length;
    }
    return made;
  }
}
