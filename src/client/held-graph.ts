import { EdgeIndex } from '../model/edge-index.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from '../model/node.ts';
import { sizeInItems } from '../model/item-size.ts';

/** A graph that nobody sees yet. Updates mean exactly what `applyUpdate` (model/apply-update.ts) makes of them, whatever ids are. */
export class HeldGraph {
  private readonly nodes = new Map<string, ExplanationNode>();
  private readonly edges = new EdgeIndex();
  private nodeItems = 0;
  private lastUpdated: string;
  private notices: readonly string[];

  constructor({ nodes, edges, lastUpdated, notices = [] }: ExplanationGraph) {
    for (const node of nodes) this.setNode(node);
    for (const edge of edges) this.setEdge(edge);
    this.lastUpdated = lastUpdated;
    this.notices = notices;
  }

  /** Nodes and edges, a large one for several; of nodes, if it is kept as it was told. */
  get items(): number {
    return this.nodeItems + this.edges.items;
  }

  get content(): ExplanationGraph {
    const { lastUpdated, notices } = this;
    const [nodes, edges] = [[...this.nodes.values()], [...this.edges.values()]];
    return { nodes, edges, lastUpdated, ...(notices.length > 0 && { notices }) };
  }

  update({ removedNodeIds, removedEdgeIds, addedNodes, addedEdges, timestamp, notices }: GraphUpdate): void {
    for (const id of removedNodeIds) {
      for (const edgeId of this.edges.at(id)) this.edges.delete(edgeId);
      this.dropNode(id);
    }
    for (const removed of removedEdgeIds as readonly Partial<ExplanationEdge>[])
      for (const id of removed.id === undefined ? this.between(removed) : [removed.id]) this.edges.delete(id);
    for (const node of addedNodes) this.setNode(node);
    for (const edge of addedEdges) this.setEdge(edge);
    this.lastUpdated = timestamp;
    this.notices = notices ?? this.notices;
  }

  /** A removed edge without an id, the spec's own shape, means every edge between its ends. */
  private between({ from = '', to }: Partial<ExplanationEdge>): readonly string[] {
    return [...this.edges.at(from)].filter((id) => {
      const edge = this.edges.get(id);
      return edge?.from === from && edge.to === to;
    });
  }

  private setNode(node: ExplanationNode): void {
    this.dropNode(node.id);
    this.nodes.set(node.id, node);
    this.nodeItems += sizeInItems(node);
  }

  private dropNode(id: string): void {
    const node = this.nodes.get(id);
    if (node) this.nodeItems -= sizeInItems(node);
    this.nodes.delete(id);
  }

  private setEdge(edge: ExplanationEdge): void {
    if (this.nodes.has(edge.from) && this.nodes.has(edge.to)) this.edges.set(edge.id, edge);
  }
}
