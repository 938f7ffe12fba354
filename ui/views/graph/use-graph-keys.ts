import { useReactFlow } from '@xyflow/react';
import { useTask } from '../../state/task-context.ts';
import { useKeys } from '../../widgets/use-keys.ts';
import type { GraphSession } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';
import { directionOf, walk } from './walk.ts';

interface GraphKeys {
  readonly session: GraphSession;
  /** Brings a card onto the screen. */
  readonly show: (id: string) => void;
  readonly tidy: () => void;
  readonly undo: () => void;
  readonly fit: () => void;
  readonly nextError: () => void;
}

/** Single keys for the whole view. @returns what the keys do on a card that has the focus */
export function useGraphKeys({
  session,
  show,
  tidy,
  undo,
  fit,
  nextError,
}: GraphKeys): (event: React.KeyboardEvent) => void {
  const { store, selected, toggleSummary } = useTask();
  const flow = useReactFlow();
  const { activate, follow } = useGraphState.getState();
  const goTo = (id: string): void => {
    follow(false);
    activate(id, true);
    show(id);
  };
  const openSummary = (): void => {
    const id = useGraphState.getState().active ?? selected;
    if (id !== undefined) toggleSummary(id);
  };
  useKeys({
    f: () => follow(!useGraphState.getState().isFollowing),
    '0': fit,
    '+': () => void flow.zoomIn(),
    '-': () => void flow.zoomOut(),
    e: nextError,
    o: openSummary,
    t: tidy,
    z: undo,
  });
  return (event) => {
    const card = (event.target as HTMLElement).closest<HTMLElement>('[data-node-id]')?.dataset['nodeId'];
    const direction = directionOf(event.key);
    if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey || card === undefined)
      return;
    event.preventDefault();
    event.stopPropagation();
    const next = walk(session.anchors.get(card) ?? card, direction, store, session.placement.cells);
    if (next !== undefined) goTo(next);
  };
}
