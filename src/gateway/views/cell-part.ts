import { isDeepStrictEqual } from 'node:util';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode, GraphUpdate } from '../../model/node.ts';
import { EdgeIndex } from '../../model/edge-index.ts';
import { sizeInItems } from '../../model/item-size.ts';
import { mightReach, type Neighbours } from '../../graph/might-reach.ts';
import { sameEdge } from '../../subscriptions/diff-view.ts';
import {
  CYCLE,
  edgeProblem,
  firstProblem,
  graphProblem,
  hasCycle,
  LOOSE,
  nodeProblem,
  type Problem,
} from '../cells/check-told.ts';

/** Told of each id that may look different now. */
export interface Touched {
  node(id: string): void;
  edge(id: string): void;
  /** A part has the first node of the task, or the last one no more. */
  task(id: string): void;
}

/** Edges that are looked at for a way back from the end of a new one; most new edges need no more than two. */
const SEARCH_BUDGET = 1_000;
/** Edges that are looked at for all of an update: some milliseconds. In a dense graph each of 500 new ones could cost a search. */
const UPDATE_BUDGET = 50_000;

/** What one cell shows in one view. It is a graph at any time: each edge has both its nodes, and none closes a circle. */
export class CellPart {
  /** Of the cell. */
  readonly name: string;
  readonly nodes = new Map<string, ExplanationNode>();
  readonly edges = new EdgeIndex();
  /** Is it all that the cell shows? */
  isComplete = false;
  /** By task: how many of the nodes are of it. */
  readonly tasks = new Map<string, number>();
  /** As which the nodes count. */
  private nodeItems = 0;
  /** Edges, in the searches of this update. */
  private lookedAt = 0;
  private readonly touched: Touched;
  private readonly neighbours: Neighbours;

  constructor(name: string, touched: Touched) {
    this.name = name;
    this.touched = touched;
    const ends = (id: string, near: 'from' | 'to', far: 'from' | 'to'): string[] => {
      const found: string[] = [];
      this.lookedAt += this.edges.at(id).size;
      for (const edgeId of this.edges.at(id)) {
        const edge = this.edges.get(edgeId);
        if (edge?.[near] === id) found.push(edge[far]);
      }
      return found;
    };
    const count = (id: string): number => this.edges.at(id).size;
    this.neighbours = {
      after: (id) => ends(id, 'from', 'to'),
      before: (id) => ends(id, 'to', 'from'),
      countAfter: count,
      countBefore: count,
    };
  }

  /** Nodes and edges, a large one for several. */
  get items(): number {
    return this.nodeItems + this.edges.items;
  }

  /**
   * It is now this graph. What is the same as before stays the very same object.
   * @returns what is wrong with it: then nothing is changed; undefined when nothing is
   */
  replace(graph: ExplanationGraph): Problem {
    const problem = graphProblem(graph);
    if (problem !== undefined) return problem;
    const { nodes, edges } = graph;
    const nodeIds = new Set(nodes.map(({ id }) => id));
    const edgeIds = new Set(edges.map(({ id }) => id));
    for (const id of this.edges.keys()) if (!edgeIds.has(id)) this.dropEdge(id);
    for (const id of this.nodes.keys()) if (!nodeIds.has(id)) this.dropNode(id);
    for (const node of nodes) if (!isDeepStrictEqual(this.nodes.get(node.id), node)) this.setNode(node);
    for (const edge of edges) if (!sameEdge(this.edges.get(edge.id), edge)) this.setEdge(edge);
    return undefined;
  }

  /** @returns what is wrong with it: then nothing of it can be gone on with; undefined when nothing is */
  update({ addedNodes, removedNodeIds, addedEdges, removedEdgeIds }: GraphUpdate): Problem {
    const problem = firstProblem(addedNodes, nodeProblem) ?? firstProblem(addedEdges, edgeProblem);
    if (problem !== undefined) return problem;
    for (const id of removedNodeIds) this.dropNode(id);
    for (const { id } of removedEdgeIds) this.dropEdge(id);
    for (const node of addedNodes) this.setNode(node);
    return this.addEdges(addedEdges);
  }

  private addEdges(edges: readonly ExplanationEdge[]): Problem {
    // Those of which a short search does not tell; all of them are decided together.
    const doubtful: string[] = [];
    let problem: Problem;
    this.lookedAt = 0;
    for (const edge of edges) {
      const { id, from, to } = edge;
      if (!this.nodes.has(from) || !this.nodes.has(to)) {
        problem = LOOSE;
        break;
      }
      this.dropEdge(id);
      if (this.mayLead(to, from)) doubtful.push(id);
      this.setEdge(edge);
    }
    if (doubtful.length === 0 || !hasCycle(this.edges.values())) return problem;
    for (const id of doubtful) this.dropEdge(id);
    return CYCLE;
  }

  /** Does a way lead there, or may one that is too long to look for? */
  private mayLead(from: string, to: string): boolean {
    // New nodes are most of what comes, and have no edges yet.
    if (from !== to && (this.edges.at(from).size === 0 || this.edges.at(to).size === 0)) return false;
    return this.lookedAt > UPDATE_BUDGET || mightReach(from, to, this.neighbours, SEARCH_BUDGET);
  }

  private setNode(node: ExplanationNode): void {
    const before = this.nodes.get(node.id);
    this.nodes.set(node.id, node);
    this.nodeItems += sizeInItems(node) - (before ? sizeInItems(before) : 0);
    if (before?.taskId !== node.taskId) {
      if (before) this.count(before, -1);
      this.count(node, 1);
    }
    this.touched.node(node.id);
  }

  /** With its edges. */
  private dropNode(id: string): void {
    for (const edgeId of this.edges.at(id)) this.dropEdge(edgeId);
    const node = this.nodes.get(id);
    if (!node) return;
    this.nodes.delete(id);
    this.nodeItems -= sizeInItems(node);
    this.count(node, -1);
    this.touched.node(id);
  }

  private count({ taskId }: ExplanationNode, by: 1 | -1): void {
    const before = this.tasks.get(taskId) ?? 0;
    const now = before + by;
    if (now > 0) this.tasks.set(taskId, now);
    else this.tasks.delete(taskId);
    if (before === 0 || now === 0) this.touched.task(taskId);
  }

  private setEdge(edge: ExplanationEdge): void {
    this.edges.set(edge.id, edge);
    this.touched.edge(edge.id);
  }

  private dropEdge(id: string): void {
    if (this.edges.delete(id)) this.touched.edge(id);
  }
}
