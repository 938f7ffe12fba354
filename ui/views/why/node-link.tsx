import type { ExplanationNode } from '../../../src/client/browser.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { Status } from '../../widgets/status.tsx';

/** A step by its title; pressed, the panel shows it. */
export function NodeLink({ id, node }: { readonly id: string; readonly node: ExplanationNode | undefined }) {
  const { select, store } = useTask();
  const known = store.nodes.get(id) ?? node;
  return (
    <button type="button" className="node-link" onClick={() => select(id)}>
      {known && <Status status={shownStatus(known)} />}
      <span dir="auto">{known ? titleOf(known) : id}</span>
      {known && <span className="muted">{known.agent}</span>}
    </button>
  );
}
