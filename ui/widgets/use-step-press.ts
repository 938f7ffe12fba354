import { useRef } from 'react';
import type { MouseEvent } from 'react';
import type { ExplanationNode } from '../../src/client/browser.ts';
import { useTask } from '../state/task-context.ts';

/** How long after the first press a second one makes two of them. */
const SECOND_PRESS_MS = 250;

interface StepPress {
  readonly onClick: (event: MouseEvent) => void;
  readonly onDoubleClick: () => void;
}

/** One press selects a step, two open a SUMMARY in place. */
export function useStepPress({ id, type }: Pick<ExplanationNode, 'id' | 'type'>): StepPress {
  const { selected, select, toggleSummary } = useTask();
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  return {
    onClick({ detail }) {
      clearTimeout(waiting.current);
      // The panel that one press brings would come under the second; a key (0) has no second.
      if (type !== 'SUMMARY' || detail === 0 || selected !== undefined) select(id);
      else if (detail === 1) waiting.current = setTimeout(() => select(id), SECOND_PRESS_MS);
    },
    onDoubleClick() {
      clearTimeout(waiting.current);
      if (type === 'SUMMARY') toggleSummary(id);
    },
  };
}
