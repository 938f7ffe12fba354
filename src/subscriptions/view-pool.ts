import type { GraphUpdate } from '../model/node.ts';
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

  /** A view that nobody subscribes to, for one look. */
  peek(spec: ViewSpec): View {
    return this.views.get(specKey(spec))?.view ?? new View(this.source, spec, this.decorate);
  }

  acquire(spec: ViewSpec): View {
    const key = specKey(spec);
    const held = this.views.get(key);
    if (held) {
      held.readers++;
      return held.view;
    }
    const view = new View(this.source, spec, this.decorate);
    this.views.set(key, { view, readers: 1 });
    return view;
  }

  release(view: View): void {
    const held = this.views.get(view.key);
    if (held && --held.readers <= 0) this.views.delete(view.key);
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
