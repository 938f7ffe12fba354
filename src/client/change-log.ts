import type { MultiDirectedGraph } from 'graphology';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { sameJson } from './same-json.ts';

/** A graphology graph: a node's attributes are the ExplanationNode, an edge's key is its id and its attributes the ExplanationEdge. */
export type LiveGraphology = MultiDirectedGraph<ExplanationNode, ExplanationEdge>;

/** What is different from before. `removed` holds what the items were last. */
export interface GraphChange {
  readonly nodes: Changes<ExplanationNode>;
  readonly edges: Changes<ExplanationEdge>;
}

export interface Changes<T> {
  readonly added: readonly T[];
  readonly changed: readonly T[];
  readonly removed: readonly T[];
}

/** Below this looking through all of it costs more than the room is worth. */
const COMPACT_FROM = 256;

/**
 * Collects what happens to a graph and says the net difference when asked: what came and went meanwhile is not
 * in it. It holds at most about twice the items that were there at the beginning and the items that are there now.
 */
export class ChangeLog {
  private readonly nodes = new Map<string, ExplanationNode | undefined>();
  private readonly edges = new Map<string, ExplanationEdge | undefined>();
  private compactAt = COMPACT_FROM;

  /** To be called before a change. @param before what is there now under the id */
  touchNode(id: string, before: ExplanationNode | undefined): void {
    if (!this.nodes.has(id)) this.nodes.set(id, before);
  }

  touchEdge(id: string, before: ExplanationEdge | undefined): void {
    if (!this.edges.has(id)) this.edges.set(id, before);
  }

  /** How many items it remembers. */
  get size(): number {
    return this.nodes.size + this.edges.size;
  }

  /** To be called after a change: forgets what came and is gone again, when there is enough of it to be worth it. */
  compact(graph: LiveGraphology): void {
    if (this.size < this.compactAt) return;
    for (const [id, before] of this.nodes) {
      if (before === undefined && !graph.hasNode(id)) this.nodes.delete(id);
    }
    for (const [id, before] of this.edges) {
      if (before === undefined && !graph.hasEdge(id)) this.edges.delete(id);
    }
    this.compactAt = Math.max(COMPACT_FROM, 2 * this.size);
  }

  /** The difference since the last call; undefined when there is none. */
  take(graph: LiveGraphology): GraphChange | undefined {
    const nodes = difference(this.nodes, (id) =>
      graph.hasNode(id) ? graph.getNodeAttributes(id) : undefined,
    );
    const edges = difference(this.edges, (id) =>
      graph.hasEdge(id) ? graph.getEdgeAttributes(id) : undefined,
    );
    this.nodes.clear();
    this.edges.clear();
    this.compactAt = COMPACT_FROM;
    return isEmpty(nodes) && isEmpty(edges) ? undefined : { nodes, edges };
  }
}

function difference<T>(
  touched: ReadonlyMap<string, T | undefined>,
  now: (id: string) => T | undefined,
): Changes<T> {
  const added: T[] = [];
  const changed: T[] = [];
  const removed: T[] = [];
  for (const [id, before] of touched) {
    const after = now(id);
    if (before === undefined) {
      if (after !== undefined) added.push(after);
    } else if (after === undefined) removed.push(before);
    else if (!sameJson(before, after)) changed.push(after);
  }
  return { added, changed, removed };
}

function isEmpty({ added, changed, removed }: Changes<unknown>): boolean {
  return added.length === 0 && changed.length === 0 && removed.length === 0;
}
