import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { EncodedOnce } from '../../transport/encoded-once.ts';

/** Graphs and updates are shared between subscribers and never change, so each becomes JSON once. */
const encoded = new EncodedOnce<string>();

/** Text and no bytes: the network layer encodes it where it is written, without a buffer for each reader. */
export function encodeFrame(frame: ServerFrame): string {
  switch (frame.type) {
    case 'subscribed': {
      const { graph, ...envelope } = frame;
      return splice(envelope, 'graph', graph);
    }
    case 'update': {
      const { update, ...envelope } = frame;
      return splice(envelope, 'update', update);
    }
    case 'resumed':
    case 'event':
    case 'snapshotNeeded':
      return JSON.stringify(frame);
  }
}

function splice(envelope: object, name: string, value: object): string {
  return `${JSON.stringify(envelope).slice(0, -1)},"${name}":${encoded.of(value, (shared) => JSON.stringify(shared))}}`;
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
