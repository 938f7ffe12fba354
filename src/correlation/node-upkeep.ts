import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { inEdgesOf, refsOf, type NodeLookup } from './build-edges.ts';
import { buildNode } from './build-node.ts';
import { hasSources, isShown, type CorrelationState } from './correlation-state.ts';
import type { Dependents } from './dependents.ts';
import type { DerivedGraph } from './derived-graph.ts';
import { estimateBytes } from './estimate-bytes.ts';
import type { GraphSink } from './graph-sink.ts';
import { updateContext } from './node-context.ts';
import type { NodeEntry } from './node-entry.ts';
import type { NodeMetrics } from './node-metrics.ts';
import type { Overrides } from './overrides.ts';
import type { SettlingSteps, Unsettled } from './unsettled.ts';

export interface UpkeepParts {
  readonly graph: GraphSink;
  readonly clock: Clock;
  readonly state: CorrelationState;
  readonly lookup: NodeLookup;
  readonly dependents: Dependents;
  readonly derived: DerivedGraph;
  readonly metrics: NodeMetrics;
  readonly overrides: Overrides;
  readonly unsettled: Unsettled;
}

/** Makes nodes of the graph anew from what is behind them. */
export class NodeUpkeep implements SettlingSteps {
  /** Estimated bytes that all nodes and what is behind them take. */
  bytes = 0;
  private readonly parts: UpkeepParts;

  constructor(parts: UpkeepParts) {
    this.parts = parts;
  }

  renew(entry: NodeEntry): boolean {
    // It was forgotten after something touched it.
    if (this.parts.state.nodes.get(entry.id) !== entry) return false;
    if (hasSources(entry)) {
      this.refresh(entry);
      return true;
    }
    this.parts.state.nodes.delete(entry.id);
    this.drop(entry);
    return false;
  }

  revisit(nodeId: string, isStale: boolean): NodeEntry | undefined {
    const entry = this.parts.state.nodes.get(nodeId);
    if (!entry || this.parts.unsettled.isTouched(entry) || !hasSources(entry)) return undefined;
    if (this.updateContext(entry) || isStale) this.rebuild(entry);
    return entry;
  }

  join(): void {
    for (const source of this.parts.metrics.takeChanged()) {
      const entry = this.parts.state.nodes.get(this.parts.lookup.nodeOfSpan(source) ?? '');
      if (entry?.inGraph === true) this.rebuild(entry);
    }
  }

  putEdges(entry: NodeEntry): void {
    const { edges, bytes } = this.parts.derived.put(entry);
    entry.bytes += bytes;
    this.bytes += bytes;
    this.parts.graph.putInEdges(entry.id, [...inEdgesOf(entry, this.parts.lookup), ...edges]);
  }

  /** The sources of a node changed. */
  private refresh(entry: NodeEntry): void {
    entry.changedAt = this.parts.clock.monotonic();
    entry.abandoned = false;
    for (const step of entry.steps) this.parts.metrics.stepChanged(step.key, step.facts);
    const refs = refsOf(entry);
    this.parts.dependents.replace(entry.id, entry.refs, refs);
    entry.refs = refs;
    const bytes = estimateBytes(entry);
    this.bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    // Whether an event can be the cause of another depends on its time too.
    if (!this.updateContext(entry) && entry.event) this.notifyDependents(entry);
    this.rebuild(entry);
  }

  /** True when what a node inherits changed, and then whoever inherits from it looks again. */
  private updateContext(entry: NodeEntry): boolean {
    const isChanged = updateContext(entry, this.parts.state, this.parts.lookup);
    if (isChanged) this.notifyDependents(entry);
    return isChanged;
  }

  private notifyDependents(entry: NodeEntry): void {
    if (entry.steps[0]?.key !== entry.id) this.revisitDependents(entry.id);
    for (const step of entry.steps) this.parts.state.indexes.tellOf(step);
  }

  /** Whoever refers to what has this key looks again. */
  revisitDependents(key: string): void {
    for (const nodeId of this.parts.dependents.of(key)) this.parts.unsettled.lookAgain(nodeId);
  }

  /** What it shows may be something else now. */
  rebuild(entry: NodeEntry): void {
    if (!isShown(entry)) {
      if (entry.inGraph) this.takeOutOfGraph(entry);
      return;
    }
    const metrics = this.parts.metrics.of(entry.steps);
    const node = this.parts.overrides.apply(buildNode(entry, this.parts.state.indexes.below, metrics));
    if (entry.inGraph) {
      if (!isDeepStrictEqual(node, this.parts.graph.node(entry.id))) this.parts.graph.putNode(node);
      return;
    }
    entry.inGraph = true;
    this.parts.graph.putNode(node);
    this.notifyDependents(entry);
  }

  /** Nothing is behind it any more. */
  drop(entry: NodeEntry): void {
    this.parts.overrides.forget(entry.id);
    this.parts.dependents.replace(entry.id, entry.refs, []);
    this.bytes -= entry.bytes;
    this.takeOutOfGraph(entry);
  }

  private takeOutOfGraph(entry: NodeEntry): void {
    this.parts.derived.drop(entry);
    if (!entry.inGraph) return;
    entry.inGraph = false;
    this.parts.graph.dropNode(entry.id);
    this.notifyDependents(entry);
  }
}
