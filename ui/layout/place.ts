import type { ExplanationNode } from '../../src/client/browser.ts';
import { resolutionOf } from '../../src/model/in-time.ts';
import { endOf, startOf } from '../state/node-times.ts';
import { EndedColumns } from './ended-columns.ts';
import { isContainer, isContainment, leadersOf } from './graph-reading.ts';
import type { Records } from './graph-reading.ts';
import { inOrder } from './in-order.ts';

/** Where a card stands: columns run with time, rows are lanes of agents. What came late may stand left of column 0. */
export interface Cell {
  readonly col: number;
  readonly row: number;
}

/** A row and whose it is. Steps of one agent that run beside each other take several rows. */
export interface Lane {
  readonly row: number;
  readonly agent: string;
  /** The agent's first one. */
  readonly isBase: boolean;
}

/** Where everything stands: what Tidy makes. */
export interface Places {
  readonly cells: readonly (readonly [id: string, cell: Cell])[];
  readonly lanes: readonly Lane[];
}

/**
 * Gives every step a cell, like notes in a score. A cell once given is kept whatever updates bring, also for a step that
 * went and comes again, so that nothing a person looks at ever moves. Only `take` gives new ones.
 */
export class Placement {
  private given = new Map<string, Cell>();
  private rows: Lane[] = [];
  /** Rows by agent, in the order in which they are filled. */
  private rowsOf = new Map<string, number[]>();
  private taken = new Set<string>();

  get cells(): ReadonlyMap<string, Cell> {
    return this.given;
  }

  get lanes(): readonly Lane[] {
    return this.rows;
  }

  /** The leftmost column: 0, or less where something came late that led to what stood first. */
  get first(): number {
    let first = 0;
    for (const { col } of this.given.values()) first = Math.min(first, col);
    return first;
  }

  /** How many there are. */
  get columns(): number {
    let last = -1;
    for (const { col } of this.given.values()) last = Math.max(last, col);
    return last + 1 - this.first;
  }

  /** Places what is new. @returns their ids */
  update(records: Records): readonly string[] {
    const fresh = [...records.nodes.values()].filter(
      (node) => !this.given.has(node.id) && !isContainer(node, records),
    );
    if (fresh.length === 0) return [];
    const ended = new EndedColumns(this.endsOf(records));
    const wanted = inOrder(fresh, records).map((node) => {
      const col = this.columnOf(node, records, ended);
      const slot = this.slotIn(node.agent, col);
      this.given.set(node.id, { col, row: -1 });
      const end = endAsTold(node);
      if (end !== undefined) ended.add(end, col);
      return { node, col, slot };
    });
    this.addRows(wanted.map(({ node, slot }) => ({ agent: node.agent, slot })));
    for (const { node, col, slot } of wanted)
      this.given.set(node.id, { col, row: this.rowsOf.get(node.agent)?.[slot] ?? 0 });
    return wanted.map(({ node }) => node.id);
  }

  /** Puts these places in the stead of all others. @returns puts everything back as it was */
  take({ cells, lanes }: Places): () => void {
    const { given, rows, rowsOf, taken } = this;
    this.given = new Map(cells);
    this.rows = [...lanes];
    this.rowsOf = new Map();
    for (const { agent, row } of lanes) this.rowsOf.set(agent, [...(this.rowsOf.get(agent) ?? []), row]);
    this.taken = new Set(
      cells.map(([, { col, row }]) => {
        const agent = lanes[row]?.agent ?? '';
        return slotKey(agent, this.rowsOf.get(agent)?.indexOf(row) ?? 0, col);
      }),
    );
    return () => {
      this.given = given;
      this.rows = rows;
      this.rowsOf = rowsOf;
      this.taken = taken;
    };
  }

  private endsOf({ nodes }: Records): readonly (readonly [end: number, col: number])[] {
    return [...this.given].flatMap(([id, { col }]) => {
      const node = nodes.get(id);
      const end = node && endAsTold(node);
      return end === undefined ? [] : [[end, col] as const];
    });
  }

  /** Right of what caused it, and of what had ended before it began, as exactly as clocks tell. */
  private columnOf(node: ExplanationNode, records: Records, ended: EndedColumns): number {
    const start = startOf(node);
    const before = ended.lastBefore(start + resolutionOf(start));
    const causes = leadersOf(node.id, records).flatMap((id) => this.given.get(id)?.col ?? []);
    if (before === undefined && causes.length === 0) return this.columnOfRoot(node.id, records);
    return 1 + Math.max(-1, before ?? -1, ...causes);
  }

  /** What nothing came before, and which led to what stands first already, begins a column before it. */
  private columnOfRoot(id: string, records: Records): number {
    let first = 1;
    const seen = new Set([id]);
    const left = [id];
    for (let one = left.pop(); one !== undefined; one = left.pop())
      for (const edge of records.effectsOf(one)) {
        // Of what a container leads to, only what it holds begins with it.
        if (seen.has(edge.to) || (one !== id && !isContainment(edge))) continue;
        seen.add(edge.to);
        const cell = this.given.get(edge.to);
        if (cell) first = Math.min(first, cell.col);
        else left.push(edge.to);
      }
    return Math.min(0, first - 1);
  }

  /** The first row of the agent that is free in this column; it may be one that is not there yet. */
  private slotIn(agent: string, col: number): number {
    for (let slot = 0; ; slot += 1) {
      const key = slotKey(agent, slot, col);
      if (this.taken.has(key)) continue;
      this.taken.add(key);
      return slot;
    }
  }

  /** New rows come below all others; those of one agent stay together as far as they come together. */
  private addRows(wanted: readonly { readonly agent: string; readonly slot: number }[]): void {
    const needed = new Map<string, number>();
    for (const { agent, slot } of wanted) needed.set(agent, Math.max(slot + 1, needed.get(agent) ?? 0));
    for (const [agent, most] of needed) {
      const rows = this.rowsOf.get(agent) ?? [];
      this.rowsOf.set(agent, rows);
      while (rows.length < most) {
        const row = this.rows.length;
        this.rows = [...this.rows, { row, agent, isBase: rows.length === 0 }];
        rows.push(row);
      }
    }
  }
}

/** As exactly as its start: a clock of whole milliseconds cuts where a step begins, not how long it takes. */
function endAsTold(node: ExplanationNode): number | undefined {
  const end = endOf(node);
  return end !== undefined && resolutionOf(startOf(node)) === 1 ? Math.floor(end) : end;
}

function slotKey(agent: string, slot: number, col: number): string {
  return JSON.stringify([agent, slot, col]);
}
