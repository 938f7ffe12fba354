import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { areTold, type ToldNode } from '../../model/told-node.ts';
import { EncodedOnce } from '../../transport/encoded-once.ts';

/** Graphs and updates are shared between subscribers and never change, so each becomes JSON once. */
const encoded = new EncodedOnce<Buffer>();

/** JSON as bytes: of a string the network layer would first make a whole one, then measure and encode it, for each reader. */
export function encodeFrame(frame: ServerFrame): Buffer {
  switch (frame.type) {
    case 'subscribed': {
      const { graph, ...envelope } = frame;
      return splice(envelope, 'graph', graph, 'nodes', graph.nodes);
    }
    case 'update': {
      const { update, ...envelope } = frame;
      return splice(envelope, 'update', update, 'addedNodes', update.addedNodes);
    }
    case 'resumed':
    case 'event':
    case 'snapshotNeeded':
      return Buffer.from(JSON.stringify(frame));
  }
}

function splice(
  envelope: object,
  name: string,
  value: object,
  list: string,
  nodes: readonly object[],
): Buffer {
  const head = `${JSON.stringify(envelope).slice(0, -1)},"${name}":`;
  const content = encoded.of(value, (shared) =>
    areTold(nodes)
      ? joined(`{"${list}":[`, nodes, `],${JSON.stringify({ ...shared, [list]: undefined }).slice(1)}`)
      : Buffer.from(JSON.stringify(shared)),
  );
  return Buffer.concat([Buffer.from(head), content, CLOSE]);
}

const CLOSE = Buffer.from('}');
const COMMA = 0x2c;

function joined(first: string, nodes: readonly ToldNode[], last: string): Buffer {
  const size = nodes.reduce((sum, { bytes, jsonAt }) => sum + bytes.length - jsonAt + 1, 0);
  const all = Buffer.allocUnsafe(Buffer.byteLength(first) + size - 1 + Buffer.byteLength(last));
  let at = all.write(first);
  for (const [n, { bytes, jsonAt }] of nodes.entries()) {
    if (n > 0) all[at++] = COMMA;
    at += bytes.copy(all, at, jsonAt);
  }
  all.write(last, at);
  return all;
}

export function encodeError(error: BoundaryError, requestId?: string, subscriptionId?: string): string {
  const { code, message } = error;
  return JSON.stringify({ type: 'error', requestId, subscriptionId, code, message });
}

/** @param answer what there is to say beside that it is done */
export function encodeOk(requestId: string, answer: object): string {
  return JSON.stringify({ type: 'ok', requestId, ...answer });
}

export function encodePong(requestId?: string): string {
  return JSON.stringify({ type: 'pong', requestId });
}
