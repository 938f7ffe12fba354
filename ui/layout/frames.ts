import type { Cell } from './place.ts';
import { isContainer, isContainment } from './graph-reading.ts';
import type { Records } from './graph-reading.ts';

/** A stretch of one row in which all cards are members of a container. */
export interface Band {
  readonly id: string;
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** How many frames lie inside it, at most. */
  readonly height: number;
}

/** A container is drawn further out than those inside it, up to here. */
const MAX_HEIGHT = 3;

/**
 * The frames of containers as bands along the rows: a band never runs over a card that is no member. One around all
 * cards says nothing and has none.
 */
export function frameBands(records: Records, cells: ReadonlyMap<string, Cell>): readonly Band[] {
  const present = [...cells].filter(([id]) => records.nodes.has(id));
  const rows = Map.groupBy(present, ([, { row }]) => row);
  for (const row of rows.values()) row.sort(([, a], [, b]) => a.col - b.col);
  const bands: Band[] = [];
  for (const [id, { members, height }] of membersOf(records, cells)) {
    if (members.size === 0 || members.size === present.length) continue;
    for (const row of new Set([...members].map((member) => cells.get(member)?.row ?? 0))) {
      let open: { from: number; to: number } | undefined;
      const close = (): void => {
        if (open) bands.push({ id, row, ...open, height: Math.min(height, MAX_HEIGHT) });
        open = undefined;
      };
      for (const [member, { col }] of rows.get(row) ?? []) {
        if (!members.has(member)) close();
        else open = { from: open?.from ?? col, to: col };
      }
      close();
    }
  }
  // One in another around the same cards would only be a thicker line.
  const places = Map.groupBy(bands, ({ row, from, to }) => [row, from, to].join(' '));
  return [...places.values()].flatMap((same) => same.sort((a, b) => a.height - b.height).slice(0, 1));
}

interface Members {
  readonly members: ReadonlySet<string>;
  readonly height: number;
}

/** The cards inside each container, at any depth. */
function membersOf(records: Records, cells: ReadonlyMap<string, Cell>): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>();
  for (const node of records.nodes.values()) {
    if (!isContainer(node, records)) continue;
    const members = new Set<string>();
    if (cells.has(node.id)) members.add(node.id);
    const seen = new Set([node.id]);
    let height = 0;
    let level = [node.id];
    while (level.length > 0) {
      const inside = level
        .flatMap((id) => records.effectsOf(id).filter(isContainment))
        .map(({ to }) => to)
        .filter((id) => !seen.has(id));
      level = [...new Set(inside)];
      for (const id of level) {
        seen.add(id);
        if (cells.has(id)) members.add(id);
      }
      height += level.some((id) => !cells.has(id)) ? 1 : 0;
    }
    found.set(node.id, { members, height });
  }
  return found;
}

/**
 * The card on which the name of each container stands: its first one when it came. Kept like a cell.
 *
 * @param anchors is added to
 */
export function anchorFrames(
  records: Records,
  cells: ReadonlyMap<string, Cell>,
  anchors: Map<string, string>,
): void {
  const left = [...records.nodes.values()].filter(
    (node) => !anchors.has(node.id) && !cells.has(node.id) && isContainer(node, records),
  );
  if (left.length === 0) return;
  const members = membersOf(records, cells);
  const outerFirst = left.sort((a, b) => (members.get(b.id)?.height ?? 0) - (members.get(a.id)?.height ?? 0));
  for (const { id } of outerFirst) {
    const inside = [...(members.get(id)?.members ?? [])].map((one) => ({ one, cell: cells.get(one) }));
    const [first] = inside.sort(
      (a, b) => (a.cell?.col ?? 0) - (b.cell?.col ?? 0) || (a.cell?.row ?? 0) - (b.cell?.row ?? 0),
    );
    if (first) anchors.set(id, first.one);
  }
}
