import { MultiDirectedGraph } from 'graphology';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from '../model/node.ts';
import { ChangeLog, type GraphChange, type LiveGraphology } from './change-log.ts';
import { sameJson } from './same-json.ts';

/**
 * One graphology graph kept equal to what the service says, in place: the same object for life, and only what is
 * different is touched. Updates mean exactly what `applyUpdate` (model/apply-update.ts) makes of them.
 */
export class GraphMirror {
  readonly graph: LiveGraphology = new MultiDirectedGraph<ExplanationNode, ExplanationEdge>();
  /** ISO 8601; undefined before the first snapshot. */
  lastUpdated: string | undefined;
  /** What the service says of it; none before the first snapshot. */
  notices: readonly string[] = [];
  private readonly own = new ChangeLog();
  private readonly logs = new Set<ChangeLog>([this.own]);

  /** All of it. */
  get content(): ExplanationGraph {
    const nodes = this.graph.mapNodes((_id, node) => node);
    const edges = this.graph.mapEdges((_id, edge) => edge);
    const { lastUpdated = '', notices } = this;
    return { nodes, edges, lastUpdated, ...(notices.length > 0 && { notices }) };
  }

  /** From now on the log is told of every change. */
  watch(log: ChangeLog): void {
    this.logs.add(log);
  }

  unwatch(log: ChangeLog): void {
    this.logs.delete(log);
  }

  /** @returns what is different now; undefined when nothing is */
  update(update: GraphUpdate): GraphChange | undefined {
    this.notices = update.notices ?? this.notices;
    for (const id of update.removedNodeIds) this.dropNode(id);
    for (const removed of update.removedEdgeIds as readonly Partial<ExplanationEdge>[]) {
      for (const id of this.edgesMeant(removed)) this.dropEdge(id);
    }
    for (const node of update.addedNodes) this.setNode(node);
    for (const edge of update.addedEdges) this.setEdge(edge);
    return this.finish(update.timestamp);
  }

  /** Makes the graph that of a fresh snapshot. @returns what is different now; undefined when nothing is */
  replace(snapshot: ExplanationGraph): GraphChange | undefined {
    this.notices = snapshot.notices ?? [];
    const nodes = new Map(snapshot.nodes.map((node) => [node.id, node]));
    const edges = new Map<string, ExplanationEdge>();
    for (const edge of snapshot.edges) {
      if (nodes.has(edge.from) && nodes.has(edge.to) && canBeHeld(edge)) edges.set(edge.id, edge);
    }
    for (const id of this.graph.edges()) if (!edges.has(id)) this.dropEdge(id);
    for (const id of this.graph.nodes()) if (!nodes.has(id)) this.dropNode(id);
    for (const node of nodes.values()) this.setNode(node);
    for (const edge of edges.values()) this.setEdge(edge);
    return this.finish(snapshot.lastUpdated);
  }

  private finish(timestamp: string): GraphChange | undefined {
    this.lastUpdated = timestamp;
    const change = this.own.take(this.graph);
    for (const log of this.logs) log.compact(this.graph);
    return change;
  }

  /** A removed edge without an id, the spec's own shape, means every edge between its ends. */
  private edgesMeant({ id, from, to }: Partial<ExplanationEdge>): readonly string[] {
    const { graph } = this;
    if (id !== undefined) return graph.hasEdge(id) ? [id] : [];
    const bothThere = from !== undefined && to !== undefined && graph.hasNode(from) && graph.hasNode(to);
    return bothThere ? graph.outEdges(from, to) : [];
  }

  private setNode(node: ExplanationNode): void {
    const { graph } = this;
    const before = graph.hasNode(node.id) ? graph.getNodeAttributes(node.id) : undefined;
    if (before !== undefined && sameJson(before, node)) return;
    for (const log of this.logs) log.touchNode(node.id, before);
    if (before === undefined) graph.addNode(node.id, node);
    else graph.replaceNodeAttributes(node.id, node);
  }

  private setEdge(edge: ExplanationEdge): void {
    const { graph } = this;
    if (!graph.hasNode(edge.from) || !graph.hasNode(edge.to) || !canBeHeld(edge)) return;
    const before = graph.hasEdge(edge.id) ? graph.getEdgeAttributes(edge.id) : undefined;
    if (before !== undefined && sameJson(before, edge)) return;
    for (const log of this.logs) log.touchEdge(edge.id, before);
    if (before !== undefined && before.from === edge.from && before.to === edge.to) {
      graph.replaceEdgeAttributes(edge.id, edge);
      return;
    }
    if (before !== undefined) graph.dropEdge(edge.id);
    graph.addEdgeWithKey(edge.id, edge.from, edge.to, edge);
  }

  private dropNode(id: string): void {
    const { graph } = this;
    if (!graph.hasNode(id)) return;
    for (const edge of graph.edges(id)) this.dropEdge(edge);
    const before = graph.getNodeAttributes(id);
    for (const log of this.logs) log.touchNode(id, before);
    graph.dropNode(id);
  }

  private dropEdge(id: string): void {
    const before = this.graph.getEdgeAttributes(id);
    for (const log of this.logs) log.touchEdge(id, before);
    this.graph.dropEdge(id);
  }
}

/**
 * graphology keeps the neighbours of a node in plain objects, by id, and whoever sends chooses ids: an edge to a node
 * `__proto__` would be written to the prototype of all objects of the process.
 */
function canBeHeld({ from, to }: ExplanationEdge): boolean {
  return !(from in Object.prototype) && !(to in Object.prototype);
}
