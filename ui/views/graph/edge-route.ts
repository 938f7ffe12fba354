import type { Cell } from '../../layout/place.ts';
import { CARD, STEP } from './geometry.ts';

/** Between two columns, in pixels at zoom 1. */
const GAP = STEP.x - CARD.width;
/** How far the handles of a turn back are; it swings out by three quarters of it. */
const TURN = 30;
/** Ways beside each other between two rows: above the names of frames, and not on one line for neighbours. */
const WAYS = { number: 4, from: 4, apart: 4 } as const;

export interface Ends {
  readonly sourceX: number;
  readonly sourceY: number;
  readonly targetX: number;
  readonly targetY: number;
  /** The height at which it runs from beside its source to beside its target; undefined: they are neighbours. */
  readonly way: number | undefined;
}

export interface Route {
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}

/** Which cells have a card, so that arrows run beside cards and never behind one. */
export class Obstacles {
  /** Columns by row, ascending. */
  private readonly rows = new Map<number, number[]>();

  constructor(cells: Iterable<Cell>) {
    for (const { col, row } of cells) {
      const cols = this.rows.get(row);
      if (cols) cols.push(col);
      else this.rows.set(row, [col]);
    }
    for (const cols of this.rows.values()) cols.sort((a, b) => a - b);
  }

  /**
   * The height at which an arrow gets past the cards between: its own row where that is free, else the gap between two rows.
   *
   * @param sourceY where it begins
   */
  way(from: Cell, to: Cell, sourceY: number): number | undefined {
    if (to.col === from.col + 1) return undefined;
    if (to.col > from.col && this.isFree(from.row, from.col, to.col)) return sourceY;
    const above = to.row < from.row ? from.row - 1 : from.row;
    const lane = ((from.col % WAYS.number) + WAYS.number) % WAYS.number;
    return above * STEP.y + CARD.height + WAYS.from + lane * WAYS.apart;
  }

  private isFree(row: number, from: number, to: number): boolean {
    const cols = this.rows.get(row) ?? [];
    let low = 0;
    let high = cols.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cols[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    return (cols[low] ?? to) >= to;
  }
}

/** It changes its height between columns only, where no card is. */
export function routeOf({ sourceX, sourceY, targetX, targetY, way }: Ends): Route {
  const labelX = (sourceX + targetX) / 2;
  const begin = `M${sourceX} ${sourceY}`;
  if (way === undefined) {
    const half = (targetX - sourceX) / 2;
    const path = begin + bend([sourceX + half, sourceY], [targetX - half, targetY], [targetX, targetY]);
    return { path, labelX, labelY: (sourceY + targetY) / 2 };
  }
  const isForward = targetX > sourceX + GAP;
  const [along, back] = isForward ? [GAP, GAP / 2] : [0, -TURN];
  const [left, right] = [sourceX + along, targetX - along];
  const out = isForward ? GAP / 2 : TURN;
  const path =
    begin +
    bend([sourceX + out, sourceY], [left - back, way], [left, way]) +
    `L${right} ${way}` +
    bend([right + back, way], [targetX - out, targetY], [targetX, targetY]);
  return { path, labelX, labelY: way };
}

type Point = readonly [x: number, y: number];

function bend(...points: readonly [Point, Point, Point]): string {
  return `C${points.map((point) => point.join(' ')).join(' ')}`;
}
