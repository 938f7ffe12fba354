import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { compareText } from '../../model/compare-text.ts';
import type { SharedTask } from '../notices.ts';
import { isRequest, isThoughtAlone } from '../owner.ts';
import { CellPart, type Touched } from './cell-part.ts';

/** What changed in the merged graph since it was last settled. */
export interface MergedChange {
  readonly addedNodes: readonly ExplanationNode[];
  readonly removedNodeIds: readonly string[];
  readonly addedEdges: readonly ExplanationEdge[];
  readonly removedEdgeIds: readonly { readonly from: string; readonly to: string; readonly id: string }[];
}

interface ShownNode {
  readonly node: ExplanationNode;
  readonly owner: CellPart;
}

/**
 * The parts of several cells as one graph, by the rule of the owner (`owner.ts`). So each node is there once, each edge has
 * both its nodes, and there is no cycle.
 */
export class MergedGraph implements Touched {
  /** In the order of names. */
  private parts: readonly CellPart[] = [];
  private readonly nodes = new Map<string, ShownNode>();
  private readonly edges = new Map<string, ExplanationEdge>();
  /** Tasks of which several cells show nodes, whoever owns these. */
  private readonly split = new Set<string>();
  private touchedNodes = new Set<string>();
  private touchedEdges = new Set<string>();

  /** Nodes and edges that are held, of all cells, a large one for several. */
  get items(): number {
    let items = 0;
    for (const part of this.parts) items += part.items;
    return items;
  }

  get isChanged(): boolean {
    return this.touchedNodes.size + this.touchedEdges.size > 0;
  }

  /** A part for one more cell. */
  add(name: string): CellPart {
    const part = new CellPart(name, this);
    this.parts = [...this.parts, part].sort((a, b) => compareText(a.name, b.name));
    // What it has it is told later: no node has another owner yet.
    return part;
  }

  /** The cell is none any more: what it alone has goes. */
  remove(name: string): void {
    const part = this.parts.find((other) => other.name === name);
    part?.replace({ nodes: [], edges: [], lastUpdated: '' });
    this.parts = this.parts.filter((other) => other !== part);
  }

  node(id: string): void {
    this.touchedNodes.add(id);
  }

  edge(id: string): void {
    this.touchedEdges.add(id);
  }

  task(id: string): void {
    if (this.cellsOf(id).length > 1) this.split.add(id);
    else this.split.delete(id);
  }

  shown(nodeId: string): ExplanationNode | undefined {
    return this.nodes.get(nodeId)?.node;
  }

  hasTask(taskId: string): boolean {
    return this.parts.some((part) => part.tasks.has(taskId));
  }

  /** Tasks that several cells show nodes of, by id. */
  splitTasks(): readonly SharedTask[] {
    return [...this.split].sort(compareText).map((taskId) => ({ taskId, cells: this.cellsOf(taskId) }));
  }

  /** Applies what was touched since the last call. */
  settle(): MergedChange {
    const addedNodes: ExplanationNode[] = [];
    const removedNodeIds: string[] = [];
    const addedEdges: ExplanationEdge[] = [];
    const removedEdgeIds: ExplanationEdge[] = [];
    for (const id of this.touchedNodes) {
      const before = this.nodes.get(id);
      const owner = this.ownerOf(id);
      const node = owner?.nodes.get(id);
      // With another owner other edges lead there, and other cells' lead away. Without one before, all edges are new.
      if (before && owner && before.owner !== owner)
        for (const part of this.parts) for (const edgeId of part.edges.at(id)) this.touchedEdges.add(edgeId);
      if (node && owner) this.nodes.set(id, { node, owner });
      else this.nodes.delete(id);
      if (!node && before) removedNodeIds.push(id);
      if (node && before?.node !== node) addedNodes.push(node);
    }
    for (const id of this.touchedEdges) {
      const before = this.edges.get(id);
      const edge = this.shownEdge(id);
      if (edge) this.edges.set(id, edge);
      else this.edges.delete(id);
      if (!edge && before) removedEdgeIds.push(before);
      if (edge && edge !== before) addedEdges.push(edge);
    }
    this.touchedNodes = new Set();
    this.touchedEdges = new Set();
    return {
      addedNodes,
      removedNodeIds,
      addedEdges,
      removedEdgeIds: removedEdgeIds.map(({ from, to, id }) => ({ from, to, id })),
    };
  }

  /** What is shown since it was last settled, as a copy. */
  copy(): { readonly nodes: ExplanationNode[]; readonly edges: ExplanationEdge[] } {
    return { nodes: Array.from(this.nodes.values(), ({ node }) => node), edges: [...this.edges.values()] };
  }

  private ownerOf(nodeId: string): CellPart | undefined {
    const first = this.parts.find(({ nodes }) => nodes.has(nodeId));
    if (!first || !isRequest(nodeId)) return first;
    const having = this.parts.filter(({ nodes }) => nodes.has(nodeId));
    // What one cell alone tells is not decoded for this.
    if (having.length < 2) return first;
    return having.find(({ nodes }) => !isThoughtAlone(nodes.get(nodeId) as ExplanationNode)) ?? first;
  }

  private shownEdge(id: string): ExplanationEdge | undefined {
    for (const part of this.parts) {
      const edge = part.edges.get(id);
      if (!edge || this.nodes.get(edge.to)?.owner !== part) continue;
      const from = this.nodes.get(edge.from)?.owner;
      if (from && from.name <= part.name) return edge;
    }
    return undefined;
  }

  private cellsOf(taskId: string): readonly string[] {
    return this.parts.filter((part) => part.tasks.has(taskId)).map(({ name }) => name);
  }
}
