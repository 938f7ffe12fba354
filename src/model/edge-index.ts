import type { ExplanationEdge } from './node.ts';
import { edgeSizeInItems } from './item-size.ts';

const NONE: ReadonlySet<string> = new Set();

/** Edges by id, which are found by the nodes at their ends as well. */
export class EdgeIndex extends Map<string, ExplanationEdge> {
  /** As how many edges they count, a large one for several. */
  items = 0;
  private readonly byEnd = new Map<string, Set<string>>();

  /** Ids of the edges that begin or end at a node. */
  at(nodeId: string): ReadonlySet<string> {
    return this.byEnd.get(nodeId) ?? NONE;
  }

  override set(id: string, edge: ExplanationEdge): this {
    this.delete(id);
    for (const end of [edge.from, edge.to]) {
      const there = this.byEnd.get(end);
      if (there) there.add(id);
      else this.byEnd.set(end, new Set([id]));
    }
    this.items += edgeSizeInItems(edge);
    return super.set(id, edge);
  }

  override delete(id: string): boolean {
    const edge = this.get(id);
    if (!edge) return false;
    for (const end of [edge.from, edge.to]) {
      const there = this.byEnd.get(end);
      there?.delete(id);
      if (there?.size === 0) this.byEnd.delete(end);
    }
    this.items -= edgeSizeInItems(edge);
    return super.delete(id);
  }
}
