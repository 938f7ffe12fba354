import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';

/** Graphs and updates are shared between subscribers and never change, so each becomes JSON once. */
const encoded = new WeakMap<object, Buffer>();

function shared(value: object): Buffer {
  let json = encoded.get(value);
  if (json === undefined) {
    json = Buffer.from(`${JSON.stringify(value)}}`);
    encoded.set(value, json);
  }
  return json;
}

export function encodeFrame(frame: ServerFrame): string | Buffer {
  switch (frame.type) {
    case 'subscribed': {
      const { graph, ...envelope } = frame;
      return splice(envelope, 'graph', shared(graph));
    }
    case 'update': {
      const { update, ...envelope } = frame;
      return splice(envelope, 'update', shared(update));
    }
    case 'snapshotNeeded':
      return JSON.stringify(frame);
  }
}

function splice(envelope: object, name: string, rest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},"${name}":`), rest]);
}

export function encodeError(error: BoundaryError, requestId?: string, subscriptionId?: string): string {
  const { code, message } = error;
  return JSON.stringify({ type: 'error', requestId, subscriptionId, code, message });
}

export function encodePong(requestId?: string): string {
  return JSON.stringify({ type: 'pong', requestId });
}
