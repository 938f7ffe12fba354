import type { AdaptationScope } from './adaptations.ts';
import type { Noticed } from './noticed.ts';

/** What is known of the versions of an adaptation, for a comparison of tasks. */
export interface AdaptationTimeline {
  readonly id: string;
  /** The oldest first, each in force until the next one. Of those before the first nothing is known, unless that is 1. */
  readonly versions: readonly TimedVersion[];
}

export interface TimedVersion {
  readonly version: number;
  /** Milliseconds since the Unix epoch. */
  readonly from: number;
  /** Whether it was added to prompts within its scope. */
  readonly enabled: boolean;
  readonly scope: AdaptationScope;
}

/**
 * How it is known which version a task ran with. `named`: its steps name adaptations. `time`: they name none; the version in
 * force when it began, within its scope.
 */
export type EffectBasis = 'named' | 'time';

/** The tasks with a version of an adaptation beside others. */
export interface AdaptationEffect extends Noticed {
  readonly id: string;
  /** The newest version first; those that no task ran with are left out. */
  readonly comparisons: readonly EffectComparison[];
  readonly tasks: EffectTasks;
  /** How to read the answer, for people. */
  readonly notice: string;
  /** There are more tasks, the older ones, or more versions. */
  readonly truncated?: true;
}

/** The tasks that were looked at, all of them over. */
export interface EffectTasks {
  /** By a version or without: these are compared. */
  readonly compared: number;
  /** They name none, and are outside of its scope, or it cannot be told which version they had. */
  readonly passedOver: number;
  /** More than one version in one task: compared with nothing. */
  readonly mixed: number;
}

export interface EffectComparison {
  readonly version: number;
  /** Another version, or tasks without any. */
  readonly against: number | 'without';
  readonly basis: EffectBasis;
  /** Tasks with `version`. */
  readonly with: EffectFigures;
  /** Those that they are compared with. */
  readonly than: EffectFigures;
  readonly failures: RateDifference;
  readonly costUsd?: Difference;
  readonly latencyMs?: Difference;
  readonly steps?: Difference;
  readonly tokens?: Difference;
  /** One of the groups is too small to say anything by. */
  readonly tooFew?: true;
}

export interface EffectFigures {
  readonly tasks: number;
  readonly failed: number;
  /** Share of those that failed, with Wilson's interval of 95 %. */
  readonly failureRate: number;
  readonly failureInterval: Interval;
  readonly costUsd?: Distribution;
  readonly latencyMs?: Distribution;
  readonly steps?: Distribution;
  readonly tokens?: Distribution;
}

export type Interval = readonly [low: number, high: number];

export interface Distribution {
  /** Tasks that have the figure. */
  readonly tasks: number;
  readonly mean: number;
  readonly median: number;
}

/** `with` less `than`. */
export interface RateDifference {
  readonly difference: number;
  /** Newcombe's, 95 %. */
  readonly interval: Interval;
  /** Fisher's exact test, two-sided. */
  readonly p: number;
}

/** `with` less `than`; intervals of 95 % by bootstrap, absent where there are too few tasks for any. */
export interface Difference {
  readonly mean: number;
  readonly meanInterval?: Interval;
  readonly median: number;
  readonly medianInterval?: Interval;
}
