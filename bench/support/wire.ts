/** Just enough of the protobuf wire format to write OTLP requests quickly (field numbers as published). */

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

export function bytesField(field: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

export function textField(field: number, text: string): Buffer {
  return bytesField(field, Buffer.from(text));
}

export function numberField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

export function fixed64Field(field: number, value: bigint): Buffer {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(value);
  return Buffer.concat([varint(field * 8 + 1), content]);
}

export function attribute(field: number, key: string, value: string | number): Buffer {
  const any = typeof value === 'string' ? textField(1, value) : numberField(3, value);
  return bytesField(field, Buffer.concat([textField(1, key), bytesField(2, any)]));
}
