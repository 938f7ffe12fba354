import { assert } from '../../base/assert.ts';

/** The protobuf wire format, as far as messages are put together by hand. */

/** A field that holds a message, of which these are the bytes; their length included. */
export function messageField(field: number, parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [tag(field, 2), varint(length), ...parts];
}

export function bytesField(field: number, bytes: Buffer): Buffer[] {
  return messageField(field, [bytes]);
}

export function numberField(field: number, value: number): Buffer[] {
  return [tag(field, 0), varint(value)];
}

function tag(field: number, wireType: 0 | 2): Buffer {
  return Buffer.of((field << 3) | wireType);
}

/** Of a whole number up to 2^53. */
export function varint(value: number): Buffer {
  assert(Number.isSafeInteger(value) && value >= 0, 'a varint is a whole number');
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
