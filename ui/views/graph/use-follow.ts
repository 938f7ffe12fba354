import { useCallback, useEffect, useRef, useState } from 'react';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { CARD, STEP, gutterOf, placeOf, roomFrom } from './geometry.ts';
import type { GraphSession } from './graph-session.ts';
import { useGraphState } from './graph-state.ts';

/** The newest column ends before this part of the screen, and no card is cut by the lane names. */
const NEWEST_AT = 0.82;
const MOVE_MS = 200;

interface Follow {
  /** New steps that nobody has seen yet, as they are not on the screen. */
  readonly unseen: number;
  readonly toNewest: () => void;
  /** To be told that the picture was moved. */
  readonly moved: () => void;
}

/** Keeps the newest step on the screen while it is asked to, and counts those that are not on it. */
export function useFollow(session: GraphSession, fresh: readonly string[]): Follow {
  const flow = useReactFlow();
  const api = useStoreApi();
  const isFollowing = useGraphState((state) => state.isFollowing);
  const waiting = useRef(new Set<string>());
  const [unseen, setUnseen] = useState(0);

  const moved = useCallback(() => {
    const { width, height, transform } = api.getState();
    const [x, y, zoom] = transform;
    for (const id of waiting.current) {
      const cell = session.placement.cells.get(id);
      if (!cell) continue;
      const place = placeOf(cell);
      const left = place.x * zoom + x;
      const top = place.y * zoom + y;
      const isSeen =
        left + (CARD.width * zoom) / 2 > gutterOf(width) &&
        left < width &&
        top + CARD.height * zoom > 0 &&
        top < height;
      if (isSeen) waiting.current.delete(id);
    }
    setUnseen(waiting.current.size);
  }, [api, session]);

  const toNewest = useCallback(() => {
    const { width, height } = api.getState();
    const { y, zoom } = flow.getViewport();
    const { cells, first } = session.placement;
    // What came late may stand at the beginning: who asks for what they have not seen is led there.
    const { isFollowing: isAlways } = useGraphState.getState();
    const unseenCells = isAlways ? [] : [...waiting.current].flatMap((id) => cells.get(id) ?? []);
    const newest = (unseenCells.length > 0 ? unseenCells : [...cells.values()]).reduce(
      (best, cell) => (cell.col >= best.col ? cell : best),
      { col: first, row: 0 },
    );
    const left = roomFrom(width);
    const room = (width * NEWEST_AT - left) / zoom;
    const whole = Math.max(1, Math.floor((room + STEP.x - CARD.width) / STEP.x));
    const x = left - Math.max(first, newest.col + 1 - whole) * STEP.x * zoom;
    const top = newest.row * STEP.y * zoom + y;
    const isIn = top > 0 && top + CARD.height * zoom < height;
    const next = { x, y: isIn ? y : height / 2 - newest.row * STEP.y * zoom, zoom };
    void flow.setViewport(next, { duration: isMotionReduced() ? 0 : MOVE_MS }).then(moved);
    if (isMotionReduced()) moved();
  }, [api, flow, moved, session]);

  useEffect(() => {
    for (const id of fresh) waiting.current.add(id);
    if (useGraphState.getState().isFollowing && fresh.length > 0) toNewest();
    moved();
  }, [fresh, moved, toNewest]);

  useEffect(() => {
    if (isFollowing) toNewest();
  }, [isFollowing, toNewest]);
  return { unseen, toNewest, moved };
}

export function isMotionReduced(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
