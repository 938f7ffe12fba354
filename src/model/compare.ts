import type { StepTexts } from './facts.ts';
import type { ExplanationNode } from './node.ts';
import type { Noticed } from './noticed.ts';
import type { TaskOverview } from './task-overview.ts';

/** What two steps may differ in: what they are and say, then what they took. Texts as `getNode` gives them. */
export const COMPARED_TEXTS = [
  'prompt',
  'completion',
  'reasoning',
  'toolArguments',
  'toolResult',
  'error',
] as const satisfies readonly (keyof StepTexts)[];
export const COMPARED_WORDS = [
  'type',
  'agent',
  'name',
  'model',
  'status',
  'state',
  'promptSummary',
] as const satisfies readonly (keyof ExplanationNode)[];
export const COMPARED_FIGURES = ['tokensIn', 'tokensOut', 'costUsd', 'latencyMs'] as const;
export type ComparedField =
  (typeof COMPARED_WORDS)[number] | (typeof COMPARED_TEXTS)[number] | (typeof COMPARED_FIGURES)[number];

/** Differs in such a field what was done? Two runs of one program differ in figures, and in names that hold ids. */
export function isDivergence(field: ComparedField): boolean {
  return field !== 'name' && !COMPARED_FIGURES.some((figure) => figure === field);
}

/** Two tasks side by side. The answer for `b` and `a` is the same with the sides changed. */
export interface CompareAnswer extends Noticed {
  /** Task ids, as asked for. */
  readonly a: string;
  readonly b: string;
  /**
   * In reading order: a step, then what is inside it. At most 1000; where there are more, those that diverge are here
   * first, then those that differ, and `truncated` says so.
   */
  readonly steps: readonly ComparedStep[];
  /** Where the runs part: the first step in time that is in one only, or does something else. Absent where they nowhere do. */
  readonly firstDivergence?: Divergence;
  readonly counts: CompareCounts;
  /** Of all nodes of each task. */
  readonly totals: { readonly a: TaskOverview; readonly b: TaskOverview };
  /** Sorted. */
  readonly models: { readonly a: readonly string[]; readonly b: readonly string[] };
  /** The failed step nearest the root, the latest of several, an error before a warning; absent where none failed. */
  readonly outcome: { readonly a?: string; readonly b?: string };
  /** The nodes that `steps` names. */
  readonly nodes: readonly ExplanationNode[];
  /** How to read the answer, for people. */
  readonly notice: string;
  readonly truncated?: true;
}

/** A step of both tasks, or of one of them. */
export interface ComparedStep {
  /** Node ids. */
  readonly a?: string;
  readonly b?: string;
  /** How many steps it is inside of. */
  readonly depth: number;
  /** Empty for a step that is in one task only. */
  readonly differs: readonly ComparedField[];
}

export interface Divergence {
  /** Its place in `steps`. */
  readonly step: number;
  /** One sentence. */
  readonly statement: string;
}

/** Of all steps, shown or not. */
export interface CompareCounts {
  /** In both, and different in nothing that was compared. */
  readonly same: number;
  /** In both, and different. */
  readonly differing: number;
  readonly onlyA: number;
  readonly onlyB: number;
  /** In both, and their texts were compared. */
  readonly textsCompared: number;
}
