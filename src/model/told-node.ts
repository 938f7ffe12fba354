import type { ExplanationNode } from './node.ts';

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
 * `ExplanationNode` to whoever reads its fields: its `Places` are there, each other one is decoded when somebody looks.
 * Whoever reads several, or goes through the fields of nodes, takes them by `wholeNodes` first.
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

  /** All its fields, as a plain object. It is decoded each time: kept, it would take more than the node is counted for. */
  toJSON(): ExplanationNode {
    return JSON.parse(this.bytes.toString('utf8', this.jsonAt)) as ExplanationNode;
  }
}

/** Nodes whose fields are there all at once. */
export function wholeNodes(nodes: readonly ExplanationNode[]): readonly ExplanationNode[] {
  return nodes.map((node) => (node instanceof ToldNode ? node.toJSON() : node));
}

/** The fields that are decoded; a field that an `ExplanationNode` gets is missing here until it is named. */
const DECODED: Readonly<Record<Exclude<keyof ExplanationNode, keyof ToldNode>, true>> = {
  agent: true,
  name: true,
  title: true,
  model: true,
  promptSummary: true,
  tokensIn: true,
  tokensOut: true,
  latencyMs: true,
  costUsd: true,
  details: true,
  summary: true,
  ui: true,
};
for (const name of Object.keys(DECODED) as (keyof typeof DECODED)[])
  Object.defineProperty(ToldNode.prototype, name, {
    get(this: ToldNode): unknown {
      return this.toJSON()[name];
    },
  });
