import type { ExplanationNode } from '../../src/client/browser.ts';
import { plural } from '../state/format.ts';
import { useTask } from '../state/task-context.ts';

interface OpenSummaryProps {
  readonly node: ExplanationNode;
  /** What is read on it; its name for screen readers says how many steps there are. */
  readonly children: React.ReactNode;
}

/** Opens a SUMMARY in place. Keys have `o` for it. */
export function OpenSummary({ node: { id, type, summary }, children }: OpenSummaryProps) {
  const { toggleSummary } = useTask();
  if (type !== 'SUMMARY') return null;
  return (
    <button
      type="button"
      className="open-summary"
      tabIndex={-1}
      aria-label={`Open ${plural(summary?.count ?? 0, 'step')} in place`}
      title="Open in place (O)"
      onClick={(event) => {
        event.stopPropagation();
        toggleSummary(id);
      }}
      // Two presses are one, and none on what is below.
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {children}
    </button>
  );
}
