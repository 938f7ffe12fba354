import { useCallback, useEffect, useRef } from 'react';
import { useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import { useTask } from '../../state/task-context.ts';
import { CARD, STEP, gutterOf, placeOf } from './geometry.ts';
import type { GraphSession } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';
import { isMotionReduced } from './use-follow.ts';

const MOVE_MS = 150;
/** Cards that are any smaller say nothing of themselves. */
const LEAST_ZOOM = 0.5;
/** Around what an answer is about; the buttons have room in it. */
const MARGIN = 48;

/** Moves the picture to what was chosen or asked for elsewhere, if it is off the screen. @returns does it for one card */
export function useShowCard(session: GraphSession): (id: string) => void {
  const { selected, highlight } = useTask();
  const flow = useReactFlow();
  const api = useStoreApi();
  const show = useCallback(
    (id: string) => {
      const cell =
        session.placement.cells.get(id) ?? session.placement.cells.get(session.anchors.get(id) ?? '');
      if (!cell) return;
      const { width, height, transform } = api.getState();
      const [x, y, zoom] = transform;
      const place = placeOf(cell);
      const [left, top] = [place.x * zoom + x, place.y * zoom + y];
      const isIn =
        left >= gutterOf(width) &&
        left + CARD.width * zoom <= width &&
        top >= 0 &&
        top + CARD.height * zoom <= height;
      if (isIn) return;
      useGraphState.getState().follow(false);
      // In the middle of what the lane names leave free.
      const middle = { x: (gutterOf(width) + width) / 2, y: height / 2 };
      void flow.setViewport(
        {
          x: middle.x - (place.x + CARD.width / 2) * zoom,
          y: middle.y - (place.y + CARD.height / 2) * zoom,
          zoom,
        },
        { duration: isMotionReduced() ? 0 : MOVE_MS },
      );
    },
    [api, flow, session],
  );
  useEffect(() => {
    // Who pressed a card has it before them: it stays under the pointer, for the second press of two as well.
    if (selected !== undefined && selected !== useGraphState.getState().active) show(selected);
  }, [selected, show]);
  const size = useStore(({ width, height }) => `${width} ${height}`);
  const drawn = useRef(size);
  useEffect(() => {
    // The panel that it opened leaves less of the picture.
    if (selected !== undefined && drawn.current !== size) show(selected);
    drawn.current = size;
  }, [selected, show, size]);
  useEffect(() => {
    const lit = [...(highlight?.nodes ?? [])].map((id) => session.placement.cells.get(id));
    const cells = lit.filter((cell) => cell !== undefined);
    if (cells.length === 0) return;
    const cols = cells.map(({ col }) => col);
    const rows = cells.map(({ row }) => row);
    const { x, y } = placeOf({ col: Math.min(...cols), row: Math.min(...rows) });
    const wide = Math.max(...cols) * STEP.x + CARD.width - x;
    const high = Math.max(...rows) * STEP.y + CARD.height - y;
    const { width, height } = api.getState();
    const left = gutterOf(width);
    const room = { width: width - left - 2 * MARGIN, height: height - 2 * MARGIN };
    const fits = Math.min(room.width / wide, room.height / high, Math.max(1, flow.getZoom()));
    const zoom = Math.max(LEAST_ZOOM, fits);
    // Of what is wider, its end, which was asked about; but where one has to look first is seen.
    const spare = room.width - wide * zoom;
    const first = session.placement.cells.get(highlight?.candidates[0] ?? '');
    const toFirst = first ? (x - placeOf(first).x) * zoom : spare;
    const beside = spare < 0 ? Math.max(spare, toFirst) : spare / 2;
    useGraphState.getState().follow(false);
    void flow.setViewport({
      x: left + MARGIN + beside - x * zoom,
      y: MARGIN + (room.height - high * zoom) / 2 - y * zoom,
      zoom,
    });
  }, [highlight, api, flow, session]);
  return show;
}
