import type { WantedNodes } from '../model/filters.ts';
import type { Opening } from '../model/subscription-request.ts';

/** How little of nodes somebody may see. */
export type Detail = 'structure';

/** What a reader asked to see, checked and normalised. Two readers with equal specs share one view. */
export interface ViewSpec {
  readonly filters: WantedNodes;
  /** `auto` folds what is dull, `none` shows every node. */
  readonly collapse: 'auto' | 'none';
  readonly ui: boolean;
  /** Nodes are seen without their texts; with them if absent. */
  readonly detail?: Detail | undefined;
  /** Nodes that left memory are shown as if they had not. */
  readonly archived: boolean;
  /** Summaries, and whole tasks, that this reader opened. */
  readonly expandedSummaries: ReadonlySet<string>;
  readonly expandedTasks: ReadonlySet<string>;
  /** At a gateway, in place of these two: what was opened and closed, in order. Only cells know what it leads to. */
  readonly opened?: readonly Opening[];
}

/** The spec with what is open in another one. */
export function withOpened(spec: ViewSpec, { expandedSummaries, expandedTasks, opened }: ViewSpec): ViewSpec {
  return { ...spec, expandedSummaries, expandedTasks, ...(opened && { opened }) };
}

/** Can a node of a task that is shown at all fail to match? */
export function hidesNodes(filters: WantedNodes): boolean {
  return Object.keys(filters).some((field) => field !== 'taskIds');
}

/** Equal for equal specs, or filters. */
export function specKey(spec: ViewSpec | WantedNodes): string {
  return JSON.stringify(spec, (_key, value: unknown) =>
    value instanceof Set ? [...(value as Set<string>)].sort((a, b) => (a < b ? -1 : 1)) : value,
  );
}
