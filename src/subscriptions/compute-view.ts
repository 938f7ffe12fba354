import type { GraphReader } from '../graph/graph-reader.ts';
import { bridgeId, edgeId } from '../model/ids.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { byEvidence } from '../graph/acyclic-edges.ts';
import type { Fold } from '../pruning/fold.ts';
import { matches, type ViewSpec } from './view-spec.ts';

/** What a reader sees of one task: its visible nodes, and the edges that lead into them. */
export interface TaskView {
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly edges: ReadonlyMap<string, ExplanationEdge>;
}

/** What views are computed from. */
export interface ViewSource {
  readonly graph: GraphReader;
  /** How a task is folded now. */
  foldOf(taskId: string): Fold;
}

/**
 * Computes views under one spec, while the graph stands still. The rules:
 *
 * - A node is shown when it is not folded (or its summary or task was opened) and matches the filters; a
 *   SUMMARY or notice when one of its members matches.
 * - An edge between two shown nodes is shown as it is.
 * - A bridged edge a→b is shown exactly when there is no edge a→b and a path from a to b all of whose inner
 *   nodes are hidden.
 * - Edges into folded nodes lead into their summary. A summary has no edges out: what a folded node led to is
 *   bridged from the shown nodes before it.
 */
export class ViewComputer {
  private readonly source: ViewSource;
  private readonly spec: ViewSpec;
  /** Per hidden node: the shown nodes from which it is reached through hidden ones only. */
  private readonly shownBefore = new Map<string, ReadonlySet<string>>();

  constructor(source: ViewSource, spec: ViewSpec) {
    this.source = source;
    this.spec = spec;
  }

  taskView(taskId: string): TaskView {
    const nodes = new Map<string, ExplanationNode>();
    const edges = new Map<string, ExplanationEdge>();
    const { taskIds } = this.spec.filters;
    if (taskIds && !taskIds.has(taskId)) return { nodes, edges };
    const { graph } = this.source;
    const fold = this.foldOf(taskId);
    for (const id of graph.nodesOfTask(taskId)) {
      const node = graph.node(id);
      if (!node || !this.isNodeShown(node)) continue;
      nodes.set(id, node);
      this.addEdges(id, [id], edges);
    }
    for (const [id, group] of fold.groups) {
      if (this.spec.expandedSummaries.has(id) || !group.members.some((member) => this.matches(member)))
        continue;
      nodes.set(id, group.summary);
      this.addEdges(id, group.members, edges);
    }
    if (fold.notice && [...fold.summaryOf.keys()].some((member) => this.matches(member))) {
      nodes.set(fold.notice.id, fold.notice);
    }
    return { nodes, edges };
  }

  /** Adds the edges into a shown node, which stands for `members`. */
  private addEdges(target: string, members: readonly string[], edges: Map<string, ExplanationEdge>): void {
    const direct = new Set<string>();
    const through = new Map<string, ExplanationEdge>();
    const inside = new Set(members);
    for (const member of members) {
      for (const edge of this.source.graph.inEdges(member)) {
        if (inside.has(edge.from)) continue;
        if (this.isShown(edge.from)) {
          direct.add(edge.from);
          addStronger(edges, target === member ? edge : redirect(edge, target));
        } else {
          for (const from of this.shownBeforeOf(edge.from))
            addStronger(through, bridge(from, target, edge), from);
        }
      }
    }
    for (const [from, edge] of through) if (!direct.has(from)) edges.set(edge.id, edge);
  }

  private shownBeforeOf(hidden: string): ReadonlySet<string> {
    // Iterative post-order, as hidden chains may be tens of thousands of nodes long.
    const stack = [hidden];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      if (this.shownBefore.has(id)) {
        stack.pop();
        continue;
      }
      const before = this.source.graph.inEdges(id).map((edge) => edge.from);
      const open = before.filter((from) => !this.isShown(from) && !this.shownBefore.has(from));
      if (open.length > 0) {
        for (const from of open) stack.push(from);
        continue;
      }
      stack.pop();
      this.shownBefore.set(id, this.unionBefore(before));
    }
    return this.shownBefore.get(hidden) ?? new Set();
  }

  private unionBefore(before: readonly string[]): ReadonlySet<string> {
    const [only, second] = before;
    // The usual case, a tree: the set of the one node before is shared instead of copied.
    if (only !== undefined && second === undefined && !this.isShown(only)) {
      return this.shownBefore.get(only) ?? new Set();
    }
    const shown = new Set<string>();
    for (const from of before) {
      if (this.isShown(from)) shown.add(from);
      else for (const id of this.shownBefore.get(from) ?? []) shown.add(id);
    }
    return shown;
  }

  private isShown(id: string): boolean {
    const node = this.source.graph.node(id);
    return node !== undefined && this.isNodeShown(node);
  }

  private isNodeShown(node: ExplanationNode): boolean {
    const summary = this.foldOf(node.taskId).summaryOf.get(node.id);
    if (summary !== undefined && !this.spec.expandedSummaries.has(summary)) return false;
    return matches(this.spec.filters, node);
  }

  private matches(id: string): boolean {
    const node = this.source.graph.node(id);
    return node !== undefined && matches(this.spec.filters, node);
  }

  private foldOf(taskId: string): Fold {
    const open = this.spec.collapse === 'none' || this.spec.expandedTasks.has(taskId);
    return open ? UNFOLDED : this.source.foldOf(taskId);
  }
}

const UNFOLDED: Fold = { summaryOf: new Map(), groups: new Map(), notice: undefined };

function redirect(edge: ExplanationEdge, target: string): ExplanationEdge {
  return {
    id: edgeId(edge.from, edge.relation, target),
    from: edge.from,
    to: target,
    relation: edge.relation,
    evidence: edge.evidence,
  };
}

/** A bridged edge says what the last hop of its path says. */
function bridge(from: string, to: string, last: ExplanationEdge): ExplanationEdge {
  return {
    id: bridgeId(from, to),
    from,
    to,
    relation: last.relation,
    evidence: last.evidence,
    bridged: true,
  };
}

/** Of several edges for one place the one with the strongest evidence stays, whatever their order. */
function addStronger(edges: Map<string, ExplanationEdge>, edge: ExplanationEdge, key = edge.id): void {
  const held = edges.get(key);
  if (
    !held ||
    byEvidence(edge, held) < 0 ||
    (byEvidence(edge, held) === 0 && edge.relation < held.relation)
  ) {
    edges.set(key, edge);
  }
}
