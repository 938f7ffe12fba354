import { useState } from 'react';
import { useTask } from '../../state/task-context.ts';
import type { GraphSession } from './graph-session.ts';
import { tidied } from './tidy.ts';

interface Tidy {
  /** Rises when cells were given anew. */
  readonly version: number;
  /** Nothing was given anew, since it took too long. */
  readonly isLate: boolean;
  readonly tidy: () => void;
  readonly undo: () => void;
}

/** Gives everything a new place on demand, once at a time, and takes that back. */
export function useTidy(session: GraphSession): Tidy {
  const { store } = useTask();
  const [version, setVersion] = useState(session.tidied);
  const [isAsked, ask] = useState(false);
  const [isLate, setLate] = useState(false);
  const tidy = async (): Promise<void> => {
    if (isAsked) return;
    ask(true);
    const places = await tidied(store);
    ask(false);
    setLate(places === undefined);
    if (places) session.take(places, store);
    setVersion(session.tidied);
  };
  const undo = (): void => {
    session.takeBack(store);
    setVersion(session.tidied);
  };
  return { version, isLate, tidy: () => void tidy(), undo };
}
