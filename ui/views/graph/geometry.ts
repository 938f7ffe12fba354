import type { Cell } from '../../layout/place.ts';

/** Pixels at zoom 1. */
export const CARD = { width: 260, height: 84 } as const;
export const STEP = { x: 300, y: 124 } as const;
/** Names of frames stand above a card, in the gap between rows. */
export const NAMES_HEIGHT = 18;
/** From the top of that card. */
export const NAMES_MIDDLE = -13;
/** Room between the lane names and the first card, in pixels of the screen. */
const BESIDE_NAMES = 12;

/** What the lane names cover at the left, in pixels of the screen; as in `.lane-name`. @param width of the whole picture */
export function gutterOf(width: number): number {
  return Math.min(Math.max(132, width * 0.05), width / 4);
}

/** Where cards begin that nothing covers, in pixels of the screen. @param width of the whole picture */
export function roomFrom(width: number): number {
  return gutterOf(width) + BESIDE_NAMES;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export function placeOf({ col, row }: Cell): Place {
  return { x: col * STEP.x, y: row * STEP.y };
}
