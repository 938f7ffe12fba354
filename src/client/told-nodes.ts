import { WireReader } from '../base/wire-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { ToldNode, type Places } from '../model/told-node.ts';
import { nodeOf } from './grpc-messages.ts';
import { JsonWriter } from './json-writer.ts';

/** Of `explain.v1.ExplanationNode`. */
export interface NodeCodec {
  deserialize(message: Buffer): object;
  serialize(node: object): Buffer;
}

/**
 * Nodes as the service tells them, made for being passed on: their JSON is written from their bytes, without strings in
 * between.
 * @param codec for what few nodes have, such as summaries and rendering hints
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no `explain.v1.ExplanationNode`
 */
export function toldNodes(messages: readonly Buffer[], codec: NodeCodec): readonly ExplanationNode[] {
  return messages.map((message) => {
    const places = { id: '', timestamp: '', type: '', taskId: '', state: '', status: '' };
    writer.clear();
    // A copy: one node would else keep all that came with it.
    if (writeNode(writer, message, places))
      return ToldNode.of(places, writer.behind(message), message.length, true);
    const decoded = codec.deserialize(message);
    const node = nodeOf(decoded) as Partial<Places>;
    for (const name of PLACES) places[name] = node[name] ?? '';
    writer.clear();
    writer.json(Buffer.from(JSON.stringify(node)));
    // Encoded anew: what has a field twice, or text that is no UTF-8, each reader would take for something else, or refuse.
    const again = codec.serialize(decoded);
    return ToldNode.of(places, writer.behind(again), again.length, false);
  });
}

/** One for all, as each node is written in one go. */
const writer = new JsonWriter();

const VARINT = 0;
const EIGHT_BYTES = 1;
const SIZED = 2;

/** Fields of explain.v1.ExplanationNode that are one text or number, by tag: the number of the field and its wire type. */
const FIELDS: ReadonlyMap<number, string> = new Map([
  [1 * 8 + SIZED, 'id'],
  [2 * 8 + SIZED, 'timestamp'],
  [3 * 8 + SIZED, 'agent'],
  [4 * 8 + SIZED, 'type'],
  [5 * 8 + SIZED, 'name'],
  [6 * 8 + SIZED, 'taskId'],
  [7 * 8 + SIZED, 'state'],
  [8 * 8 + SIZED, 'model'],
  [9 * 8 + SIZED, 'promptSummary'],
  [10 * 8 + VARINT, 'tokensIn'],
  [11 * 8 + VARINT, 'tokensOut'],
  [12 * 8 + EIGHT_BYTES, 'latencyMs'],
  [13 * 8 + EIGHT_BYTES, 'costUsd'],
  [14 * 8 + SIZED, 'status'],
  [18 * 8 + SIZED, 'title'],
]);
const PLACES = ['id', 'timestamp', 'type', 'taskId', 'state', 'status'] as const;
/** Texts that are left out on the wire where they are empty, by the bit of their field. */
const ALWAYS = [
  [1 << 3, 'agent'],
  [1 << 5, 'name'],
  [1 << 6, 'taskId'],
  [1 << 18, 'title'],
] as const;
/** The highest number of a field. */
export const LAST_FIELD = 18;
const DETAILS = 15 * 8 + SIZED;
const SUMMARY = 16 * 8 + SIZED;
const UI = 17 * 8 + SIZED;

