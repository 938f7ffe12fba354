import type { ExplanationNode } from '../../../src/client/browser.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { byStart } from '../../state/node-times.ts';
import { useTask } from '../../state/task-context.ts';
import { useFact } from '../../state/use-graph.ts';
import type { GraphSession } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';

interface Errors {
  readonly areThere: boolean;
  /** Leads from one to the next, and after the last to the first. */
  readonly next: () => void;
}

/** The cards of steps that failed. @param show brings a card onto the screen */
export function useErrors(session: GraphSession, show: (id: string) => void): Errors {
  const { store, select } = useTask();
  const areThere = useFact(store, (records) => failedCards(records, session).length > 0);
  const next = (): void => {
    const failed = failedCards(store, session).sort(byStart);
    const { active, activate, follow } = useGraphState.getState();
    const at = failed.findIndex(({ id }) => id === active);
    const one = failed[(at + 1) % failed.length];
    if (!one) return;
    follow(false);
    activate(one.id, true);
    show(one.id);
    select(one.id);
  };
  return { areThere, next };
}

/** The first of them, by its start. */
export function firstFailure(store: GraphStore, session: GraphSession): string | undefined {
  return failedCards(store, session).sort(byStart)[0]?.id;
}

function failedCards({ nodes }: GraphStore, { placement }: GraphSession): ExplanationNode[] {
  const failed: ExplanationNode[] = [];
  for (const node of nodes.values())
    if (node.status === 'ERROR' && placement.cells.has(node.id)) failed.push(node);
  return failed;
}
