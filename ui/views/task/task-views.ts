import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';

export interface TaskView {
  /** As in `?view=`. */
  readonly id: string;
  readonly label: string;
  readonly view: LazyExoticComponent<ComponentType>;
}

/** The ways to look at a task, in the order of their number keys; each is loaded when it is first shown. */
export const TASK_VIEWS: readonly TaskView[] = [
  { id: 'graph', label: 'Graph', view: lazy(() => import('../graph/graph-view.tsx')) },
  {
    id: 'waterfall',
    label: 'Waterfall',
    view: lazy(() => import('../waterfall/waterfall-view.tsx')),
  },
  { id: 'talk', label: 'Talk', view: lazy(() => import('../talk/talk-view.tsx')) },
  { id: 'table', label: 'Table', view: lazy(() => import('../table/table-view.tsx')) },
];

/** The one that the URL names, else the first. */
export function viewOf(params: URLSearchParams): TaskView | undefined {
  return TASK_VIEWS.find(({ id }) => id === params.get('view')) ?? TASK_VIEWS[0];
}