/** @returns false where it has what is not written here */
function writeNode(json: JsonWriter, message: Buffer, places: Record<keyof Places, string>): boolean {
  const reader = new WireReader(message);
  const end = message.length;
  let seen = 0;
  let isPlain = true;
  let separator = '{"';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    const name = tag === DETAILS ? 'details' : FIELDS.get(tag);
    if (name === undefined) {
      if (tag === SUMMARY || tag === UI) isPlain = false;
      // Some decoders read it by its number alone, as something else.
      else if (tag >>> 3 <= LAST_FIELD) throw reader.fault(`field ${tag >>> 3} of wire type ${tag % 8}`);
      reader.skip(tag, end);
      continue;
    }
    // What is told twice is for a decoder.
    const bit = 1 << (tag >>> 3);
    if ((seen & bit) !== 0) isPlain = false;
    seen |= bit;
    json.letters(`${separator}${name}":`);
    separator = ',"';
    if (tag === DETAILS) isPlain = writeStruct(json, message, reader, reader.lengthEnd(end)) && isPlain;
    else if (tag % 8 === VARINT) {
      reader.varint64(end);
      json.letters(String(reader.hi * 2 ** 32 + reader.lo));
    } else if (tag % 8 === EIGHT_BYTES) {
      const value = reader.double(end);
      isPlain &&= Number.isFinite(value);
      json.letters(String(value));
    } else {
      const fieldEnd = reader.lengthEnd(end);
      isPlain = json.text(message, reader.pos, fieldEnd) && isPlain;
      if (name in places) places[name as keyof Places] = reader.name(fieldEnd);
      reader.pos = fieldEnd;
    }
  }
  for (const [bit, name] of ALWAYS)
    if ((seen & bit) === 0) {
      json.letters(`${separator}${name}":""`);
      separator = ',"';
    }
  json.letters('}');
  return isPlain;
}

/** Of a `Struct`: an entry of its map. Of an entry: the key, and the value. */
const ENTRY = 1 * 8 + SIZED;
const KEY = 1 * 8 + SIZED;
const VALUE = 2 * 8 + SIZED;

/** Of a `Value`, by what it can be. */
const NULL = 1 * 8 + VARINT;
const NUMBER = 2 * 8 + EIGHT_BYTES;
const TEXT = 3 * 8 + SIZED;
const FLAG = 4 * 8 + VARINT;

/**
 * A `Struct` of entries as they are mostly: a key that no other one has, then a value that is no list and no object.
 * @returns false where it has others
 */
function writeStruct(json: JsonWriter, message: Buffer, reader: WireReader, end: number): boolean {
  const keys = new Set<string>();
  let separator = '{';
  while (reader.pos < end) {
    const before = keys.size;
    if (reader.tag(end) !== ENTRY) return leave(reader, end);
    const entryEnd = reader.lengthEnd(end);
    if (reader.pos === entryEnd || reader.tag(entryEnd) !== KEY) return leave(reader, end);
    const keyEnd = reader.lengthEnd(entryEnd);
    json.letters(separator);
    const isText = json.text(message, reader.pos, keyEnd);
    json.letters(':');
    separator = ',';
    keys.add(reader.name(keyEnd));
    if (!isText || keys.size === before) return leave(reader, end);
    if (reader.pos === entryEnd || reader.tag(entryEnd) !== VALUE || reader.lengthEnd(entryEnd) !== entryEnd)
      return leave(reader, end);
    if (reader.pos === entryEnd) return leave(reader, end);
    const isWritten = writeValue(json, message, reader, entryEnd);
    if (!isWritten || reader.pos !== entryEnd) return leave(reader, end);
  }
  json.letters(separator === '{' ? '{}' : '}');
  return true;
}

function writeValue(json: JsonWriter, message: Buffer, reader: WireReader, end: number): boolean {
  const tag = reader.tag(end);
  if (tag === TEXT) {
    const textEnd = reader.lengthEnd(end);
    if (!json.text(message, reader.pos, textEnd)) return false;
    reader.pos = textEnd;
  } else if (tag === NUMBER) json.letters(JSON.stringify(reader.double(end)));
  else if (tag === FLAG) {
    reader.varint64(end);
    json.letters(reader.lo + reader.hi === 0 ? 'false' : 'true');
  } else if (tag === NULL) {
    reader.varint64(end);
    json.letters('null');
  } else return false;
  return true;
}

/** What follows is for a decoder. */
function leave(reader: WireReader, end: number): false {
  reader.pos = end;
  return false;
}
