import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { ToldNode } from '../../model/told-node.ts';
import { EncodedOnce } from '../../transport/encoded-once.ts';

/** Graphs and updates are shared by the readers of one view and never change, so each becomes JSON once. */
const encoded = new EncodedOnce<Content>();
/** Nodes are shared by views, too. */
const encodedNodes = new EncodedOnce<Buffer>();

/** JSON as bytes: of a string the network layer would first make a whole one, then measure and encode it, for each reader. */
export function encodeFrame(frame: ServerFrame): Buffer {
  switch (frame.type) {
    case 'subscribed': {
      const { graph, ...envelope } = frame;
      const content = encoded.of(graph, ({ nodes, ...rest }) => new Content('nodes', nodes, rest));
      return splice(envelope, 'graph', content);
    }
    case 'update': {
      const { update, ...envelope } = frame;
      const content = encoded.of(
        update,
        ({ addedNodes, ...rest }) => new Content('addedNodes', addedNodes, rest),
      );
      return splice(envelope, 'update', content);
    }
    case 'resumed':
    case 'event':
    case 'snapshotNeeded':
      return Buffer.from(JSON.stringify(frame));
  }
}

function splice(envelope: object, name: string, content: Content): Buffer {
  const head = `${JSON.stringify(envelope).slice(0, -1)},"${name}":`;
  return Buffer.concat([Buffer.from(head), ...content.take(), CLOSE]);
}

/** The JSON of an object that has nodes, and of whose other fields one is always there. */
class Content {
  readonly length: number;
  private parts: readonly Buffer[];
  private isShared = false;

  constructor(name: string, nodes: readonly ExplanationNode[], rest: object) {
    const parts: Buffer[] = [Buffer.from(`{"${name}":[`)];
    for (const [n, node] of nodes.entries()) {
      if (n > 0) parts.push(COMMA);
      parts.push(node instanceof ToldNode ? node.json : encodedNodes.of(node, toJson));
    }
    parts.push(Buffer.from(`],${JSON.stringify(rest).slice(1)}`));
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** Its bytes in order. Most views have one reader, for whom they are copied once; from the second one on they are one piece. */
  take(): readonly Buffer[] {
    if (this.isShared && this.parts.length > 1) this.parts = [Buffer.concat(this.parts, this.length)];
    this.isShared = true;
    return this.parts;
  }
}

function toJson(node: ExplanationNode): Buffer {
  return Buffer.from(JSON.stringify(node));
}

const CLOSE = Buffer.from('}');
const COMMA = Buffer.from(',');

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
