import type { ViewSpec } from '../view-spec.ts';

/** All there is, folded. */
export const EVERYTHING: ViewSpec = {
  filters: {},
  collapse: 'auto',
  ui: false,
  archived: true,
  expandedSummaries: new Set(),
  expandedTasks: new Set(),
};

/** Does a view with this spec show archived nodes of this task, where there are any? */
export function recalls({ archived, filters, expandedTasks }: ViewSpec, taskId: string): boolean {
  return expandedTasks.has(taskId) || (archived && (filters.taskIds?.has(taskId) ?? true));
}

/** Is nothing of this task to be seen, whatever it is? */
export function hides({ filters }: ViewSpec, taskId: string): boolean {
  return filters.taskIds !== undefined && !filters.taskIds.has(taskId);
}

export function recallsAny({ archived, expandedTasks }: ViewSpec): boolean {
  return archived || expandedTasks.size > 0;
}

/** The tasks whose archived nodes a view with this spec shows. */
export function tasksNamed({ archived, filters, expandedTasks }: ViewSpec): ReadonlySet<string> | 'all' {
  if (!archived) return expandedTasks;
  return filters.taskIds ? new Set([...filters.taskIds, ...expandedTasks]) : 'all';
}
