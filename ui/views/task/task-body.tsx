import { Suspense } from 'react';
import { useConnection } from '../../connection/connection-state.ts';
import { useTask } from '../../state/task-context.ts';
import { useFact } from '../../state/use-graph.ts';
import { filterValues } from '../../state/filters.ts';
import { useUrl } from '../../state/url.ts';
import { ErrorBoundary } from '../../widgets/error-boundary.tsx';
import { viewOf } from './task-views.ts';

/** The chosen view, or why there is nothing to view. */
export function TaskBody() {
  const { store } = useTask();
  const isEmpty = useFact(store, ({ nodes }) => nodes.size === 0);
  const isComplete = useFact(store, (records) => records.isComplete);
  // What the service refused does not come; why is said above.
  const isRefused = useConnection(({ state }) => state === 'closed');
  const { params } = useUrl();
  const chosen = viewOf(params);
  if (!chosen) return null;
  const View = chosen.view;
  if (isEmpty) {
    const isFiltered = filterValues(params).length > 0;
    return (
      <main className="task-body">
        {isComplete ? (
          <p className="notice">
            {isFiltered
              ? 'No step matches the filters.'
              : 'Nothing is known of this task. It may have been erased, or not begun.'}
          </p>
        ) : (
          !isRefused && <p className="notice late muted">Loading …</p>
        )}
      </main>
    );
  }
  return (
    <main className="task-body">
      <ErrorBoundary>
        <Suspense fallback={<p className="notice late muted">Loading …</p>}>
          <View />
        </Suspense>
      </ErrorBoundary>
    </main>
  );
}
