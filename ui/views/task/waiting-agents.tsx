import { waitsForApproval } from '../../../src/client/browser.ts';
import { plural } from '../../state/format.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { useTask } from '../../state/task-context.ts';
import { useFact } from '../../state/use-graph.ts';

/** How many steps wait for a person's answer; leads from one to the next. Nothing where none does. */
export function WaitingAgents() {
  const { store, selected, select } = useTask();
  const count = useFact(store, (records) => waitingSteps(records).length);
  if (count === 0) return null;
  const showNext = (): void => {
    const ids = waitingSteps(store);
    select(ids[(ids.indexOf(selected ?? '') + 1) % ids.length]);
  };
  return (
    <button type="button" className="chip waiting" data-testid="waiting-agents" onClick={showNext}>
      {plural(count, 'approval')} waiting
    </button>
  );
}

function waitingSteps({ nodes }: GraphStore): readonly string[] {
  const ids: string[] = [];
  for (const node of nodes.values()) if (waitsForApproval(node)) ids.push(node.id);
  return ids;
}
