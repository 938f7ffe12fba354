import type { ExplanationGraph, ExplanationNode, GraphUpdate } from '../../model/node.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { ToldNode } from '../../model/told-node.ts';
import { EncodedOnce, type Join } from '../../transport/encoded-once.ts';
import { messageSerializer } from './load-proto.ts';
import { graphMessage, nodeMessage, updateMessage } from './messages.ts';
import { bytesField, messageField, numberField } from '../../base/protobuf.ts';

const serializeGraph = messageSerializer('ExplanationGraph');
const serializeNode = messageSerializer('ExplanationNode');
const serializeUpdate = messageSerializer('GraphUpdate');
const serializeResponse = messageSerializer('SubscribeResponse');

/** Graphs and updates are shared by the readers of one view and never change, so each is encoded once. */
const encoded = new EncodedOnce<Buffer>();
/** Nodes are shared by views, too. */
const encodedNodes = new EncodedOnce<Buffer>();

/** A SubscribeResponse. */
export function encodeFrame(frame: ServerFrame): Buffer {
  switch (frame.type) {
    case 'subscribed':
      return Buffer.concat(envelope(frame, [encoded.of(frame.graph, graphBytes)]));
    case 'update':
      return Buffer.concat(envelope(frame, [encoded.of(frame.update, updateBytes)]));
    case 'event': {
      const { session_id: sessionId, url_json: urlJson, url_d2: urlD2, subscriptionId, name } = frame;
      return serializeResponse({ taskEvent: { subscriptionId, name, sessionId, urlJson, urlD2 } });
    }
    case 'resumed':
    case 'snapshotNeeded':
      return serializeResponse({ [frame.type]: frame });
  }
}

function graphBytes({ nodes, ...rest }: ExplanationGraph, join: Join): Buffer {
  return join([...nodeFields(nodes), serializeGraph(graphMessage({ ...rest, nodes: [] }))]);
}

function updateBytes({ addedNodes, ...rest }: GraphUpdate, join: Join): Buffer {
  return join([...nodeFields(addedNodes), serializeUpdate(updateMessage({ ...rest, addedNodes: [] }))]);
}

/** Both in a graph and in an update nodes are field 1. */
function nodeFields(nodes: readonly ExplanationNode[]): Buffer[] {
  return nodes.flatMap((node) =>
    bytesField(1, node instanceof ToldNode ? node.message : encodedNodes.of(node, nodeBytes)),
  );
}

function nodeBytes(node: ExplanationNode, join: Join): Buffer {
  return join([serializeNode(nodeMessage(node))]);
}

/**
 * A SubscribeResponse around the bytes of its graph or update: written by hand, with the field numbers of explain.proto.
 */
function envelope(
  frame: Extract<ServerFrame, { readonly type: 'subscribed' | 'update' }>,
  content: readonly Buffer[],
): Buffer[] {
  const fields = [
    ...bytesField(1, Buffer.from(frame.subscriptionId)),
    ...numberField(2, frame.sequence),
    ...messageField(3, content),
    ...(frame.requestId === undefined ? [] : bytesField(4, Buffer.from(frame.requestId))),
    ...(frame.partial ? numberField(5, 1) : []),
    ...(frame.type === 'update' && frame.complete ? numberField(6, 1) : []),
  ];
  return messageField(frame.type === 'subscribed' ? 1 : 2, fields);
}
