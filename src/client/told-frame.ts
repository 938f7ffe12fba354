import { isObject, type JsonObject } from '../base/json.ts';
import { messageField } from '../base/protobuf.ts';
import { WireReader } from '../base/wire-reader.ts';
import { nodeOf } from './grpc-messages.ts';
import { toldNodes } from './told-nodes.ts';

/** Tags of explain.v1: of SubscribeResponse, of Subscribed and Update, of ExplanationGraph and GraphUpdate. */
const SUBSCRIBED = 10;
const UPDATE = 18;
const CONTENT = 26;
const NODE = 10;

/** Of a message as it is on the wire. */
export type Deserialize = (message: Buffer) => object;

/**
 * Reads an `explain.v1.SubscribeResponse` whose nodes stay as they are told.
 * @param deserialize of the response
 * @param nodeIn of an `ExplanationNode`
 */
export function keepingNodes(deserialize: Deserialize, nodeIn: Deserialize): Deserialize {
  return (message) => {
    const { rest, nodes } = cutFrame(message);
    const response = deserialize(rest) as JsonObject;
    if (nodes.length > 0)
      put(
        response,
        toldNodes(nodes, (node) => nodeOf(nodeIn(node))),
      );
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
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message
 */
function cutFrame(message: Buffer): CutFrame {
  const nodes: Buffer[] = [];
  const rest = fieldsOf(message, (tag, frame) => {
    if (tag !== SUBSCRIBED && tag !== UPDATE) return undefined;
    return fieldsOf(frame, (inner, content) => {
      if (inner !== CONTENT) return undefined;
      return fieldsOf(content, (innermost, node) => {
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
  change: (tag: number, value: Buffer) => readonly Buffer[] | 'none' | undefined,
): readonly Buffer[] {
  const reader = new WireReader(message);
  const end = message.length;
  const fields: Buffer[] = [];
  while (reader.pos < end) {
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
