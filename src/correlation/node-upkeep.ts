import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { IsOver } from '../base/in-turns.ts';
import { inEdgesOf } from './build-edges.ts';
import type { ExplanationNode } from '../model/node.ts';
import { buildNode } from './build-node.ts';
import { hasSources, isShown, type CorrelationState } from './correlation-state.ts';
import type { DerivedGraph } from './derived-graph.ts';
import { estimateBytes } from './estimate-bytes.ts';
import type { GraphSink } from './graph-sink.ts';
import { updateContext } from './node-context.ts';
import type { NodeEntry } from './node-entry.ts';
import type { NodeMetrics } from './node-metrics.ts';
import type { Overrides } from './overrides.ts';
import { withAnnotations } from './said-of-nodes.ts';
import type { Tracker } from './tracker.ts';
import type { SettlingSteps } from './unsettled.ts';

export interface UpkeepParts {
  readonly graph: GraphSink;
  readonly clock: Clock;
  readonly state: CorrelationState;
  readonly tracker: Tracker;
  readonly derived: DerivedGraph;
  readonly metrics: NodeMetrics;
  readonly overrides: Overrides;
  /** What readers may see of a node. */
  readonly visible: (node: ExplanationNode) => ExplanationNode;
  /** Told of each node that is made anew from what others say, with the edges into it, and of each that is none any more. */
  readonly onLook: (entry: NodeEntry) => void;
}

/** Makes nodes of the graph anew from what is behind them. */
export class NodeUpkeep implements SettlingSteps {
  /** Estimated bytes that all nodes and what is behind them take. */
  bytes = 0;
  private readonly parts: UpkeepParts;

  constructor(parts: UpkeepParts) {
    this.parts = parts;
  }

  place(isLate: IsOver): boolean {
    return this.parts.state.settle(isLate);
  }

  parentOf(entry: NodeEntry): NodeEntry | undefined {
    return this.parts.state.parentOf(entry);
  }

  renew(entry: NodeEntry): boolean {
    // It was forgotten after something touched it.
    if (this.parts.state.nodes.get(entry.id) !== entry) return false;
    if (hasSources(entry)) {
      this.refresh(entry);
      return true;
    }
    this.parts.onLook(entry);
    this.parts.state.dropNode(entry);
    this.drop(entry);
    return false;
  }

  revisit(entry: NodeEntry, isStale: boolean): boolean {
    if (this.parts.state.nodes.get(entry.id) !== entry) return false;
    if (this.updateContext(entry) || isStale) this.rebuild(entry);
    return true;
  }

  putEdges(entry: NodeEntry): void {
    const { graph, derived, state, tracker } = this.parts;
    tracker.start(entry);
    const { edges, bytes } = derived.put(entry);
    const inEdges = inEdgesOf(entry, state);
    tracker.stop();
    entry.bytes += bytes;
    this.bytes += bytes;
    graph.putInEdges(entry.id, edges.length > 0 ? [...inEdges, ...edges] : inEdges);
  }

  /** The sources of a node changed. */
  private refresh(entry: NodeEntry): void {
    entry.changedAt = this.parts.clock.monotonic();
    entry.abandoned = false;
    for (const step of entry.steps) this.parts.metrics.stepChanged(step.key, step.facts);
    const bytes = estimateBytes(entry);
    this.bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    // Whether an event can be the cause of another depends on its time too.
    if (entry.event) this.parts.state.tellDependents(entry);
    this.updateContext(entry);
    this.rebuild(entry);
  }

  /** @returns whether what it inherits and shows is another */
  private updateContext(entry: NodeEntry): boolean {
    const { state, tracker, onLook } = this.parts;
    onLook(entry);
    tracker.forget(entry);
    tracker.start(entry);
    const isOther = updateContext(entry, state);
    tracker.stop();
    return isOther;
  }

  /** What it shows may be something else now. */
  rebuild(entry: NodeEntry): void {
    if (!isShown(entry)) {
      if (entry.inGraph) this.takeOutOfGraph(entry);
      return;
    }
    const metrics = this.parts.metrics.of(entry.steps);
    const said = this.parts.state.said.of(entry.id);
    const whole = withAnnotations(
      buildNode(entry, { below: this.parts.state.indexes.below, metrics, said }),
      said,
    );
    const node = this.parts.overrides.apply(this.parts.visible(whole));
    const before = entry.inGraph ? this.parts.graph.node(entry.id) : undefined;
    if (before && isDeepStrictEqual(node, before)) return;
    entry.inGraph = true;
    this.parts.graph.putNode(node);
    // Which model goes on from which: of several calls the latest counts.
    if (before?.model !== node.model || before?.timestamp !== node.timestamp)
      this.parts.state.tellDependents(entry);
  }

  /** Nothing is behind it any more. */
  drop(entry: NodeEntry): void {
    this.parts.overrides.forget(entry.id);
    this.parts.tracker.forget(entry);
    this.bytes -= entry.bytes;
    this.takeOutOfGraph(entry);
  }

  private takeOutOfGraph(entry: NodeEntry): void {
    this.parts.derived.drop(entry);
    if (!entry.inGraph) return;
    entry.inGraph = false;
    this.parts.graph.dropNode(entry.id);
    this.parts.state.tellDependents(entry);
    // Where it was told of a thought, or of what else a node gives, that node gives it again.
    const owner = this.parts.derived.ownerOf(entry.id);
    if (owner !== undefined) this.parts.state.touch(owner);
  }
}
