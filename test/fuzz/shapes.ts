import type { Draw } from './draw.ts';
import { hostileJson, hostileText } from './values.ts';

/**
 * A message of a wire format that has a JSON and a protobuf form, described once: both encodings are made from the
 * same random content, with wrong types, repetitions and unknown fields among it.
 */
export type Shape = () => readonly Field[];

export interface Field {
  readonly number: number;
  readonly name: string;
  readonly kind: 'text' | 'bytes' | 'hex' | 'varint' | 'fixed64' | 'fixed32' | 'double' | 'message';
  /** Makes the value; a message's fields come from `of`. */
  readonly value?: (draw: Draw) => string | number | bigint | Buffer;
  readonly of?: Shape;
  /** Most repetitions; absent for a field that stands alone. */
  readonly most?: number;
  /** How often the field is there at all. */
  readonly chance?: number;
}

export interface Value {
  readonly field: Field;
  readonly value: string | number | bigint | Buffer | Message;
}

export type Message = readonly Value[];

const USUAL = 0.6;
const DEPTH = 7;

export function drawMessage(draw: Draw, shape: Shape, depth = DEPTH): Message {
  const message: Value[] = [];
  for (const field of shape()) {
    if (!draw.chance(field.chance ?? USUAL)) continue;
    const times = field.most === undefined ? (draw.chance(0.01) ? 2 : 1) : draw.between(1, field.most);
    for (let n = 0; n < times; n++) {
      if (field.of === undefined) message.push({ field, value: field.value?.(draw) ?? hostileText(draw) });
      else if (depth > 0) message.push({ field, value: drawMessage(draw, field.of, depth - 1) });
    }
  }
  return message;
}

const WRONG = 0.004;
const UNKNOWN_FIELD = 0.01;

export function toJson(draw: Draw, message: Message): object {
  const object: Record<string, unknown> = {};
  for (const { field, value } of message) {
    const json = draw.chance(WRONG) ? hostileJson(draw) : jsonValue(draw, field, value);
    if (field.most === undefined) object[field.name] = json;
    else ((object[field.name] ??= []) as unknown[]).push(json);
  }
  if (draw.chance(UNKNOWN_FIELD))
    Object.defineProperty(object, hostileText(draw), { value: hostileJson(draw), enumerable: true });
  return object;
}

function jsonValue(draw: Draw, { kind, number }: Field, value: Value['value']): unknown {
  if (Buffer.isBuffer(value)) return value.toString(kind === 'hex' ? 'hex' : 'base64');
  if (Array.isArray(value)) return toJson(draw, value as Message);
  if (typeof value === 'bigint') return value.toString();
  // Booleans are varints; 2 is `boolValue` of an OTLP value.
  if (kind === 'varint' && number === 2 && typeof value === 'number' && value < 2) return value === 1;
  return value;
}

export function toProtobuf(draw: Draw, message: Message): Buffer {
  const parts: Buffer[] = message.map(({ field, value }) => protobufField(draw, field, value));
  if (draw.chance(UNKNOWN_FIELD))
    parts.push(varint(BigInt(draw.int(2 ** 29)) * 8n + BigInt(draw.int(8))), draw.bytes(draw.int(9)));
  return Buffer.concat(parts);
}

function protobufField(draw: Draw, field: Field, value: Value['value']): Buffer {
  const number = draw.chance(WRONG) ? draw.int(40) : field.number;
  const tagged = (wireType: number, ...parts: readonly Buffer[]): Buffer => {
    const type = draw.chance(WRONG) ? draw.int(8) : wireType;
    return Buffer.concat([varint((BigInt(number) << 3n) | BigInt(type)), ...parts]);
  };
  if (Array.isArray(value)) return lengthPrefixed(tagged, toProtobuf(draw, value as Message));
  if (Buffer.isBuffer(value)) return lengthPrefixed(tagged, value);
  if (field.kind === 'text')
    return lengthPrefixed(tagged, Buffer.from(value as string, draw.chance(0.02) ? 'latin1' : 'utf8'));
  const bits = typeof value === 'bigint' ? value : wholeOf(Number(value));
  if (field.kind === 'varint') return tagged(0, varint(bits));
  const bytes = Buffer.alloc(field.kind === 'fixed32' ? 4 : 8);
  if (field.kind === 'double')
    bytes.writeDoubleLE(draw.chance(0.05) ? draw.pick([NaN, Infinity, -Infinity]) : Number(value));
  else if (field.kind === 'fixed32') bytes.writeUInt32LE(Number(BigInt.asUintN(32, bits)));
  else bytes.writeBigUInt64LE(BigInt.asUintN(64, bits));
  return tagged(field.kind === 'fixed32' ? 5 : 1, bytes);
}

function lengthPrefixed(
  tagged: (wireType: number, ...parts: readonly Buffer[]) => Buffer,
  bytes: Buffer,
): Buffer {
  return tagged(2, varint(BigInt(bytes.length)), bytes);
}

function wholeOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
