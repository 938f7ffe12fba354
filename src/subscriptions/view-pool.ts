import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { IsOver, Work } from '../base/in-turns.ts';
import type { ViewSource } from './view-source.ts';
import type { Decorate } from './compute-view.ts';
import { View } from './view.ts';
import { recallsAny } from './recall/wanted.ts';
import type { Recall } from './recall/recall.ts';
import { specKey, type ViewSpec } from './view-spec.ts';

/** Told what changed in views, before anybody else looks at them. */
type OnUpdates = (updates: ReadonlyMap<View, GraphUpdate>) => void;

export interface ViewPoolOptions {
  readonly source: ViewSource;
  readonly recall?: Recall | undefined;
  readonly decorate: Decorate;
  readonly lastUpdated: () => string;
  readonly onUpdates: OnUpdates;
}

/** Views by spec, shared by their readers, so that a difference is computed and encoded once. */
export class ViewPool {
  private readonly sourceFor: (spec: ViewSpec) => ViewSource;
  private readonly recall: Recall | undefined;
  private readonly decorate: Decorate;
  private readonly lastUpdated: () => string;
  private readonly onUpdates: OnUpdates;
  private readonly views = new Map<string, { readonly view: View; readers: number }>();

  constructor({ source, recall, decorate, lastUpdated, onUpdates }: ViewPoolOptions) {
    this.sourceFor = (spec) => recall?.sourceFor(spec) ?? source;
    this.recall = recall;
    this.decorate = decorate;
    this.lastUpdated = lastUpdated;
    this.onUpdates = onUpdates;
  }

  get size(): number {
    return this.views.size;
  }

  /** Nodes and edges that all views hold. */
  get items(): number {
    let items = 0;
    for (const { view } of this.views.values()) items += view.items;
    return items;
  }

  /** What a reader with this spec would see. */
  peek(spec: ViewSpec): ExplanationGraph {
    const held = this.views.get(specKey(spec))?.view;
    const view = held ?? new View(this.sourceFor(spec), spec, this.decorate);
    view.makeNow();
    this.refresh(view);
    if (!held) view.end();
    return view.graph(this.lastUpdated());
  }

  /**
   * A view for one more reader, up to date or not made yet.
   * @param other a view from which it differs in what is open of one task only
   */
  acquire(spec: ViewSpec, other?: { readonly view: View; readonly taskId: string }): View {
    const key = specKey(spec);
    const held = this.views.get(key);
    if (held) {
      held.readers++;
      this.refresh(held.view);
      return held.view;
    }
    this.recall?.acquire(spec);
    const view = new View(this.sourceFor(spec), spec, this.decorate, other);
    this.views.set(key, { view, readers: 1 });
    return view;
  }

  release(view: View): void {
    const held = this.views.get(view.key);
    if (!held || --held.readers > 0) return;
    this.views.delete(view.key);
    view.end();
    this.recall?.release(view.spec);
  }

  /**
   * Notes what changed; nothing is computed yet.
   * @param recalled tasks that may look different to those who recall, beside those that changed for all
   */
  note(tasks: ReadonlySet<string>, recalled: ReadonlySet<string>): void {
    const all = recalled.size === 0 ? tasks : new Set([...tasks, ...recalled]);
    for (const { view } of this.views.values()) view.note(recallsAny(view.spec) ? all : tasks);
  }

  /** Is any view not up to date? */
  get isStale(): boolean {
    return [...this.views.values()].some(({ view }) => view.isStale);
  }

  /** Brings one view up to date and tells its readers. */
  refresh(view: View): void {
    const update = view.refresh(this.lastUpdated());
    if (update) this.onUpdates(new Map([[view, update]]));
  }

  /**
   * Brings the views up to date that are not, each in one step. Between two turns of it the graph may change, if that is
   * noted; what changed in a view that had its turn is for the next time.
   */
  *refreshAll(isOver: IsOver): Work<void> {
    const stale = [...this.views.values()].filter(({ view }) => view.isStale);
    let updates = new Map<View, GraphUpdate>();
    for (const [index, { view }] of stale.entries()) {
      const update = this.views.get(view.key)?.view === view ? view.refresh(this.lastUpdated()) : undefined;
      if (update) updates.set(view, update);
      if (index === stale.length - 1 || !isOver()) continue;
      this.onUpdates(updates);
      updates = new Map();
      yield;
    }
    this.onUpdates(updates);
  }
}
