import type { ExplanationNode } from '../model/node.ts';

/** What a task looks like with collapsing on: a view of the graph, never a loss. */
export interface Fold {
  /** The summary that each folded node is in. */
  readonly summaryOf: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, FoldedGroup>;
  /** Says that the task has more nodes than are shown. */
  readonly notice: ExplanationNode | undefined;
}

/** The nodes that one SUMMARY stands for. */
export interface FoldedGroup {
  readonly summary: ExplanationNode;
  readonly members: readonly string[];
}

/** The settings that folding reads (founding spec, section 6). */
export interface FoldLimits {
  /** Milliseconds. A step at or above it is shown. */
  readonly pruneLatencyThresholdMs: number;
  /** US dollars. A step at or above it is shown. */
  readonly minCostUsdDetail: number;
  /** How many LLM calls may be nested in one another before the deeper ones are folded. */
  readonly maxCoTDepth: number;
  /** How many nodes of a task a reader sees, summaries and the notice included. */
  readonly maxNodesPerTask: number;
}

export const NO_FOLD: Fold = { summaryOf: new Map(), groups: new Map(), notice: undefined };
