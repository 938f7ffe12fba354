import { useMemo } from 'react';
import { useReactFlow, useStore } from '@xyflow/react';
import { useTask } from '../../state/task-context.ts';
import { useGraphVersion } from '../../state/use-graph.ts';
import { STEP } from './geometry.ts';
import type { GraphSession } from './graph-session.ts';
import { useViewportStyle } from './use-viewport-style.ts';

/** More bars than these are no longer seen apart. */
const MAX_BARS = 240;

/** The whole task in one line: how many steps stand in each stretch, where they failed, and what of it is on screen. */
export function ActivityStrip({ session }: { readonly session: GraphSession }) {
  const { store } = useTask();
  const version = useGraphVersion(store);
  const flow = useReactFlow();
  const frame = useViewportStyle<HTMLDivElement>();
  const { first, columns } = session.placement;
  const screen = useStore(({ width }) => width);
  const bars = useMemo(() => {
    const number = Math.max(1, Math.min(columns, MAX_BARS));
    const counted = Array.from({ length: number }, () => ({ steps: 0, errors: 0 }));
    for (const [id, { col }] of session.placement.cells) {
      const node = store.nodes.get(id);
      const bar = counted[Math.floor(((col - first) * number) / Math.max(1, columns))];
      if (!node || !bar) continue;
      bar.steps += 1;
      if (node.status === 'ERROR') bar.errors += 1;
    }
    return counted;
  }, [session, store, version, first, columns]);
  const most = Math.max(1, ...bars.map(({ steps }) => steps));
  const goTo = (event: React.PointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const { y, zoom } = flow.getViewport();
    const x = ((event.clientX - left) / width) * columns * STEP.x + first * STEP.x;
    void flow.setViewport({ x: screen / 2 - x * zoom, y, zoom });
  };
  return (
    <div
      className="activity-strip"
      aria-hidden="true"
      ref={frame}
      style={
        {
          '--first': first * STEP.x,
          '--extent': columns * STEP.x,
          '--width': screen,
          '--screen': `${screen}px`,
        } as React.CSSProperties
      }
      onPointerDown={goTo}
      onPointerMove={goTo}
    >
      <svg viewBox={`0 0 ${bars.length} 1`} preserveAspectRatio="none">
        <path d={barsPath(bars.map(({ steps }) => steps / most))} />
        <path className="failed" d={barsPath(bars.map(({ errors }) => errors / most))} />
      </svg>
      <span className="activity-window" />
    </div>
  );
}

/** One path for all bars: hundreds of elements would be styled anew with every update. @param heights shares of the whole */
function barsPath(heights: readonly number[]): string {
  return heights.map((height, x) => (height > 0 ? `M${x + 0.1} 1v${-height}h.8v${height}Z` : '')).join('');
}
