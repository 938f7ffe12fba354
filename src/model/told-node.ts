import type { ExplanationEdge, ExplanationNode } from './node.ts';

/** Fields of a node by which it is decided where it goes, and whether it is one. */
export interface Places {
  readonly id: string;
  readonly timestamp: string;
  readonly type: string;
  readonly taskId: string;
  readonly state: string;
  readonly status: string;
}

/**
 * A node as another service told it, in the forms in which it is passed on: what is only passed on is not decoded. It is an
 * `ExplanationNode` to whoever reads its fields: its `Places` are there, the others are decoded when somebody looks.
 * Whoever spreads nodes, or goes through their fields, takes them by `wholeNodes` first: of this one that would be its
 * bytes, and no more than its places.
 */
export class ToldNode implements Places {
  readonly id: string;
  readonly timestamp: string;
  readonly type: string;
  readonly taskId: string;
  readonly state: string;
  readonly status: string;
  /** The node as `explain.v1.ExplanationNode`, and behind it as JSON. */
  readonly bytes: Buffer;
  /** Where the JSON begins. */
  readonly jsonAt: number;
  /** Every field has the type that it has in an `ExplanationNode`, and it has neither summary nor hints. */
  readonly isPlain: boolean;
  #decoded: ExplanationNode | undefined;

  private constructor(places: Places, bytes: Buffer, jsonAt: number, isPlain: boolean) {
    this.id = places.id;
    this.timestamp = places.timestamp;
    this.type = places.type;
    this.taskId = places.taskId;
    this.state = places.state;
    this.status = places.status;
    this.bytes = bytes;
    this.jsonAt = jsonAt;
    this.isPlain = isPlain;
  }

  /** @param places what its bytes say of these fields */
  static of(places: Places, bytes: Buffer, jsonAt: number, isPlain: boolean): ExplanationNode {
    return new ToldNode(places, bytes, jsonAt, isPlain) as unknown as ExplanationNode;
  }

  get message(): Buffer {
    return this.bytes.subarray(0, this.jsonAt);
  }

  get json(): Buffer {
    return this.bytes.subarray(this.jsonAt);
  }

  /** All its fields, as a plain object. */
  toJSON(): ExplanationNode {
    return (this.#decoded ??= JSON.parse(this.bytes.toString('utf8', this.jsonAt)) as ExplanationNode);
  }
}

/** What a node or an edge mostly takes in a view of a gateway, its place in the indexes included. */
export const ITEM_BYTES = 1_280;

/** As how many items of a view a node counts where these are bounded: one that is large takes the place of several. */
export function sizeInItems(node: ExplanationNode): number {
  return node instanceof ToldNode ? Math.max(1, Math.floor(node.bytes.length / ITEM_BYTES)) : 1;
}

/** So it is with an edge: its ids are texts of its own. */
export function edgeSizeInItems({ id, from, to }: ExplanationEdge): number {
  return Math.max(1, Math.floor((id.length + from.length + to.length) / ITEM_BYTES));
}

/** Nodes whose fields are there all at once. */
export function wholeNodes(nodes: readonly ExplanationNode[]): readonly ExplanationNode[] {
  return nodes.map((node) => (node instanceof ToldNode ? node.toJSON() : node));
}

/** Are there nodes, and were all of them told so? */
export function areTold(nodes: readonly object[]): nodes is readonly (ToldNode & ExplanationNode)[] {
  return nodes.length > 0 && nodes.every((node) => node instanceof ToldNode);
}

const DECODED: readonly Exclude<keyof ExplanationNode, keyof ToldNode>[] = [
  'agent',
  'name',
  'title',
  'model',
  'promptSummary',
  'tokensIn',
  'tokensOut',
  'latencyMs',
  'costUsd',
  'details',
  'summary',
  'ui',
];
for (const name of DECODED)
  Object.defineProperty(ToldNode.prototype, name, {
    get(this: ToldNode): unknown {
      return this.toJSON()[name];
    },
  });
