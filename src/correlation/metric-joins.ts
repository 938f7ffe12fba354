import { atMost } from '../base/at-most.ts';
import type { Clock } from '../base/clock.ts';
import { seldom } from '../base/in-turns.ts';
import type { Pace } from '../base/pace.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import type { Journal } from './journal.ts';
import type { NodeEntry } from './node-entry.ts';
import type { NodeMetrics } from './node-metrics.ts';

export interface MetricJoinsOptions {
  readonly metrics: NodeMetrics;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly journal: Journal | undefined;
  /** The node that shows a record; undefined while there is none. */
  readonly shownIn: (source: string) => NodeEntry | undefined;
  readonly rebuild: (entry: NodeEntry) => void;
}

/** Milliseconds that a request waits at most until nodes show its points: those of others may tell of any number of them. */
const MAX_JOIN_WAIT_MS = 250;

/**
 * Has nodes show what was measured around them. One point may tell of all steps that run, and the next one does again: so
 * they are made anew by one loop for all, each once for the points that came until then, in the line of upkeep.
 */
export class MetricJoins {
  private readonly options: MetricJoinsOptions;
  private loop: Promise<void> | undefined;

  constructor(options: MetricJoinsOptions) {
    this.options = options;
  }

  async take(records: readonly SafeRecord[]): Promise<void> {
    const { metrics, pace } = this.options;
    for (const record of records) {
      if (record.kind !== 'metric') continue;
      metrics.add(record);
      if (pace.isOver) await pace.rest();
    }
  }

  /**
   * Resolves when nodes show what was taken and the journal has it, or goes on after a while. What brought no points does not
   * wait for those of others.
   */
  async settled(hasPoints = false): Promise<void> {
    if (this.isSettled || (this.loop && !hasPoints)) return;
    this.loop ??= this.settle().finally(() => (this.loop = undefined));
    await atMost(MAX_JOIN_WAIT_MS, this.loop, this.options.clock);
  }

  /** Of steps that still run as well, and to the end: before a clean stop. */
  async settleAll(): Promise<void> {
    await this.join();
    await this.keep(true);
  }

  /** The node leaves: it shows what it has to before. */
  joinTo(entry: NodeEntry): void {
    const { metrics, rebuild } = this.options;
    const isBehind = entry.steps.filter(({ key }) => metrics.takeIfChanged(key)).length > 0;
    if (isBehind && entry.inGraph) rebuild(entry);
  }

  private get isSettled(): boolean {
    const { isUpToDate, hasUnkept } = this.options.metrics;
    return isUpToDate && !hasUnkept;
  }

  private async settle(): Promise<void> {
    while (!this.isSettled) {
      await this.join();
      await this.keep();
    }
  }

  private async join(): Promise<void> {
    const { metrics, pace, shownIn, rebuild } = this.options;
    const turns = pace.of('upkeep');
    while (!metrics.isUpToDate) {
      if (turns.isOver) await turns.rest();
      for (const source of metrics.takeChanged(() => turns.isOver)) {
        const entry = shownIn(source);
        if (entry) rebuild(entry);
      }
    }
  }

  /** Keeps what was joined since the last time. */
  private async keep(all = false): Promise<void> {
    const { metrics, pace, journal } = this.options;
    const turns = pace.of('upkeep');
    for (;;) {
      if (turns.isOver) await turns.rest();
      // Given to the journal at once: of two states of a step the newer one is given later, so that it stays.
      const facts = metrics.takeUnkept(
        all,
        seldom(() => turns.isOver),
      );
      if (facts.length === 0) return;
      if (!journal) continue;
      try {
        await journal.append(facts.map((kept) => ({ facts: kept })));
      } catch (error) {
        metrics.notKept(facts);
        throw error;
      }
    }
  }
}
