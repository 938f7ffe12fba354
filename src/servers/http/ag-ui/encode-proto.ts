import { isObject, type JsonObject } from '../../../base/json.ts';
import { assert } from '../../../base/assert.ts';
import {
  bytesField,
  doubleField,
  int64Field,
  messageField,
  numberField,
  stringField,
} from '../../../base/protobuf.ts';
import { EVENTS, PARTS, type FieldKind, type MessageFields } from './proto-fields.ts';
import { asProtoEvent, listOf } from './proto-shapes.ts';

/** Of `JsonPatchOperationType`, in the order of the enum. */
const PATCH_OPERATIONS: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** The bytes of one AG-UI event in the protobuf encoding. What is no field of its type is left out. */
export function encodeProtoEvent(event: { readonly type: string } & JsonObject): Buffer {
  const known = EVENTS[event.type];
  assert(known !== undefined, 'an event of a type of AG-UI 1.0');
  const { timestamp, rawEvent, metadata } = event;
  const base = [
    ...numberField(1, known.type),
    ...(typeof timestamp === 'number' ? int64Field(2, timestamp) : []),
    ...(rawEvent === undefined ? [] : messageField(3, valueOf(rawEvent))),
    ...(isObject(metadata) ? messageField(4, structOf(metadata)) : []),
  ];
  return Buffer.concat(
    messageField(known.arm, [...messageField(1, base), ...message(known.fields, asProtoEvent(event))]),
  );
}

function message(fields: MessageFields, value: JsonObject): Buffer[] {
  return Object.entries(fields).flatMap(([name, [number, kind]]) => {
    const member = value[name];
    return member === undefined || member === null
      ? nullField(number, kind, member)
      : field(number, kind, member);
  });
}

/** `null` is a value of its own where any may stand. */
function nullField(number: number, kind: FieldKind, member: undefined | null): Buffer[] {
  return member === null && kind === 'value' ? messageField(number, valueOf(null)) : [];
}

function field(number: number, kind: FieldKind, member: unknown): Buffer[] {
  switch (kind) {
    case 'string':
      return typeof member === 'string' ? stringField(number, member) : [];
    case 'int':
      return Number.isSafeInteger(member) ? int64Field(number, member as number) : [];
    case 'bool':
      return numberField(number, member === true ? 1 : 0);
    case 'patchOperation':
      return numberField(number, Math.max(0, PATCH_OPERATIONS.indexOf(member)));
    case 'value':
      return messageField(number, valueOf(member));
    case 'struct':
      return isObject(member) ? messageField(number, structOf(member)) : [];
    default:
      return messages(number, kind, member);
  }
}

function messages(number: number, kind: string, member: unknown): Buffer[] {
  if (kind === 'string[]') return listOf(member).flatMap((one) => field(number, 'string', one));
  const isMany = kind.endsWith('[]');
  const fields = PARTS[isMany ? kind.slice(0, -2) : kind];
  assert(fields !== undefined, 'a message of the table');
  const all = isMany ? listOf(member) : [member];
  return all.filter(isObject).flatMap((one) => messageField(number, message(fields, one)));
}

/** google.protobuf.Value, by JSON's own rules: what JSON can't say is null. */
function valueOf(value: unknown): Buffer[] {
  if (typeof value === 'number') return Number.isFinite(value) ? doubleField(2, value) : NULL;
  if (typeof value === 'string') return stringField(3, value);
  if (typeof value === 'boolean') return numberField(4, value ? 1 : 0);
  if (isObject(value)) return messageField(5, structOf(value));
  if (!Array.isArray(value)) return NULL;
  const members = value.flatMap((member: unknown) => messageField(1, valueOf(member)));
  return messageField(6, members);
}

const NULL: Buffer[] = numberField(1, 0);

/** google.protobuf.Struct. */
function structOf(value: JsonObject): Buffer[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .flatMap(([key, member]) =>
      messageField(1, [...bytesField(1, Buffer.from(key)), ...messageField(2, valueOf(member))]),
    );
}
