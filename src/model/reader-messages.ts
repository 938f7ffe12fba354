import type { StepTexts } from './facts.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from './node.ts';

/** What readers get besides the graph itself; the same shapes on every transport, in the service and in its client. */

/**
 * Frames from service to reader. `update` and `graph` objects are shared between the subscribers of one view,
 * so that a server can encode each once (WeakMap keyed by the object).
 */
export type ServerFrame =
  | {
      readonly type: 'subscribed';
      readonly requestId?: string;
      readonly subscriptionId: string;
      readonly sequence: number;
      readonly graph: ExplanationGraph;
    }
  | {
      readonly type: 'update';
      readonly subscriptionId: string;
      readonly sequence: number;
      readonly update: GraphUpdate;
    }
  | {
      readonly type: 'snapshotNeeded';
      readonly requestId?: string;
      readonly subscriptionId: string;
      readonly reason: string;
    };

/** One node with what is too large for the graph. */
export interface NodeDetail {
  readonly node: ExplanationNode;
  /** Full redacted texts; absent when none were recorded or they left memory. */
  readonly texts?: StepTexts;
  /** Redacted attributes of the spans behind the node, by span id. */
  readonly attributes?: { readonly [spanId: string]: { readonly [key: string]: unknown } };
  /** For a SUMMARY: how many nodes it stands for. */
  readonly memberCount?: number;
  /** For a SUMMARY: a page of what it stands for: siblings by start, each followed by what is below it. */
  readonly members?: readonly ExplanationNode[];
  /** The edges among the members on the page. */
  readonly memberEdges?: readonly ExplanationEdge[];
}

export interface TaskOverview {
  readonly taskId: string;
  readonly nodes: number;
  readonly errors: number;
  readonly running: number;
  /** Sums over LLM_CALL nodes; absent when no node has the figure. */
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly costUsd?: number;
  /** ISO 8601, of the earliest and the latest node. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly agents: readonly string[];
}
