import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';

/** Graphs and updates are shared between subscribers and never change, so each becomes JSON once. */
const encoded = new WeakMap<object, string>();

function shared(value: object): string {
  let json = encoded.get(value);
  if (json === undefined) {
    json = JSON.stringify(value);
    encoded.set(value, json);
  }
  return json;
}

export function encodeFrame(frame: ServerFrame): string {
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

/** Puts JSON that is ready into the end of an envelope that has at least one member. */
function splice(envelope: object, name: string, json: string): string {
  return `${JSON.stringify(envelope).slice(0, -1)},"${name}":${json}}`;
}

export function encodeError(error: BoundaryError, requestId?: string, subscriptionId?: string): string {
  const { code, message } = error;
  return JSON.stringify({ type: 'error', requestId, subscriptionId, code, message });
}

export function encodePong(requestId?: string): string {
  return JSON.stringify({ type: 'pong', requestId });
}
