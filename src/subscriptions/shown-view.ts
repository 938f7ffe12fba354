import type { IsOver, Work } from '../base/in-turns.ts';
import type { GraphUpdate } from '../model/node.ts';
import type { TaskViews } from './diff-view.ts';
import type { ViewSpec } from './view-spec.ts';

/**
 * What one or more readers with the same spec see, wherever it comes from. It is made first, in as many turns of the event
 * loop as that takes, and from then on brought up to date.
 */
export interface ShownView {
  readonly spec: ViewSpec;
  /** Equal for equal specs. */
  readonly key: string;
  /** Nodes and edges that it holds. */
  readonly items: number;
  /** Is it made, but not up to date? */
  readonly isStale: boolean;
  /** As `ExplanationGraph.notices`, of what was last made or refreshed. */
  readonly notices: readonly string[];
  /** Does it show a node of this task? */
  shows(taskId: string): boolean;
  /**
   * Makes what is not made yet. Each of several who wait for the same view may do so in turn.
   * @param bringUpToDate publishes what has changed and was not published yet
   * @throws BoundaryError when there can be no such view
   */
  make(isOver: IsOver, bringUpToDate: () => void): Work<void>;
  /** Brings it up to date. @returns what changed, or undefined; undefined as well while it is being made */
  refresh(timestamp: string): GraphUpdate | undefined;
  /** What is seen now: stays as it is whatever happens to the view. */
  copy(): TaskViews;
  /** Nobody looks at it any more. */
  end(): void;
}

/** Of two views that differ in what is open of one task only, the one that is made and up to date. */
export interface OtherView<V> {
  readonly view: V;
  readonly taskId: string;
}
