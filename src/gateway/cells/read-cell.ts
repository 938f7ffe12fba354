import type { Clock, Timer } from '../../base/clock.ts';
import type { Transport } from '../../client/transport.ts';
import { toIso, epochMs } from '../../model/time.ts';
import type { AskedAs } from './asked-as.ts';
import { checkedAnswers } from './checked-answers.ts';

/**
 * A cell whose every connection is lost is said to be away after so long: one that only lost them, as behind a proxy that
 * restarts, has them again by then.
 */
const PATIENCE_MS = 1000;

export interface ReadCellOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Opens a connection to the cell. */
  readonly connect: (as: AskedAs) => Transport;
  /** It went away, came back, or goes on being away for another reason. */
  readonly onChange: () => void;
}

/** The connections to one cell, and whether its feeds are up. */
export class ReadCell {
  readonly name: string;
  private readonly options: ReadCellOptions;
  private readonly transports = new Map<string, Transport>();
  /** Whether each feed is up. */
  private readonly feeds = new Map<object, boolean>();
  private lostAt: number | undefined;
  private reason = '';
  private patience: Timer | undefined;
  private isSaid = false;

  constructor(options: ReadCellOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** The connection for this project and level of detail, which is opened once. */
  as(asked: AskedAs): Transport {
    const key = `${asked.level} ${asked.project}`;
    const transport = this.transports.get(key) ?? checkedAnswers(this.options.connect(asked));
    this.transports.set(key, transport);
    return transport;
  }

  /** What readers are told; undefined while it answers. */
  get notice(): string | undefined {
    if (!this.isSaid || this.lostAt === undefined) return undefined;
    return `the cell ${this.name} does not answer since ${toIso(epochMs(this.lostAt))}: what is shown of it is as it was then (${this.reason})`;
  }

  /** A feed is up. */
  holds(feed: object): void {
    this.feeds.set(feed, true);
    this.patience?.cancel();
    this.lostAt = undefined;
    const wasSaid = this.isSaid;
    this.isSaid = false;
    if (wasSaid) this.options.onChange();
  }

  /** A feed was lost, or cannot be had; it is tried again. */
  lost(feed: object, reason: string): void {
    this.feeds.set(feed, false);
    this.look(reason);
  }

  /** A feed is not wanted any more. */
  left(feed: object): void {
    this.feeds.delete(feed);
    if (this.feeds.size > 0) this.look(this.reason);
  }

  /** The cell has another address: connections are closed, and opened there when they are needed. */
  moved(): Promise<unknown> {
    const before = [...this.transports.values()];
    this.transports.clear();
    return Promise.all(before.map((transport) => transport.close()));
  }

  close(): Promise<unknown> {
    this.patience?.cancel();
    return this.moved();
  }

  private look(reason: string): void {
    if (this.lostAt !== undefined || [...this.feeds.values()].some(Boolean)) return;
    const { clock, onChange } = this.options;
    this.lostAt = clock.now();
    this.reason = reason;
    this.patience = clock.after(PATIENCE_MS, () => {
      this.isSaid = true;
      onChange();
    });
  }
}
