import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { TaskCounts, ToldCell, ToldCells } from '../../model/told-cells.ts';
import { askWithin, type AskCell, type SaidByCell } from './ask-cell.ts';
import type { CellAddresses } from './cell-addresses.ts';
import type { CellHealth } from './cell-health.ts';

/** A cell reads its store for what left memory: people wait so long for it, and no longer. */
const ASK_MS = 5_000;

const count = z.int().min(0);
/** Of a later version a cell may say more. */
const countsSchema = z.object({ tasks: count, running: count });

interface AllCellsOptions {
  readonly addresses: Pick<CellAddresses, 'current'>;
  readonly health: Pick<CellHealth, 'told'>;
  /** How many tasks it has. */
  readonly askTasks: AskCell;
  readonly clock: Pick<Clock, 'after'>;
}

/** All that is known of the cells and what they say of their tasks; they are asked once for all who ask at the same time. */
export class AllCells {
  private readonly options: AllCellsOptions;
  private asking: Promise<ToldCells> | undefined;

  constructor(options: AllCellsOptions) {
    this.options = options;
  }

  /** Takes as long as the slowest cell, and 5 s at most. Never rejects because of a cell. */
  told(): Promise<ToldCells> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<ToldCells> {
    const { addresses, health } = this.options;
    const drained = new Set(addresses.current().flatMap(({ name, drain }) => (drain ? [name] : [])));
    const cells = health.told().cells.map(async (cell) => {
      const marked: ToldCell = drained.has(cell.name) ? { ...cell, drain: true } : cell;
      return answers(cell) ? this.withTasks(marked) : marked;
    });
    return { cells: await Promise.all(cells) };
  }

  private async withTasks(cell: ToldCell): Promise<ToldCell> {
    const { askTasks, clock } = this.options;
    const answer = await askWithin(ASK_MS, askTasks, cell.address, clock);
    const said = typeof answer === 'string' ? answer : countsIn(answer);
    if (typeof said !== 'string') return { ...cell, tasks: said };
    const notice = `cell ${cell.name} does not say how many of its tasks run: it ${said}`;
    return { ...cell, notices: [...cell.notices, notice] };
  }
}

/** One that is away was asked a moment ago, and its notices say why it does not answer. */
function answers({ state }: ToldCell): boolean {
  return state === 'well' || state === 'draining';
}

/** Or why there are none, for people. */
function countsIn({ status, body }: SaidByCell): TaskCounts | string {
  if (status === 404) return 'is of a version that does not tell (404)';
  if (status !== 200) return `answers ${status}`;
  try {
    return countsSchema.parse(JSON.parse(body.toString()));
  } catch {
    return 'answers what no cell says';
  }
}
