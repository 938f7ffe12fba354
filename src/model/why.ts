import type { ExplanationGraph } from './node.ts';

/**
 * The rules by which a step is named as a possible cause, in the order in which candidates are listed. They are
 * stated rules about the graph, and no more: a candidate is where to look first, never a verdict.
 *
 * - `firstError`: it failed, and nothing before it on the way did.
 * - `nearestCall`: the LLM call closest before the first failure, or before the step asked about, if it failed later.
 * - `precedingCall`: where no edge leads from any call to the failure, the last one that had ended before it
 *   under the same parent. The only rule that goes by time, and it says so.
 * - `modelChange`: the closest change of model before the failure.
 * - `repeatedAttempt`: an earlier attempt of the same step failed as well.
 * - `costOutlier`, `latencyOutlier`: it stands far above what such steps cost, or take, in its task.
 */
export const CAUSE_RULES = [
  'firstError',
  'nearestCall',
  'precedingCall',
  'modelChange',
  'repeatedAttempt',
  'costOutlier',
  'latencyOutlier',
] as const;
export type CauseRule = (typeof CAUSE_RULES)[number];

/** What may have led to a node. A function of the graph alone: equal graphs give equal answers. */
export interface WhyAnswer {
  /** The node that was asked about. */
  readonly nodeId: string;
  /** The way back: the node, what it failed of inside, and everything that led to these. */
  readonly graph: ExplanationGraph;
  /** By rule, strongest first. Empty when no rule names anything. */
  readonly candidates: readonly CauseCandidate[];
  /** How to read the answer, for people. */
  readonly notice: string;
  /** True when the way back was longer than what is shown; the closest part is there. */
  readonly truncated?: true;
}

export interface CauseCandidate {
  readonly nodeId: string;
  /** At least one; by rule, strongest first. */
  readonly reasons: readonly CauseReason[];
}

export interface CauseReason {
  readonly rule: CauseRule;
  /** One sentence that says what the rule saw. */
  readonly statement: string;
  readonly evidence: CauseEvidence;
}

export interface CauseEvidence {
  /** Node ids from the candidate to the node that was asked about, both included; empty when no edges lead there. */
  readonly path: readonly string[];
  /** The edges of that path, in its order. */
  readonly edgeIds: readonly string[];
  /** Other nodes that the rule compared the candidate with. */
  readonly nodeIds: readonly string[];
  /** For the outlier rules. */
  readonly figures?: OutlierFigures;
}

/** A value against the distribution it was compared with. */
export interface OutlierFigures {
  readonly value: number;
  readonly median: number;
  /** From here on a value counts as an outlier. */
  readonly threshold: number;
  /** How many steps of the same kind were compared. */
  readonly compared: number;
}

export const SPIKE_MEASURES = ['costUsd', 'latencyMs', 'tokensIn', 'tokensOut'] as const;
export type SpikeMeasure = (typeof SPIKE_MEASURES)[number];

/** A step that stands far above the others of its kind in its task. */
export interface Spike extends OutlierFigures {
  readonly nodeId: string;
  readonly taskId: string;
  readonly measure: SpikeMeasure;
}

export interface SpikesAnswer {
  /** By measure (cost first), then by how far they stand above the median. */
  readonly spikes: readonly Spike[];
  readonly notice: string;
  /** True when there are more than the answer holds. */
  readonly truncated?: true;
}
