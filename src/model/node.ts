import type { Noticed } from './noticed.ts';

/** The spec's data structures (section 3) with the additions of the public contract. */

export const NODE_TYPES = [
  'LLM_CALL',
  'STATIC_ANALYSIS',
  'TEST_RUN',
  'MODEL_SWITCH',
  'REFLEXION_ACTION',
  'USER_QUERY',
  'OTHER',
  'TOOL_CALL',
  'REASONING',
  'SUMMARY',
] as const;
export type NodeType = (typeof NODE_TYPES)[number];

export const NODE_STATUSES = ['OK', 'ERROR', 'WARNING', 'SKIPPED'] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];

/** RUNNING until its end is known; ABANDONED when that did not come within the time allowed. */
export const NODE_STATES = ['RUNNING', 'ENDED', 'ABANDONED'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** A single reasoning or system event. Immutable: a change makes a new object. Unknown numbers are absent. */
export interface ExplanationNode {
  readonly id: string;
  /** ISO 8601, the start. */
  readonly timestamp: string;
  readonly agent: string;
  readonly type: NodeType;
  readonly name: string;
  /** What tells it from its siblings, for people: one redacted line of at most 120 characters. */
  readonly title: string;
  readonly taskId: string;
  readonly state: NodeState;
  readonly model?: string;
  readonly promptSummary?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly latencyMs?: number;
  readonly costUsd?: number;
  readonly status: NodeStatus;
  readonly details?: { readonly [key: string]: unknown };
  /** Only on SUMMARY. */
  readonly summary?: NodeSummary;
  /** Only when the reader asked for it. */
  readonly ui?: NodeUi;
}

/** What a SUMMARY node stands for. */
export interface NodeSummary {
  /** Steps; the REASONING of an LLM call is part of it. */
  readonly count: number;
  readonly avgLatencyMs?: number;
  readonly totalCostUsd?: number;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  /** How many members of each type. */
  readonly types: { readonly [type: string]: number };
  /** Dull steps; many alike under one step; less important ones of a task with too many. */
  readonly reason: 'routine' | 'repeated' | 'limit';
}

/** Rendering hints, spec 2.2.3. */
export interface NodeUi {
  readonly label: string;
  readonly color: string;
  readonly size: number;
  readonly tooltip: string;
  /** All that is known of it: the node's `details`. */
  readonly metadata: { readonly [key: string]: unknown };
}

export const EDGE_RELATIONS = [
  'NEXT_STEP',
  'TRIGGERED',
  'REFLECTED',
  'ESCALATED',
  'USER_ACTION',
  'OTHER',
] as const;
export type EdgeRelation = (typeof EDGE_RELATIONS)[number];

/** What proves an edge, strongest first: the order decides which edge yields where edges would close a cycle. */
export const EVIDENCE = [
  'parentSpanId',
  'requestId',
  'toolCallId',
  'link',
  'dependsOn',
  'event',
  'content',
  'inferred',
] as const;
export type Evidence = (typeof EVIDENCE)[number];

export interface ExplanationEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly relation: EdgeRelation;
  readonly evidence: Evidence;
  /** True when hidden nodes lie between the ends. */
  readonly bridged?: true;
}

export interface ExplanationGraph extends Noticed {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
  /** ISO 8601. */
  readonly lastUpdated: string;
  /** What readers are to know of it, a sentence each, such as which cell behind a gateway is away; absent when that is nothing. */
  readonly notices?: readonly string[];
}

/**
 * Removals apply before additions. A node or edge in the added lists whose id is already held replaces it;
 * removing a node removes its edges.
 */
export interface GraphUpdate {
  readonly addedNodes: readonly ExplanationNode[];
  readonly removedNodeIds: readonly string[];
  readonly addedEdges: readonly ExplanationEdge[];
  readonly removedEdgeIds: readonly { readonly from: string; readonly to: string; readonly id: string }[];
  /** ISO 8601. */
  readonly timestamp: string;
  /** What is in `ExplanationGraph.notices` from now on, none being []; absent when that is as before. */
  readonly notices?: readonly string[];
}

/** A whole graph, as what changed since there was nothing. */
export function fromNothing({ nodes, edges, lastUpdated }: ExplanationGraph): GraphUpdate {
  return {
    addedNodes: nodes,
    removedNodeIds: [],
    addedEdges: edges,
    removedEdgeIds: [],
    timestamp: lastUpdated,
  };
}
