import type { Work } from '../../base/in-turns.ts';
import { byEvidence } from '../../graph/acyclic-edges.ts';
import { CausalGraph } from '../../graph/causal-graph.ts';
import type { ChangeLog } from '../../graph/change-log.ts';
import type { GraphReader } from '../../graph/graph-reader.ts';
import type { ExplanationEdge } from '../../model/node.ts';
import type { KeptSteps } from './kept-steps.ts';

/** Nodes that are copied before others may have their turn: a few milliseconds. */
const STEP_NODES = 200;

/**
 * The graph as it would be if the kept nodes had never left memory: the nodes in memory, and the kept ones that are
 * not in memory again, with the edges of both. It is made by copying, and follows what changes.
 */
export class WholeGraph {
  readonly graph = new CausalGraph((a, b) => this.rankOf(a) - this.rankOf(b) || byEvidence(a, b));
  private readonly live: GraphReader;
  private readonly kept: KeptSteps;
  /** Edges that only kept nodes have: where some must be left out, they give way to those in memory. By target. */
  private readonly past = new Map<string, ReadonlySet<string>>();

  constructor(live: GraphReader, kept: KeptSteps) {
    this.live = live;
    this.kept = kept;
  }

  /** Copies everything; what changes meanwhile is followed as it changes. Yields wherever it may be interrupted. */
  *fill(): Work<void> {
    const ids = [...idsIn(this.live), ...this.kept.ids()];
    for (let at = 0; at < ids.length; at += STEP_NODES) {
      for (const id of ids.slice(at, at + STEP_NODES)) this.copyNode(id);
      yield;
    }
    // With those that came meanwhile: what is before them may have been copied later.
    const copied = [...idsIn(this.graph)];
    for (let at = 0; at < copied.length; at += STEP_NODES) {
      for (const id of copied.slice(at, at + STEP_NODES)) this.copyEdgesInto(id);
      yield;
    }
    while (!this.graph.untangle(() => true)) yield;
  }

  /** The graph in memory has changed so. */
  follow(changes: ChangeLog): void {
    const targets = new Set<string>();
    for (const edge of changes.removed.values()) targets.add(edge.to);
    for (const edge of changes.added.values()) targets.add(edge.to);
    this.copy(changes.nodes, targets);
  }

  /** Copies these nodes as they are now, and the edges into them and into those named beside. */
  copy(ids: Iterable<string>, targets = new Set<string>()): void {
    for (const id of ids) {
      targets.add(id);
      for (const next of this.kept.nextTo(id)) targets.add(next);
      this.copyNode(id);
    }
    for (const id of targets) this.copyEdgesInto(id);
    this.graph.untangle();
  }

  private copyNode(id: string): void {
    const node = this.live.node(id) ?? this.kept.node(id);
    const held = this.graph.node(id);
    if (node && node !== held) this.graph.putNode(node);
    if (node || !held) return;
    this.graph.dropNode(id);
    this.past.delete(id);
  }

  private copyEdgesInto(id: string): void {
    if (!this.graph.node(id)) return;
    const edges = new Map<string, ExplanationEdge>();
    for (const edge of this.kept.edgesInto(id)) edges.set(edge.id, edge);
    for (const edge of this.live.inEdges(id)) edges.set(edge.id, edge);
    const wanted = [...edges.values()].filter(({ from }) => this.graph.node(from) !== undefined);
    const inMemory = new Set(this.live.inEdges(id).map((edge) => edge.id));
    const past = wanted.filter((edge) => !inMemory.has(edge.id)).map((edge) => edge.id);
    const before = this.past.get(id);
    const isAsBefore = (edge: ExplanationEdge): boolean =>
      (before?.has(edge.id) ?? false) !== inMemory.has(edge.id);
    // What has another rank now is taken out, and put in again.
    if (!wanted.every(isAsBefore)) this.graph.putInEdges(id, wanted.filter(isAsBefore));
    if (past.length > 0) this.past.set(id, new Set(past));
    else this.past.delete(id);
    this.graph.putInEdges(id, wanted);
  }

  private rankOf(edge: ExplanationEdge): number {
    return this.past.get(edge.to)?.has(edge.id) === true ? 1 : 0;
  }
}

function* idsIn(graph: GraphReader): Generator<string> {
  for (const taskId of graph.taskIds()) yield* graph.nodesOfTask(taskId);
}
