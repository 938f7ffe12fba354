import { memo } from 'react';
import { useStore } from '@xyflow/react';
import type { NodeProps } from '@xyflow/react';
import { shownStatus, spokenName, titleOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useNode } from '../../state/use-graph.ts';
import { Status } from '../../widgets/status.tsx';
import { EdgeEnds } from './edge-ends.tsx';
import type { BandNode, NamesNode } from './flow-elements.ts';

/** So many have room for their words; the others are dots. */
const NAMED = 2;

/** Containers whose first card is the one below. */
export const FrameNames = memo(function FrameNames({ data }: NodeProps<NamesNode>) {
  const isFar = useStore(({ transform }) => transform[2] < 0.45);
  return (
    <span className={`frame-names ${isFar ? 'far' : ''}`}>
      <EdgeEnds />
      {data.ids.map((id, index) => (
        <FrameName key={id} id={id} isNamed={index < NAMED} />
      ))}
    </span>
  );
});

function FrameName({ id, isNamed }: { readonly id: string; readonly isNamed: boolean }) {
  const { store, select, selected, highlight } = useTask();
  const node = useNode(store, id);
  if (!node) return null;
  const isDimmed = highlight !== undefined && !highlight.nodes.has(id);
  const status = shownStatus(node);
  return (
    <button
      type="button"
      className={`frame-name ${isNamed ? '' : 'dot'} ${status} ${isDimmed ? 'dimmed' : ''}`}
      data-testid="node"
      data-node-id={id}
      data-type={node.type}
      data-status={node.status}
      aria-label={`frame: ${spokenName(node)}`}
      aria-pressed={id === selected}
      title={titleOf(node)}
      tabIndex={-1}
      onClick={() => select(id)}
    >
      {isNamed && status !== 'ok' && <Status status={status} />}
      {isNamed && <span dir="auto">{titleOf(node)}</span>}
    </button>
  );
}

export const FrameBand = memo(function FrameBand({ data }: NodeProps<BandNode>) {
  const { store, selected } = useTask();
  const node = useNode(store, data.band.id);
  return (
    <span
      className={`frame-band ${node?.status === 'ERROR' ? 'error' : ''} ${data.band.id === selected ? 'selected' : ''}`}
    />
  );
});
