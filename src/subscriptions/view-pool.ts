import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import { atOnce, NEVER_OVER, type IsOver, type Work } from '../base/in-turns.ts';
import type { OtherView, ShownView } from './shown-view.ts';
import { sortedGraph } from './sorted-graph.ts';
import type { Recall } from './recall/recall.ts';
import { specKey, type ViewSpec } from './view-spec.ts';

export interface ViewPoolOptions<V extends ShownView> {
  /** @param other what the new one may take over from */
  newView(spec: ViewSpec, other?: OtherView<V>): V;
  readonly recall?: Recall | undefined;
  readonly lastUpdated: () => string;
  /** Told what changed in views, before anybody else looks at them. */
  onUpdates(updates: ReadonlyMap<V, GraphUpdate>): void;
}

/** Views by spec, shared by their readers, so that a difference is computed and encoded once. */
export class ViewPool<V extends ShownView> {
  private readonly options: ViewPoolOptions<V>;
  private readonly views = new Map<string, { readonly view: V; readers: number }>();

  constructor(options: ViewPoolOptions<V>) {
    this.options = options;
  }

  /** Those that have readers. */
  *held(): Generator<V> {
    for (const { view } of this.views.values()) yield view;
  }

  get size(): number {
    return this.views.size;
  }

  /** Nodes and edges that all views hold. */
  get items(): number {
    let items = 0;
    for (const { items: more } of this.held()) items += more;
    return items;
  }

  /** The view with this spec, if it has readers. */
  find(spec: ViewSpec): V | undefined {
    return this.views.get(specKey(spec))?.view;
  }

  /** What a reader with this spec would see. */
  peek(spec: ViewSpec): ExplanationGraph {
    const held = this.views.get(specKey(spec))?.view;
    const view = held ?? this.options.newView(spec);
    // Everything was published just now.
    atOnce(view.make(NEVER_OVER, () => {}));
    this.refresh(view);
    if (!held) view.end();
    return atOnce(sortedGraph(view.copy().values(), this.options.lastUpdated(), NEVER_OVER));
  }

  /**
   * A view for one more reader, up to date or not made yet.
   * @param other a view from which it differs in what is open of one task only
   */
  acquire(spec: ViewSpec, other?: OtherView<V>): V {
    const key = specKey(spec);
    const held = this.views.get(key);
    if (held) {
      held.readers++;
      this.refresh(held.view);
      return held.view;
    }
    this.options.recall?.acquire(spec);
    const view = this.options.newView(spec, other);
    this.views.set(key, { view, readers: 1 });
    return view;
  }

  release(view: V): void {
    const held = this.views.get(view.key);
    if (!held || --held.readers > 0) return;
    this.views.delete(view.key);
    view.end();
    this.options.recall?.release(view.spec);
  }

  /** Is any view not up to date? */
  get isStale(): boolean {
    return [...this.held()].some(({ isStale }) => isStale);
  }

  /** Brings one view up to date and tells its readers. */
  refresh(view: V): void {
    const update = view.refresh(this.options.lastUpdated());
    if (update) this.options.onUpdates(new Map([[view, update]]));
  }

  /**
   * Brings the views up to date that are not, each in one step. Between two turns of it the graph may change, if that is
   * noted; what changed in a view that had its turn is for the next time.
   */
  *refreshAll(isOver: IsOver): Work<void> {
    const { lastUpdated } = this.options;
    const stale = [...this.held()].filter(({ isStale }) => isStale);
    let updates = new Map<V, GraphUpdate>();
    for (const [index, view] of stale.entries()) {
      const update = this.views.get(view.key)?.view === view ? view.refresh(lastUpdated()) : undefined;
      if (update) updates.set(view, update);
      if (index === stale.length - 1 || !isOver()) continue;
      this.options.onUpdates(updates);
      updates = new Map();
      yield;
    }
    this.options.onUpdates(updates);
  }
}
