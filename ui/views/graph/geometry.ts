import type { Cell } from '../../layout/place.ts';

/** Pixels at zoom 1. */
export const CARD = { width: 260, height: 84 } as const;
export const STEP = { x: 300, y: 124 } as const;
/** Names of frames stand above a card, in the gap between rows. */
export const NAMES_HEIGHT = 18;
/** What the lane names cover at the left, in pixels of the screen. */
export const GUTTER = 132;

export interface Place {
  readonly x: number;
  readonly y: number;
}

export function placeOf({ col, row }: Cell): Place {
  return { x: col * STEP.x, y: row * STEP.y };
}
