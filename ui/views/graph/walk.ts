import type { Cell } from '../../layout/place.ts';
import type { Records } from '../../layout/graph-reading.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

const KEYS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  h: 'left',
  ArrowRight: 'right',
  l: 'right',
  ArrowUp: 'up',
  k: 'up',
  ArrowDown: 'down',
  j: 'down',
};

export function directionOf(key: string): Direction | undefined {
  return KEYS[key];
}

/** The next card in a direction: sideways along an edge, else along the lane; up and down to the nearest of another lane. */
export function walk(
  from: string,
  direction: Direction,
  records: Records,
  cells: ReadonlyMap<string, Cell>,
): string | undefined {
  const here = cells.get(from);
  if (!here) return undefined;
  const sign = direction === 'left' || direction === 'up' ? -1 : 1;
  if (direction === 'left' || direction === 'right') {
    const ends =
      sign < 0
        ? records.causesOf(from).map((edge) => edge.from)
        : records.effectsOf(from).map(({ to }) => to);
    const along = ends.filter((id) => records.nodes.has(id) && cells.has(id));
    return nearest(along, cells, here, 1) ?? nearest(beside(records, cells, here, sign), cells, here, 1_000);
  }
  const others = [...cells.keys()].filter(
    (id) => records.nodes.has(id) && Math.sign((cells.get(id)?.row ?? 0) - here.row) === sign,
  );
  return nearest(others, cells, here, 1);
}

function beside(
  { nodes }: Records,
  cells: ReadonlyMap<string, Cell>,
  here: Cell,
  sign: number,
): readonly string[] {
  return [...cells]
    .filter(([id, { col }]) => nodes.has(id) && Math.sign(col - here.col) === sign)
    .map(([id]) => id);
}

/** @param perRow how many columns a row counts for */
function nearest(
  ids: readonly string[],
  cells: ReadonlyMap<string, Cell>,
  here: Cell,
  perRow: number,
): string | undefined {
  const far = (id: string): number => {
    const { col, row } = cells.get(id) ?? here;
    return Math.abs(col - here.col) + Math.abs(row - here.row) * perRow;
  };
  return ids.reduce<string | undefined>(
    (best, id) => (best === undefined || far(id) < far(best) ? id : best),
    undefined,
  );
}
