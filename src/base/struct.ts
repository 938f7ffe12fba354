/** google.protobuf.Struct and Value, as protobufjs names their fields. */
export interface StructMessage {
  readonly fields?: { readonly [key: string]: ValueMessage };
}

export interface ValueMessage {
  readonly nullValue?: 'NULL_VALUE';
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: StructMessage;
  readonly listValue?: { readonly values?: readonly ValueMessage[] };
}

type Fields = { readonly [key: string]: unknown };

/** JSON's own rules: an undefined member is left out, what JSON can't say (NaN, functions) is null. */
export function toStruct(value: Fields): StructMessage {
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return { fields: Object.fromEntries(present.map(([key, member]) => [key, toValue(member)])) };
}

function toValue(value: unknown): ValueMessage {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isFinite(value) ? { numberValue: value } : { nullValue: 'NULL_VALUE' };
    case 'object':
      if (value === null) return { nullValue: 'NULL_VALUE' };
      if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
      return { structValue: toStruct(value as Fields) };
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return { nullValue: 'NULL_VALUE' };
  }
}

export function fromStruct(struct: StructMessage): Record<string, unknown> {
  const fields = Object.entries(struct.fields ?? {});
  return Object.fromEntries(fields.map(([key, value]) => [key, fromValue(value)]));
}

function fromValue(value: ValueMessage): unknown {
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.numberValue !== undefined) return value.numberValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.structValue !== undefined) return fromStruct(value.structValue);
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(fromValue);
  return null;
}
