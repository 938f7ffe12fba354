import type { StepTexts } from './facts.ts';
import type { ExplanationGraph } from './node.ts';
import type { Noticed } from './noticed.ts';

/**
 * The reasons for which a step is named as a possible cause. Each is a stated rule that a reader can check, and no
 * more: a candidate is where to look first, never a verdict.
 *
 * - `valueOrigin`: it is where what the final answer says was first said.
 * - `failedAction`: what it did failed, also where only the text of the result says so.
 * - `stateChange`: it asked for a tool that changes something.
 * - `nearestCall`: the LLM call from which the fewest edges lead to the failure.
 * - `modelChange`: a change of model on the way to the failure.
 * - `repeatedAttempt`: an earlier attempt at the step that failed, which failed as well.
 * - `unsupported`: most of what it says, or a figure in it, stands in nothing before it; or it assumes or simulates.
 * - `progressLost`: the last step before the coordinator saw no progress, or one that was done again and again.
 * - `firstAct`, `lastAct`: the first and the last step that did something; by order alone.
 */
export const CAUSE_RULES = [
  'valueOrigin',
  'failedAction',
  'stateChange',
  'nearestCall',
  'modelChange',
  'repeatedAttempt',
  'unsupported',
  'progressLost',
  'firstAct',
  'lastAct',
] as const;
export type CauseRule = (typeof CAUSE_RULES)[number];

/** What is asked about: a node; or of a task the failed node nearest to its root, the latest of several. */
export type WhyQuestion = { readonly nodeId: string } | { readonly taskId: string };

/** What may have led to a failure. A function of the graph and its texts: equal ones give equal answers. */
export interface WhyAnswer extends Noticed {
  /** The node that the answer is about: the one asked about, or that at which a task failed. */
  readonly nodeId: string;
  readonly outcome: Outcome;
  /** Where to look first; at most five, none of them a failed node of the outcome. */
  readonly candidates: readonly CauseCandidate[];
  /** The agents of the candidates, that of the first candidate first. */
  readonly agents: readonly CauseAgent[];
  /** Something failed, and nothing that is known says why, its own error neither. */
  readonly unexplained?: true;
  readonly considered: Considered;
  /** The way back: the node, what it failed of inside, what led to these, and the candidates with their paths. */
  readonly graph: ExplanationGraph;
  /** How to read the answer, for people. */
  readonly notice: string;
  /** True when the way back was longer than what is shown; the closest part is there. */
  readonly truncated?: true;
}

export interface Outcome {
  /** The node itself first, then failed steps that contain it. Empty when it did not fail. */
  readonly failedNodes: readonly string[];
  /** Where the answer stands that was not accepted. */
  readonly finalAnswerNode?: string;
  /** What the failure says of itself: the error of the first of `failedNodes` that has one. */
  readonly error?: OutcomeError;
}

export interface OutcomeError {
  readonly nodeId: string;
  readonly text: string;
}

export interface CauseCandidate {
  readonly nodeId: string;
  readonly agent: string;
  /** From 1. */
  readonly rank: number;
  /** At least one; in the order of `CAUSE_RULES`. */
  readonly reasons: readonly CauseReason[];
}

export interface CauseReason {
  readonly rule: CauseRule;
  /** One sentence that says what the rule saw. */
  readonly statement: string;
  /** `order` when nothing but the place in the run speaks for it. */
  readonly strength: 'evidence' | 'order';
  /** Of `failedAction`: did a later call of the same tool go well? */
  readonly recovered?: boolean;
  readonly evidence: CauseEvidence;
}

export interface CauseEvidence {
  /** Node ids from the candidate to the node that the answer is about, both included; empty when no edges lead there. */
  readonly path: readonly string[];
  /** The edges of that path, in its order. Edges of containment may be walked from child to parent. */
  readonly edgeIds: readonly string[];
  readonly quotes: readonly CauseQuote[];
  readonly values: readonly CauseValue[];
}

/** A place in a text of a node, in UTF-16 units of the text that `getNode` gives. */
export interface CauseQuote {
  readonly nodeId: string;
  readonly field: keyof StepTexts;
  readonly start: number;
  readonly end: number;
  /** What stands there. */
  readonly text: string;
}

/** A figure or name that a step says. */
export interface CauseValue {
  readonly value: string;
  /** The node in whose text it stands first. */
  readonly firstSeen: string;
  /** The other nodes in whose texts it stands, in order of time. */
  readonly support: readonly string[];
  /** Does the result of any tool hold it? */
  readonly inToolResult: boolean;
}

export interface CauseAgent {
  readonly agent: string;
  /** How many candidates are steps of it. */
  readonly candidates: number;
  /** How many reasons these have. */
  readonly reasons: number;
}

/** What was looked at. */
export interface Considered {
  readonly steps: number;
  /** Of these steps, those of which texts are known. */
  readonly withText: number;
  /** Texts of which only the beginning was read, and steps too far from the failure to be looked at. */
  readonly cut: number;
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
  /** How to highlight it (founding spec 1.6). */
  readonly ui: { readonly label: string; readonly color: string; readonly tooltip: string };
  readonly nodeId: string;
  readonly taskId: string;
  readonly measure: SpikeMeasure;
}

export interface SpikesAnswer extends Noticed {
  /** By measure (cost first), then by how far they stand above the median. */
  readonly spikes: readonly Spike[];
  readonly notice: string;
  /** True when there are more than the answer holds. */
  readonly truncated?: true;
}
