import type { BoundaryError } from '../../base/boundary-error.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { ServerFrame } from '../../model/reader-messages.ts';
import { ToldNode } from '../../model/told-node.ts';
import { EncodedOnce, type Join } from '../../transport/encoded-once.ts';

/** Graphs and updates are shared by the readers of one view and never change, so each becomes JSON once. */
const encoded = new EncodedOnce<Content>();
/** Nodes are shared by views, too. */
const encodedNodes = new EncodedOnce<Buffer>();

/** JSON as bytes: of a string the network layer would first make a whole one, then measure and encode it, for each reader. */
export function encodeFrame(frame: ServerFrame): Buffer {
  switch (frame.type) {
    case 'subscribed': {
      const { graph, ...envelope } = frame;
      const content = encoded.of(graph, ({ nodes, ...rest }, join) => new Content(NODES, nodes, rest, join));
      return splice(envelope, 'graph', content);
    }
    case 'update': {
      const { update, ...envelope } = frame;
      const content = encoded.of(
        update,
        ({ addedNodes, ...rest }, join) => new Content(ADDED_NODES, addedNodes, rest, join),
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
  /** Up to the end of the nodes; and what follows, of which bytes are made when they are wanted. */
  private readonly parts: Buffer[];
  private readonly rest: string;
  private readonly join: Join;
  private isShared = false;
  private whole: readonly Buffer[] | undefined;

  constructor(first: Buffer, nodes: readonly ExplanationNode[], rest: object, join: Join) {
    const parts = [first];
    for (const [n, node] of nodes.entries()) {
      if (n > 0) parts.push(COMMA);
      parts.push(node instanceof ToldNode ? node.json : encodedNodes.of(node, toJson));
    }
    this.parts = parts;
    this.rest = `],${JSON.stringify(rest).slice(1)}`;
    this.length = parts.reduce((sum, { length }) => sum + length, this.rest.length);
    this.join = join;
  }

  /** Its bytes in order. Most views have one reader, for whom they are copied once; from the second one on they are one piece. */
  take(): readonly Buffer[] {
    if (this.whole) return this.whole;
    const all = [...this.parts, Buffer.from(this.rest)];
    if (this.isShared) {
      this.whole = [this.join(all)];
      this.parts.length = 0;
      return this.whole;
    }
    this.isShared = true;
    return all;
  }
}

function toJson(node: ExplanationNode, join: Join): Buffer {
  return join([Buffer.from(JSON.stringify(node))]);
}

const NODES = Buffer.from('{"nodes":[');
const ADDED_NODES = Buffer.from('{"addedNodes":[');
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
