import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ViewSource } from './view-source.ts';
import { View, type Decorate } from './view.ts';
import { recallsAny } from './recall/wanted.ts';
import type { Recall } from './recall/recall.ts';
import { specKey, type ViewSpec } from './view-spec.ts';

/** Views by spec, shared by their readers, so that a difference is computed and encoded once. */
export class ViewPool {
  private readonly sourceFor: (spec: ViewSpec) => ViewSource;
  private readonly recall: Recall | undefined;
  private readonly decorate: Decorate;
  private readonly views = new Map<string, { readonly view: View; readers: number }>();

  constructor(source: ViewSource, recall: Recall | undefined, decorate: Decorate) {
    this.sourceFor = (spec) => recall?.sourceFor(spec) ?? source;
    this.recall = recall;
    this.decorate = decorate;
  }

  get size(): number {
    return this.views.size;
  }

  /** What a reader with this spec would see. */
  peek(spec: ViewSpec, lastUpdated: string): ExplanationGraph {
    const held = this.views.get(specKey(spec))?.view;
    const view = held ?? new View(this.sourceFor(spec), spec, this.decorate);
    view.makeNow();
    if (!held) view.end();
    return view.graph(lastUpdated);
  }

  /**
   * A view for one more reader, made or not.
   * @param other a view from which it differs in what is open of one task only
   */
  acquire(spec: ViewSpec, other?: { readonly view: View; readonly taskId: string }): View {
    const key = specKey(spec);
    const held = this.views.get(key);
    if (held) {
      held.readers++;
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
   * Brings every view up to date.
   * @param recalled tasks that may look different to those who recall, beside those that changed for all
   */
  refresh(
    tasks: ReadonlySet<string>,
    recalled: ReadonlySet<string>,
    timestamp: string,
  ): Map<View, GraphUpdate> {
    const updates = new Map<View, GraphUpdate>();
    const all = recalled.size === 0 ? tasks : new Set([...tasks, ...recalled]);
    for (const { view } of this.views.values()) {
      const update = view.refresh(recallsAny(view.spec) ? all : tasks, timestamp);
      if (update) updates.set(view, update);
    }
    return updates;
  }
}
