import { BoundaryError } from '../base/boundary-error.ts';
import { MAX_PENDING_IDS, Subscription } from './subscription.ts';
import type { ShownView } from './shown-view.ts';
import type { ViewPool } from './view-pool.ts';

export interface SharedLimits {
  /** Ids that may wait in the merged update of a slow reader. `MAX_PENDING_IDS` if absent. */
  readonly maxPendingIds?: number | undefined;
  readonly maxSubscriptions: number;
  /** Nodes and edges that all views may hold. */
  readonly maxViewItems: number;
}

export interface SharedBoundsOptions extends SharedLimits {
  readonly views: ViewPool<ShownView>;
  /** Nodes and edges from which on a view is large. */
  readonly largeViewItems: number;
  /** All subscriptions, by id. */
  readonly held: ReadonlyMap<string, Subscription>;
  /** Those without a connection, the one lost longest ago first. */
  readonly away: ReadonlyMap<Subscription, unknown>;
  /** Those whose next view is being made. */
  readonly switching: ReadonlyMap<Subscription, unknown>;
  /** Ends the subscription of a lost reader. */
  readonly forget: (subscription: Subscription) => void;
}

/**
 * Views that only lost readers may come back to. Each is brought up to date with every change, so it costs as much as one
 * that is looked at; a flood of lost readers must not slow down those who are here.
 */
const MAX_LONE_VIEWS = 32;
/**
 * All readers together may hold what may wait for so many of them: 500,000 items, some 10 to 100 bytes each beside the nodes
 * that nothing else holds any more. Thousands of connections that are dropped, or that take nothing, must not fill
 * the memory. A graph as large as fits into memory by default has fewer.
 */
const MAX_SHARES = 25;

/** Of what all views may hold: the rest is for small views, so that who asks for little is not refused because of large ones. */
const LARGE_PART = 3 / 4;
/** Of what all views may hold, what those of one connection may when it asks for a large one: more than any one view. */
const CONNECTION_PART = 1 / 2;
/** Filters that no node matches. */
const NOTHING = { taskIds: new Set<string>() };

/** What all readers together may have, and who gives way when it is too much: lost readers before those who are here. */
export class SharedBounds {
  private readonly options: SharedBoundsOptions;

  constructor(options: SharedBoundsOptions) {
    this.options = options;
  }

  /** Readers that may come back give way to those who are here. @throws BoundaryError RESOURCE_EXHAUSTED */
  makeRoom(): void {
    const { held, away, forget, maxSubscriptions } = this.options;
    if (held.size < maxSubscriptions) return;
    const [longestAway] = away.keys();
    if (longestAway === undefined) {
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        'too many subscriptions: end some, or raise maxSubscriptions',
        { retryAfterMs: 1000 },
      );
    }
    forget(longestAway);
  }

  /** Views that nobody looks at are given up when there are too many, the one lost longest ago first. */
  boundLoneViews(): void {
    const { held, away, forget } = this.options;
    if (away.size <= MAX_LONE_VIEWS) return;
    const attended = new Set<ShownView>();
    for (const subscription of held.values()) if (!away.has(subscription)) attended.add(subscription.view);
    const lone = Map.groupBy(away.keys(), ({ view }) => view);
    for (const view of attended) lone.delete(view);
    for (const [, subscriptions] of [...lone].slice(0, -MAX_LONE_VIEWS))
      for (const subscription of subscriptions) forget(subscription);
  }

  /**
   * When too much is held for all readers, lost ones are given up, the one lost longest ago first. Then what was sent to
   * those who are here is no longer kept, and then they have to begin anew, the one that took nothing for longest first.
   * The last one stays: whoever is alone gets its graph however large.
   */
  boundHeld(): void {
    const { held, away, forget, maxPendingIds = MAX_PENDING_IDS } = this.options;
    const most = MAX_SHARES * maxPendingIds;
    let items = 0;
    for (const { heldItems } of held.values()) items += heldItems;
    const giveUp = (those: Iterable<Subscription>, how: (one: Subscription) => void): void => {
      for (const one of those) {
        if (items <= most) return;
        items -= one.heldItems;
        how(one);
        items += held.has(one.id) ? one.heldItems : 0;
      }
    };
    giveUp(away.keys(), forget);
    if (items <= most) return;
    const slowest = [...held.values()].sort(Subscription.bySlowness);
    giveUp(slowest, (one) => one.forgetSent());
    const waiting = slowest.filter(({ heldItems }) => heldItems > 0);
    giveUp(waiting.slice(0, -1), (one) => one.giveUp());
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED when all views show too much with this one, even without those of lost readers */
  makeRoomFor(view: ShownView, { connection }: Subscription): void {
    const { largeViewItems, maxViewItems } = this.options;
    const isLarge = view.items >= largeViewItems;
    const hasRoom = this.boundViewsOfTheLost(maxViewItems * (isLarge ? LARGE_PART : 1));
    if (hasRoom && (!isLarge || this.itemsSeenOn(connection, view) <= maxViewItems * CONNECTION_PART)) return;
    throw new BoundaryError(
      'RESOURCE_EXHAUSTED',
      'all views together would show too many nodes and edges: narrow the filters, leave tasks collapsed, or end subscriptions',
      { retryAfterMs: 1000 },
    );
  }

  private itemsSeenOn(connection: unknown, view: ShownView): number {
    const views = new Set([view]);
    for (const one of this.options.held.values()) if (one.connection === connection) views.add(one.view);
    let items = 0;
    for (const one of views) items += one.items;
    return items;
  }

  /** When views that are there grew too much, the readers of the largest have to begin anew. */
  boundViews(): void {
    const { views, held, switching, maxViewItems } = this.options;
    if (this.boundViewsOfTheLost(maxViewItems)) return;
    const readers = [...held.values()].filter((one) => !switching.has(one));
    const byView = [...Map.groupBy(readers, ({ view }) => view)].sort(([a], [b]) => b.items - a.items);
    for (const [view, followers] of byView) {
      for (const one of followers) {
        one.giveUp();
        // It follows nothing any more.
        one.view = views.acquire({ ...view.spec, filters: NOTHING });
        views.release(view);
      }
      if (views.items <= maxViewItems) return;
    }
  }

  /** @returns whether the views hold no more than they may, if need be without those of lost readers */
  private boundViewsOfTheLost(most: number): boolean {
    const { views, away, forget } = this.options;
    for (const one of away.keys()) {
      if (views.items <= most) return true;
      forget(one);
    }
    return views.items <= most;
  }
}
