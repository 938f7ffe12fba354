import { assert } from './assert.ts';

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

/** A signed whole number, as `int64` has it: a negative one takes ten bytes. */
export function int64Field(field: number, value: number): Buffer[] {
  if (value >= 0) return numberField(field, value);
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [tag(field, 0), Buffer.from([...bytes, Number(rest)])];
}

export function doubleField(field: number, value: number): Buffer[] {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(value);
  return [tag(field, 1), bytes];
}

export function stringField(field: number, text: string): Buffer[] {
  return bytesField(field, Buffer.from(text));
}

/** @param wireType 0 for a varint, 1 for eight bytes, 2 for what says its own length */
function tag(field: number, wireType: 0 | 1 | 2): Buffer {
  return varint(field * 8 + wireType);
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
