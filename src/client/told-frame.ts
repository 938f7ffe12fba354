import { BoundaryError } from '../base/boundary-error.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { messageField } from '../base/protobuf.ts';
import { WireReader } from '../base/wire-reader.ts';
import { toldNodes, type NodeCodec } from './told-nodes.ts';

/** Tags of explain.v1: of SubscribeResponse, of Subscribed and Update, of ExplanationGraph and GraphUpdate. */
const SUBSCRIBED = 10;
const UPDATE = 18;
const CONTENT = 26;
const NODE = 10;

/**
 * A service sends at most 500 nodes, edges and removals at once (`PART_ITEMS`). A frame is taken in one turn of the event
 * loop, in which millions of tiny ones would hold up all readers.
 */
const MAX_FRAME_ITEMS = 10_000;

/**
 * More than any node or edge has: what senders may put into details, annotations and titles comes to a fifth of it. Who
 * keeps them bounds how many.
 */
export const MAX_ITEM_BYTES = 1024 * 1024;

/** Of a message as it is on the wire. */
export type Deserialize = (message: Buffer) => object;

/**
 * Reads an `explain.v1.SubscribeResponse` whose nodes stay as they are told.
 * @param deserialize of the response
 * @param codec of an `ExplanationNode`
 */
export function keepingNodes(deserialize: Deserialize, codec: NodeCodec): Deserialize {
  return (message) => {
    const { rest, nodes } = cutFrame(message);
    const response = deserialize(rest) as JsonObject;
    if (nodes.length > 0) put(response, toldNodes(nodes, codec));
    return response;
  };
}

function put({ subscribed, update }: JsonObject, nodes: readonly object[]): void {
  const content = isObject(subscribed) ? subscribed['graph'] : isObject(update) && update['update'];
  if (isObject(content)) Object.assign(content, { [isObject(subscribed) ? 'nodes' : 'addedNodes']: nodes });
}

interface CutFrame {
  /** The message without its nodes. */
  readonly rest: Buffer;
  /** Each an `explain.v1.ExplanationNode`. */
  readonly nodes: readonly Buffer[];
}

/**
 * Takes the nodes out of an `explain.v1.SubscribeResponse`.
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message, or too much in one
 */
function cutFrame(message: Buffer): CutFrame {
  const nodes: Buffer[] = [];
  const room = { fields: MAX_FRAME_ITEMS };
  const rest = fieldsOf(message, room, (tag, frame) => {
    if (tag !== SUBSCRIBED && tag !== UPDATE) return undefined;
    return fieldsOf(frame, room, (inner, content) => {
      if (inner !== CONTENT) return undefined;
      return fieldsOf(content, room, (innermost, node) => {
        if (node.length > MAX_ITEM_BYTES)
          throw new BoundaryError('INVALID_ARGUMENT', `a node or edge of more than ${MAX_ITEM_BYTES} bytes`);
        if (innermost !== NODE) return undefined;
        nodes.push(node);
        return 'none';
      });
    });
  });
  return { rest: Buffer.concat(rest), nodes };
}

/** The fields of a message, some of which become others, or none. */
function fieldsOf(
  message: Buffer,
  room: { fields: number },
  change: (tag: number, value: Buffer) => readonly Buffer[] | 'none' | undefined,
): readonly Buffer[] {
  const reader = new WireReader(message);
  const end = message.length;
  const fields: Buffer[] = [];
  while (reader.pos < end) {
    if (--room.fields < 0)
      throw new BoundaryError('INVALID_ARGUMENT', `more than ${MAX_FRAME_ITEMS} nodes and edges at once`);
    const start = reader.pos;
    const tag = reader.tag(end);
    if (tag % 8 === 2) {
      const valueEnd = reader.lengthEnd(end);
      const value = message.subarray(reader.pos, valueEnd);
      reader.pos = valueEnd;
      const changed = change(tag, value);
      if (changed !== undefined) {
        if (changed !== 'none') fields.push(...messageField(tag >>> 3, changed));
        continue;
      }
    } else reader.skip(tag, end);
    fields.push(message.subarray(start, reader.pos));
  }
  return fields;
}
