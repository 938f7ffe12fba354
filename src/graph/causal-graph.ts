import { assert } from '../base/assert.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { outermostFirst } from '../model/node-order.ts';
import { AcyclicEdges, byEvidence, type EdgeOrder } from './acyclic-edges.ts';
import { ChangeLog } from './change-log.ts';
import type { GraphReader } from './graph-reader.ts';

/** What happened to the graph since the last look. */
export interface GraphChanges {
  /** Tasks whose nodes, or the edges at them, changed. */
  readonly tasks: ReadonlySet<string>;
  /** The nodes and edges themselves. */
  readonly log: ChangeLog;
  readonly nodesCreated: number;
  readonly edgesCreated: number;
}

const NO_EDGES: readonly ExplanationEdge[] = [];
const NO_NODES: ReadonlySet<string> = new Set();

/** The graph of what agents thought and did: always a DAG, never an edge without both its nodes. */
export class CausalGraph implements GraphReader {
  private readonly nodes = new Map<string, ExplanationNode>();
  private readonly edges: AcyclicEdges;
  private readonly tasks = new Map<string, Set<string>>();
  /** Per task, per task that follows it: the number of edges that lead over. */
  private readonly after = new Map<string, Map<string, number>>();
  private log = new ChangeLog();
  private nodesCreated = 0;
  private edgesCreated = 0;

  /** @param order in which edges are added where some must be left out */
  constructor(order: EdgeOrder = byEvidence) {
    this.edges = new AcyclicEdges((edge, added) => this.edgeChanged(edge, added), order);
  }

  get nodeCount(): number {
    return this.nodes.size;
  }

  get edgeCount(): number {
    return this.edges.size;
  }

  /** How many edges are left out now because they would close a cycle. */
  get edgesLeftOut(): number {
    return this.edges.leftOutCount;
  }

  node(id: string): ExplanationNode | undefined {
    return this.nodes.get(id);
  }

  inEdges(id: string): readonly ExplanationEdge[] {
    return this.nodes.has(id) ? this.edges.acceptedInto(id) : NO_EDGES;
  }

  outEdges(id: string): readonly ExplanationEdge[] {
    return this.nodes.has(id) ? this.edges.acceptedFrom(id) : NO_EDGES;
  }

  /** Every node and every edge, in no particular order; the arrays are the caller's. */
  everything(): { readonly nodes: ExplanationNode[]; readonly edges: ExplanationEdge[] } {
    return {
      nodes: [...this.nodes.values()],
      edges: [...this.edges.all()],
    };
  }

  treeParent(id: string): string | undefined {
    let inner: ExplanationNode | undefined;
    for (const edge of this.inEdges(id)) {
      const parent = edge.evidence === 'parentSpanId' ? this.nodes.get(edge.from) : undefined;
      if (parent && (!inner || outermostFirst(inner, parent) < 0)) inner = parent;
    }
    return inner?.id;
  }

  taskIds(): Iterable<string> {
    return this.tasks.keys();
  }

  nodesOfTask(taskId: string): ReadonlySet<string> {
    return this.tasks.get(taskId) ?? NO_NODES;
  }

  tasksAfter(taskId: string): Iterable<string> {
    return this.after.get(taskId)?.keys() ?? [];
  }

  /** Adds a node, or replaces the one of the same id. */
  putNode(node: ExplanationNode): void {
    this.log.taskChanged(node.taskId);
    this.log.nodeChanged(node.id);
    const before = this.nodes.get(node.id);
    this.nodes.set(node.id, node);
    if (!before) {
      this.nodesCreated++;
      this.joinTask(node);
    } else if (before.taskId !== node.taskId) this.moveTask(before, node);
  }

  /** Takes a node out with all its edges. */
  dropNode(id: string): void {
    const node = this.node(id);
    assert(node, 'dropNode: unknown node');
    for (const edge of this.edges.candidatesInto(id)) this.edges.remove(edge);
    for (const edge of this.edges.candidatesFrom(id)) this.edges.remove(edge);
    this.edges.forget(id);
    this.nodes.delete(id);
    this.leaveTask(node);
    this.log.taskChanged(node.taskId);
    this.log.nodeChanged(id);
  }

