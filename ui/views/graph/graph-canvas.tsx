import { memo, useEffect, useMemo, useRef } from 'react';
import { ReactFlow, useReactFlow, useStoreApi } from '@xyflow/react';
import type { Viewport } from '@xyflow/react';
import { useTask } from '../../state/task-context.ts';
import { useStructure } from '../../state/use-graph.ts';
import { ActivityStrip } from './activity-strip.tsx';
import { ArrowHeads, CauseArrow } from './cause-arrow.tsx';
import { FrameBand, FrameNames } from './frame-parts.tsx';
import { STEP, roomFrom } from './geometry.ts';
import { GraphTools } from './graph-tools.tsx';
import type { GraphSession } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';
import { hottest } from './heat.ts';
import { HottestContext } from './heat-context.ts';
import { LaneNames } from './lane-names.tsx';
import { StepCard } from './step-card.tsx';
import { useErrors } from './use-errors.ts';
import { useFollow } from './use-follow.ts';
import { useGraphKeys } from './use-graph-keys.ts';
import { useShowCard } from './use-show-card.ts';
import { useTidy } from './use-tidy.ts';

const NODE_TYPES = { card: StepCard, names: FrameNames, band: FrameBand };
const EDGE_TYPES = { cause: CauseArrow };
const NONE: ReadonlySet<string> = new Set();
/** As far out as a wheel goes, but where that is not enough for all. */
const MIN_ZOOM = 0.05;
/** Both sides of the smallest room that all is to fit in. */
const LEAST_PX = 120;
/** Room for the buttons, and beside the lane names. */
const FIT_PADDING = { top: '56px', right: '16px', bottom: '24px' } as const;

interface GraphCanvasProps {
  readonly session: GraphSession;
  readonly viewport: Viewport;
}

export const GraphCanvas = memo(function GraphCanvas({ session, viewport }: GraphCanvasProps) {
  const { store, highlight, selected } = useTask();
  const structure = useStructure(store);
  const { version: tidied, isLate, tidy, undo } = useTidy(session);
  const flow = useReactFlow();
  const api = useStoreApi();
  const heat = useGraphState((state) => state.heat);
  const active = useGraphState((state) => state.active);
  const { activate, follow } = useGraphState.getState();

  const fresh = useMemo(() => session.update(store), [session, store, structure]);
  const elements = useMemo(
    () =>
      session.elements.build({
        store,
        cells: session.placement.cells,
        anchors: session.anchors,
        wanted: highlight?.edges ?? NONE,
      }),
    [session, store, structure, tidied, highlight],
  );
  const most = useMemo(
    () => hottest(store, session.placement.cells.keys(), heat),
    [store, session, structure, heat],
  );
  const news = fresh.filter((id) => store.news.has(id));
  const { unseen, toNewest, moved } = useFollow(session, useSame(news));
  useEffect(moved, [moved, tidied]);
  const show = useShowCard(session);

  useEffect(() => {
    const stop = active !== undefined && store.nodes.has(active) && session.placement.cells.has(active);
    const first = selected ?? elements.nodes.find(({ type }) => type === 'card')?.id;
    if (!stop && first !== undefined) activate(first, false);
  }, [active, activate, elements, selected, session, store]);

  const fit = (): void => {
    follow(false);
    const left = `${roomFrom(api.getState().width)}px` as const;
    void flow.fitView({ padding: { ...FIT_PADDING, left }, maxZoom: 1 });
  };
  const errors = useErrors(session, show);
  const onKeyDown = useGraphKeys({ session, show, tidy, undo, fit, nextError: errors.next });
  const { columns, lanes } = session.placement;
  // However large it gets, Fit shows all of it. In steps: another one has React Flow tell every card and arrow.
  const least = Math.min(MIN_ZOOM, LEAST_PX / (columns * STEP.x), LEAST_PX / (lanes.length * STEP.y));
  const minZoom = 2 ** Math.floor(Math.log2(least));
  const backward = elements.edges.filter(({ data }) => data?.isBackward === true).length;

  return (
    <HottestContext value={most}>
      <div
        className="graph"
        data-testid="graph"
        role="group"
        aria-label="Graph of the steps"
        onKeyDown={onKeyDown}
      >
        <ArrowHeads />
        <ReactFlow
          nodes={elements.nodes}
          edges={elements.edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          defaultViewport={viewport}
          minZoom={minZoom}
          maxZoom={2}
          onlyRenderVisibleElements
          panOnScroll
          zoomOnDoubleClick={false}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          onMoveStart={endFollowing}
          onMoveEnd={moved}
        />
        <LaneNames lanes={lanes} key={tidied} />
        <GraphTools
          unseen={unseen}
          onNewest={toNewest}
          backward={backward}
          canUndo={session.canUndo}
          isLate={isLate}
          hasErrors={errors.areThere}
          onError={errors.next}
          onTidy={tidy}
          onUndo={undo}
          onFit={fit}
        />
      </div>
      <ActivityStrip session={session} />
    </HottestContext>
  );
});

/** The first gesture of a person does. One function for all drawings: another one has React Flow tell every card and arrow. */
function endFollowing(event: unknown): void {
  if (event) useGraphState.getState().follow(false);
}

/** The same list as long as what is in it is the same. */
function useSame(list: readonly string[]): readonly string[] {
  const key = list.join(' ');
  const held = useRef({ key, list });
  if (held.current.key !== key) held.current = { key, list };
  return held.current.list;
}
