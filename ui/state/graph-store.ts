import type { Changes, ExplanationEdge, ExplanationNode, GraphChange } from '../../src/client/browser.ts';

type Listener = () => void;

const NONE: ReadonlySet<string> = new Set();

/**
 * The records of one subscription, by id. Records are replaced, never changed, so that who reads one by its id draws again
 * only when that one is another. Listeners are told once for each batch, after all of it was applied.
 */
export class GraphStore {
  readonly nodes = new Map<string, ExplanationNode>();
  readonly edges = new Map<string, ExplanationEdge>();
  /** Rises with every batch. */
  version = 0;
  /** Rises when a node or edge comes or goes. */
  structure = 0;
  /** All that the service shows is here. */
  isComplete = false;
  /** Nodes that came by themselves: not with what was asked for, and not as members of a SUMMARY that was opened. */
  readonly news = new Set<string>();
  private readonly into = new Map<string, Set<string>>();
  private readonly outOf = new Map<string, Set<string>>();
  private readonly listeners = new Set<Listener>();
  private readonly nodeListeners = new Map<string, Set<Listener>>();

  apply(changes: readonly GraphChange[], isComplete: boolean): void {
    const touched = new Set<string>();
    const isAskedFor = !this.isComplete || !isComplete;
    for (const { nodes, edges } of changes) {
      this.applyEdges(edges);
      this.applyNodes(nodes, touched);
      if (!isAskedFor && !nodes.removed.some(({ type }) => type === 'SUMMARY'))
        for (const { id } of nodes.added) this.news.add(id);
      if (isStructural(nodes) || isStructural(edges)) this.structure += 1;
    }
    this.isComplete = isComplete;
    this.version += 1;
    for (const id of touched) for (const tell of this.nodeListeners.get(id) ?? []) tell();
    for (const tell of this.listeners) tell();
  }

  /** Edges that lead to a node: what caused it. */
  causesOf(id: string): readonly ExplanationEdge[] {
    return this.edgesBy(this.into.get(id));
  }

  /** Edges that lead from a node: what it caused. */
  effectsOf(id: string): readonly ExplanationEdge[] {
    return this.edgesBy(this.outOf.get(id));
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  subscribeNode(id: string, listener: Listener): () => void {
    const listeners = this.nodeListeners.get(id) ?? new Set();
    this.nodeListeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.nodeListeners.delete(id);
    };
  }

  private applyNodes({ added, changed, removed }: Changes<ExplanationNode>, touched: Set<string>): void {
    for (const { id } of removed) {
      this.nodes.delete(id);
      touched.add(id);
    }
    for (const list of [added, changed]) {
      for (const node of list) {
        this.nodes.set(node.id, node);
        touched.add(node.id);
      }
    }
  }

  private applyEdges({ added, changed, removed }: Changes<ExplanationEdge>): void {
    for (const { id, from, to } of removed) {
      this.edges.delete(id);
      this.into.get(to)?.delete(id);
      this.outOf.get(from)?.delete(id);
    }
    for (const list of [added, changed]) {
      for (const edge of list) {
        this.edges.set(edge.id, edge);
        put(this.into, edge.to, edge.id);
        put(this.outOf, edge.from, edge.id);
      }
    }
  }

  private edgesBy(ids: ReadonlySet<string> = NONE): readonly ExplanationEdge[] {
    return [...ids].map((id) => this.edges.get(id)).filter((edge) => edge !== undefined);
  }
}

function isStructural({ added, removed }: Changes<unknown>): boolean {
  return added.length > 0 || removed.length > 0;
}

function put(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids) ids.add(id);
  else index.set(key, new Set([id]));
}
