import type { GraphStore } from '../../state/graph-store.ts';
import { plural } from '../../state/format.ts';
import { useTask } from '../../state/task-context.ts';
import { useUrl } from '../../state/url.ts';
import { useFact } from '../../state/use-graph.ts';

/** How many steps stand in summaries, and what shows each of them; once they are shown, the way back. */
export function FoldedSteps() {
  const { store } = useTask();
  const { params, set } = useUrl();
  const folded = useFact(store, countFolded);
  const isAll = params.get('all') !== null;
  if (folded === 0 && !isAll) return null;
  return (
    <button
      type="button"
      className="chip"
      data-testid="folded-steps"
      onClick={() => set({ all: isAll ? null : '1', open: null }, 'push')}
    >
      {!isAll && <span className="muted">{plural(folded, 'step')} folded:</span>}{' '}
      {isAll ? 'fold routine steps' : 'show all'}
    </button>
  );
}

function countFolded({ nodes }: GraphStore): number {
  let count = 0;
  for (const { summary } of nodes.values()) count += summary?.count ?? 0;
  return count;
}
