import { assert } from '../../base/assert.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { messageSerializer } from './load-proto.ts';
import { graphMessage, updateMessage } from './messages.ts';

const serializeGraph = messageSerializer('ExplanationGraph');
const serializeUpdate = messageSerializer('GraphUpdate');
const serializeResponse = messageSerializer('SubscribeResponse');

/** Graphs and updates are shared between subscribers and never change, so each is encoded once. */
const encoded = new WeakMap<object, Buffer>();

function shared<T extends object>(value: T, encode: (value: T) => Buffer): Buffer {
  let bytes = encoded.get(value);
  if (bytes === undefined) {
    bytes = encode(value);
    encoded.set(value, bytes);
  }
  return bytes;
}

/** A SubscribeResponse. The envelope around shared bytes is written by hand, with the field numbers of explain.proto. */
export function encodeFrame(frame: ServerFrame): Buffer {
  switch (frame.type) {
    case 'subscribed': {
      const graph = shared(frame.graph, (value) => serializeGraph(graphMessage(value)));
      const requestId = frame.requestId === undefined ? [] : bytesField(4, Buffer.from(frame.requestId));
      return envelope(1, [...head(frame), ...bytesField(3, graph), ...requestId]);
    }
    case 'update': {
      const update = shared(frame.update, (value) => serializeUpdate(updateMessage(value)));
      return envelope(2, [...head(frame), ...bytesField(3, update)]);
    }
    case 'snapshotNeeded': {
      const { type: _, ...snapshotNeeded } = frame;
      return serializeResponse({ snapshotNeeded });
    }
  }
}

/** Subscribed and Update begin alike. */
function head(frame: { readonly subscriptionId: string; readonly sequence: number }): Buffer[] {
  return [...bytesField(1, Buffer.from(frame.subscriptionId)), tag(2, 0), varint(frame.sequence)];
}

function envelope(field: number, parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([tag(field, 2), varint(length), ...parts]);
}

function bytesField(field: number, bytes: Buffer): Buffer[] {
  return [tag(field, 2), varint(bytes.length), bytes];
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
