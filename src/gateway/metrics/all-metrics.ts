import type { CellAddresses } from '../cells/cell-addresses.ts';
import { gatewayKey } from '../cells/exchange.ts';
import type { CellSender } from '../routing/cell-sender.ts';
import { mergedExpositions } from './exposition.ts';

/** The name of the gateway among the cells. */
const GATEWAY = 'gateway';

/** Of the sender. Prometheus waits 10 s for all; a service's metrics have some 20 KiB. */
export const METRICS_BOUNDS = { timeoutMs: 2_000, maxAnswerBytes: 4 * 1024 * 1024 } as const;

export interface AllMetricsOptions {
  /** The gateway's own, as text. */
  readonly own: () => Promise<string>;
  /** At most a hundred. */
  readonly addresses: Pick<CellAddresses, 'current'>;
  /** With `METRICS_BOUNDS`: a cell that does not answer within them is left out. */
  readonly sender: CellSender;
  /** The gateway's key at the cells. */
  readonly token?: string | undefined;
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
    const { own, addresses } = this.options;
    const cells = addresses.current().map(async ({ name }) => ({ name, text: await this.textOf(name) }));
    const [ownText, ...answers] = await Promise.all([own(), ...cells]);
    const up = answers.map(({ name, text }) => ({ name, text: upText(text === undefined ? 0 : 1) }));
    const there = answers.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
    return mergedExpositions([{ name: GATEWAY, text: ownText }, ...up, ...there]);
  }

  /** Undefined where the cell does not answer with 200. */
  private async textOf(cell: string): Promise<string | undefined> {
    const { sender, token } = this.options;
    const asked = { cell, method: 'GET', path: '/metrics', headers: gatewayKey(token) } as const;
    const answer = await sender.send(asked).catch(() => undefined);
    return answer?.status === 200 ? answer.body.toString('utf8') : undefined;
  }
}

function upText(value: 0 | 1): string {
  return [
    '# HELP explain_cell_up 1: the cell answered with its metrics, 0: it did not, and they are left out.',
    '# TYPE explain_cell_up gauge',
    `explain_cell_up ${value}`,
  ].join('\n');
}
