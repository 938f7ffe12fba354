import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ViewSource } from './compute-view.ts';
import { View, type Decorate } from './view.ts';
import { specKey, type ViewSpec } from './view-spec.ts';

/** Views by spec, shared by their readers, so that a difference is computed and encoded once. */
export class ViewPool {
  private readonly source: ViewSource;
  private readonly decorate: Decorate;
  private readonly views = new Map<string, { readonly view: View; readers: number }>();

  constructor(source: ViewSource, decorate: Decorate) {
    this.source = source;
    this.decorate = decorate;
  }

  get size(): number {
    return this.views.size;
  }

  /** What a reader with this spec would see. */
  peek(spec: ViewSpec, lastUpdated: string): ExplanationGraph {
    const held = this.views.get(specKey(spec))?.view;
    if (held) return held.graph(lastUpdated);
    const view = new View(this.source, spec, this.decorate);
    view.end();
    return view.graph(lastUpdated);
  }

  /** @param other a view from which it differs in what is open of one task only */
  acquire(spec: ViewSpec, other?: { readonly view: View; readonly taskId: string }): View {
    const key = specKey(spec);
    const held = this.views.get(key);
    if (held) {
      held.readers++;
      return held.view;
    }
    const view = new View(this.source, spec, this.decorate, other);
    this.views.set(key, { view, readers: 1 });
    return view;
  }

  release(view: View): void {
    const held = this.views.get(view.key);
    if (!held || --held.readers > 0) return;
    this.views.delete(view.key);
    view.end();
  }

  /** Brings every view up to date. */
  refresh(tasks: ReadonlySet<string>, timestamp: string): Map<View, GraphUpdate> {
    const updates = new Map<View, GraphUpdate>();
    for (const { view } of this.views.values()) {
      const update = view.refresh(tasks, timestamp);
      if (update) updates.set(view, update);
    }
    return updates;
  }
}
