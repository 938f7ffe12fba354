import type { Viewport } from '@xyflow/react';
import type { Cell } from '../../layout/place.ts';
import { CARD, STEP, roomFrom } from './geometry.ts';

/** Smaller cards than these are not read. */
const READING_ZOOM = 0.72;
/** On a screen so wide the page's letters are larger, too. */
const WIDE_PX = 2_400;
const WIDE_ZOOM = 1.4;
/** Above the first lane, for the buttons and names of frames. */
const TOP_PX = 64;
const BOTTOM_PX = 56;
const RIGHT_PX = 16;
/** A desk shows so many whole; so where it shows fewer, too, what happened is read from its beginning. */
export const SMALL_COLUMNS = 5;

interface Picture {
  /** The leftmost column. */
  readonly first: number;
  readonly columns: number;
  readonly lanes: number;
  /** What has to be seen. */
  readonly shown: Cell | undefined;
  /** Where it failed: seen with what led to it, so on screens alone that have room for both. */
  readonly failed: Cell | undefined;
  /** Pixels of the screen. */
  readonly width: number;
  readonly height: number;
}

/**
 * Where the picture stands when it is opened: all of it, as long as cards can be read; else from its beginning, or as far
 * from it as the given cell needs to be seen. No card is cut by the lane names.
 */
export function firstViewport(picture: Picture): Viewport {
  const { first, columns, lanes, width, height } = picture;
  const left = roomFrom(width);
  const room = width - left - RIGHT_PX;
  const fitsHigh = (height - TOP_PX - BOTTOM_PX) / (lanes * STEP.y);
  const fitsWide = room / ((columns - 1) * STEP.x + CARD.width);
  const most = width >= WIDE_PX ? WIDE_ZOOM : 1;
  // What is wider anyway is not made smaller for it.
  const fits = fitsWide < READING_ZOOM ? fitsHigh : Math.min(fitsHigh, fitsWide);
  const zoom = Math.min(most, room / CARD.width, Math.max(READING_ZOOM, fits));
  const whole = Math.max(1, Math.floor((room / zoom + STEP.x - CARD.width) / STEP.x));
  const shown = picture.shown ?? (whole > 1 ? picture.failed : undefined);
  const at = (shown?.col ?? first) - first;
  // Most of what is seen is what led to the step.
  const before = at < whole ? 0 : Math.min(at - Math.ceil((whole * 2) / 3) + 1, columns - whole);
  const y = ((shown?.row ?? 0) * STEP.y + CARD.height / 2) * zoom;
  return {
    x: left - (first + before) * STEP.x * zoom,
    y: fitsHigh >= READING_ZOOM ? TOP_PX : Math.min(TOP_PX, height / 2 - y),
    zoom,
  };
}
