import { useLayoutEffect, useRef, useState } from 'react';
import { ReactFlowProvider } from '@xyflow/react';
import type { Viewport } from '@xyflow/react';
import { useTask } from '../../state/task-context.ts';
import { useFact } from '../../state/use-graph.ts';
import { SMALL_COLUMNS, firstViewport } from './first-viewport.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { sessionOf } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';
import { firstFailure } from './use-errors.ts';
import '@xyflow/react/dist/base.css';
import './graph.css';

/** A task as a score: a lane for each agent, time to the right, causes as arrows, containment as frames. */
export default function GraphView() {
  const { store, selected } = useTask();
  const isComplete = useFact(store, (records) => records.isComplete);
  const session = sessionOf(store);
  const frame = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>();
  // Parts of a large graph come one after the other; to place the first one alone would put effects before their causes.
  const isReady = isComplete || session.placement.cells.size > 0;
  useLayoutEffect(() => {
    if (!isReady || !frame.current || viewport) return;
    session.update(store);
    const { clientWidth, clientHeight } = frame.current;
    const { cells, first, columns, lanes } = session.placement;
    const isRunning = [...store.nodes.values()].some(({ state }) => state === 'RUNNING');
    const fromStart = isRunning || columns <= SMALL_COLUMNS;
    const cellOf = (id = '') => cells.get(id) ?? cells.get(session.anchors.get(id) ?? '');
    setViewport(
      firstViewport({
        first,
        columns,
        lanes: lanes.length,
        shown: cellOf(selected),
        failed: fromStart ? undefined : cellOf(firstFailure(store, session)),
        width: clientWidth,
        height: clientHeight,
      }),
    );
    useGraphState.setState({ active: undefined, isFollowing: isRunning && selected === undefined });
  }, [isReady, selected, session, store, viewport]);
  return (
    <div className="graph-frame" ref={frame}>
      {viewport ? (
        <ReactFlowProvider>
          <GraphCanvas session={session} viewport={viewport} />
        </ReactFlowProvider>
      ) : (
        <p className="notice late muted">Loading …</p>
      )}
    </div>
  );
}
