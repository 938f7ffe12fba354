import type { Noticed } from './noticed.ts';

/** A task in a few sentences. A function of the graph and its texts: equal ones give equal sentences. */
export interface TaskSummary extends Noticed {
  readonly taskId: string;
  /** What was asked, what happened, what failed and where to look for the cause, what was done about it, what it cost. */
  readonly sentences: readonly SummarySentence[];
}

export interface SummarySentence {
  /** Redacted, one line. */
  readonly text: string;
  /** The nodes that it is about, in order of time; at least one, at most 20. */
  readonly nodeIds: readonly string[];
  /** Who put it in words: stated rules, or a model that was told what the rules say. */
  readonly by: 'rules' | 'model';
}
