import type { Clock } from '../../base/clock.ts';
import { mergedExpositions } from './exposition.ts';

/** A cell as it is asked for its metrics. */
export interface MeasuredCell {
  readonly name: string;
  /** Its metrics as text. @throws when it does not answer */
  metrics(signal: AbortSignal): Promise<string>;
}

/** The name of the gateway among the cells. */
export const GATEWAY = 'gateway';

/** Prometheus waits 10 s for all; who does not answer in this time is left out. */
const CELL_WAIT_MS = 2_000;

export interface AllMetricsOptions {
  /** The gateway's own, as text. */
  readonly own: () => Promise<string>;
  /** Those that there are now: at most a hundred. */
  readonly cells: () => readonly MeasuredCell[];
  readonly clock: Pick<Clock, 'after'>;
}

/** Of all cells and the gateway, in one text; cells are asked once for all who scrape at the same time. */
export class AllMetrics {
  private readonly options: AllMetricsOptions;
  private running: Promise<string> | undefined;

  constructor(options: AllMetricsOptions) {
    this.options = options;
  }

  /** @throws what the gateway's own metrics fail with; never because of a cell */
  text(): Promise<string> {
    this.running ??= this.collect().finally(() => (this.running = undefined));
    return this.running;
  }

  private async collect(): Promise<string> {
    const { own, cells, clock } = this.options;
    const asked = cells();
    const [ownText, ...texts] = await Promise.all([own(), ...asked.map((cell) => textOf(cell, clock))]);
    const answers = asked.map(({ name }, index) => ({ name, text: texts[index] }));
    const up = answers.map(({ name, text }) => ({
      name,
      text: upText(text === undefined ? 0 : 1),
    }));
    const there = answers.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
    return mergedExpositions([{ name: GATEWAY, text: ownText }, ...up, ...there]);
  }
}

async function textOf(cell: MeasuredCell, clock: Pick<Clock, 'after'>): Promise<string | undefined> {
  const abort = new AbortController();
  const late = Promise.withResolvers<undefined>();
  const timer = clock.after(CELL_WAIT_MS, () => {
    late.resolve(undefined);
    abort.abort();
  });
  try {
    return await Promise.race([cell.metrics(abort.signal), late.promise]);
  } catch {
    return undefined;
  } finally {
    timer.cancel();
  }
}

function upText(value: 0 | 1): string {
  return [
    '# HELP explain_cell_up 1: the cell answered with its metrics, 0: it did not, and they are left out.',
    '# TYPE explain_cell_up gauge',
    `explain_cell_up ${value}`,
  ].join('\n');
}
