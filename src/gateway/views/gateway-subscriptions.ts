import type { Clock } from '../../base/clock.ts';
import { atOnce, NEVER_OVER, wholeInTurns } from '../../base/in-turns.ts';
import { short, type Turns } from '../../base/pace.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Timing } from '../../client/timing.ts';
import { epochMs, toIso } from '../../model/time.ts';
import { GraphMaker } from '../../subscriptions/graph-maker.ts';
import { Subscriptions, type SubscriptionLimits } from '../../subscriptions/subscriptions.ts';
import { ViewPool } from '../../subscriptions/view-pool.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import type { ReadCell } from '../cells/read-cell.ts';
import { cellViewChanges } from './cell-view-changes.ts';
import { MergedView } from './merged-view.ts';

export interface GatewaySubscriptionsOptions extends SubscriptionLimits {
  readonly project: string;
  /** As they are now. */
  readonly cells: () => Iterable<ReadCell>;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly pace: Turns;
  /** Items of one update. `PART_ITEMS` if absent. */
  readonly partItems?: number | undefined;
  readonly metrics: OwnMetrics;
  /** Does a cell have this task, or may one that does not answer? */
  readonly mayHaveTask: (taskId: string) => Promise<boolean>;
}

/** What subscribers see of one project over all cells. Readers with equal requests share one view, and its feeds. */
export class GatewaySubscriptions {
  /** What readers do with them. */
  readonly subscriptions: Subscriptions;
  private readonly options: GatewaySubscriptionsOptions;
  private readonly views: ViewPool<MergedView>;
  private isPublishing = false;
  private isStopped = false;
  private lastUpdated: string;

  constructor(options: GatewaySubscriptionsOptions) {
    this.options = options;
    const { clock, project, timing, cells, pace, partItems, maxViewItems } = options;
    const now = (): string => toIso(epochMs(clock.now()));
    this.lastUpdated = now();
    const bringUpToDate = (): void => this.settle();
    const lastUpdated = (): string => this.lastUpdated;
    const graphs = new GraphMaker({ clock, pace, partItems, bringUpToDate, sameNode: isDeepStrictEqual });
    this.views = new ViewPool<MergedView>({
      newView: (spec) =>
        new MergedView({
          spec,
          project,
          clock,
          timing,
          maxViewItems,
          cells: cells(),
          onChange: () => {
            this.lastUpdated = now();
            void this.publish();
          },
          onEvent: (view, event) => this.subscriptions.tellReadersOf(view, event),
        }),
      lastUpdated,
      onUpdates: (updates) => this.subscriptions.publish(updates),
    });
    const { views } = this;
    const changes = cellViewChanges((spec) => views.find(spec), options.mayHaveTask);
    this.subscriptions = new Subscriptions({
      ...options,
      changes,
      views,
      graphs,
      bringUpToDate,
      lastUpdated,
    });
  }

  get count(): number {
    return this.subscriptions.count;
  }

  /** There is one more cell. */
  cellAdded(cell: ReadCell): void {
    for (const view of this.views.held()) view.add(cell);
  }

  /** There is one less. */
  cellRemoved(name: string): void {
    for (const view of this.views.held()) view.remove(name);
  }

  /** A cell went away, or came back. */
  cellChanged(): void {
    for (const view of this.views.held()) view.note();
  }

  stop(reason: string): void {
    this.subscriptions.forgetAway();
    this.subscriptions.closeAll(reason);
    this.isStopped = true;
  }

  private settle(): void {
    atOnce(this.views.refreshAll(NEVER_OVER));
  }

  /** In a later turn, so that what comes in one turn of all cells is one update; and as long as anything changes. */
  private async publish(): Promise<void> {
    if (this.isPublishing) return;
    this.isPublishing = true;
    const { pace } = this.options;
    do {
      await short(pace).rest();
      if (this.isStopped) return;
      await wholeInTurns(
        this.views.refreshAll(() => pace.isOver),
        pace,
      );
    } while (this.views.isStale);
    this.isPublishing = false;
  }
}
