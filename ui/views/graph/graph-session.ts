import { anchorFrames } from '../../layout/frames.ts';
import { Placement } from '../../layout/place.ts';
import type { Places } from '../../layout/place.ts';
import type { GraphStore } from '../../state/graph-store.ts';
import { FlowElements } from './flow-elements.ts';

/** Where everything stands, kept as long as the records are: other views come and go meanwhile. */
export class GraphSession {
  readonly placement = new Placement();
  /** Container → the card above which its name stands. */
  readonly anchors = new Map<string, string>();
  readonly elements = new FlowElements();
  /** Rises when cells were given anew. */
  tidied = 0;
  private undo: (() => void) | undefined;

  /** Places what is new; the same records again change nothing. @returns the new cards */
  update(store: GraphStore): readonly string[] {
    const fresh = this.placement.update(store);
    anchorFrames(store, this.placement.cells, this.anchors);
    return fresh;
  }

  get canUndo(): boolean {
    return this.undo !== undefined;
  }

  /** What came since these places were made is placed beside them. */
  take(places: Places, store: GraphStore): void {
    const anchors = new Map(this.anchors);
    this.anchors.clear();
    const undo = this.placement.take(places);
    this.undo = () => {
      undo();
      for (const [id, card] of anchors) this.anchors.set(id, card);
    };
    this.update(store);
    this.tidied += 1;
  }

  takeBack(store: GraphStore): void {
    this.undo?.();
    this.undo = undefined;
    this.update(store);
    this.tidied += 1;
  }
}

const SESSIONS = new WeakMap<GraphStore, GraphSession>();

export function sessionOf(store: GraphStore): GraphSession {
  const held = SESSIONS.get(store) ?? new GraphSession();
  SESSIONS.set(store, held);
  return held;
}