  /**
   * Says which edges should lead into a node: those asked for before and not named now go. Both ends must
   * exist. An edge that would close a cycle is left out while it would; one that may close one is not there before
   * `untangle` (see AcyclicEdges).
   */
  putInEdges(target: string, edges: readonly ExplanationEdge[]): void {
    assert(this.nodes.has(target), 'putInEdges: unknown node');
    for (const { from } of edges) assert(this.nodes.has(from), 'putInEdges: an edge from an unknown node');
    const before = this.edges.candidatesInto(target);
    const [only] = edges;
    // Nearly every node has one edge, which comes with it and stays: neither takes a map.
    if (only && edges.length === 1 && before.length <= 1) {
      const [held] = before;
      if (!held) return this.edges.add(only);
      if (held.id === only.id && held.evidence === only.evidence) return;
    }
    const wanted = new Map(edges.map((edge) => [edge.id, edge]));
    for (const held of before) {
      if (wanted.get(held.id)?.evidence === held.evidence) wanted.delete(held.id);
      else this.edges.remove(held);
    }
    for (const edge of wanted.values()) this.edges.add(edge);
  }

  /**
   * Decides which edges stay where some must be left out. To be called after changes, before anyone relies on them.
   * @param isLate asked after each step whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  untangle(isLate: IsOver = NEVER_OVER): boolean {
    return this.edges.untangle(isLate);
  }

  /** Is there anything that `takeChanges` would tell? */
  get hasChanged(): boolean {
    return this.log.tasks.size > 0;
  }

  /** What changed since the last call. */
  takeChanges(): GraphChanges {
    const changes = {
      tasks: this.log.tasks,
      log: this.log,
      nodesCreated: this.nodesCreated,
      edgesCreated: this.edgesCreated,
    };
    this.log = new ChangeLog();
    this.nodesCreated = 0;
    this.edgesCreated = 0;
    return changes;
  }

  private edgeChanged(edge: ExplanationEdge, added: boolean): void {
    const from = this.taskOf(edge.from);
    const to = this.taskOf(edge.to);
    this.log.taskChanged(from);
    this.log.taskChanged(to);
    if (added) this.log.edgeAdded(edge);
    else this.log.edgeRemoved(edge);
    if (added) this.edgesCreated++;
    if (from !== to) this.countCrossing(from, to, added ? 1 : -1);
  }

  private taskOf(id: string): string {
    const node = this.nodes.get(id);
    assert(node, 'an edge has both its nodes');
    return node.taskId;
  }

  private countCrossing(from: string, to: string, by: number): void {
    const targets = this.after.get(from) ?? new Map<string, number>();
    const count = (targets.get(to) ?? 0) + by;
    if (count > 0) targets.set(to, count);
    else targets.delete(to);
    if (targets.size > 0) this.after.set(from, targets);
    else this.after.delete(from);
  }

  private joinTask(node: ExplanationNode): void {
    const members = this.tasks.get(node.taskId);
    if (members) members.add(node.id);
    else this.tasks.set(node.taskId, new Set([node.id]));
  }

  private leaveTask(node: ExplanationNode): void {
    const members = this.tasks.get(node.taskId);
    assert(members, 'a node has a task');
    members.delete(node.id);
    if (members.size === 0) this.tasks.delete(node.taskId);
  }

  private moveTask(before: ExplanationNode, node: ExplanationNode): void {
    for (const edge of this.edges.acceptedInto(node.id)) {
      const other = this.taskOf(edge.from);
      if (other !== before.taskId) this.countCrossing(other, before.taskId, -1);
      if (other !== node.taskId) this.countCrossing(other, node.taskId, 1);
    }
    for (const edge of this.edges.acceptedFrom(node.id)) {
      const other = this.taskOf(edge.to);
      if (other !== before.taskId) this.countCrossing(before.taskId, other, -1);
      if (other !== node.taskId) this.countCrossing(node.taskId, other, 1);
      // The edge belongs to the view of its target's task.
      this.log.taskChanged(other);
    }
    this.leaveTask(before);
    this.joinTask(node);
    this.log.taskChanged(before.taskId);
  }
}
