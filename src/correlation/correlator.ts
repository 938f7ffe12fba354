import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { TypeRuleSpec } from '../conventions/type-rules.ts';
import type { Facts, OverrideFacts } from '../model/facts.ts';
import type { SafeBatch, SafeRecordConsumer } from '../model/pipeline.ts';
import type { GraphSink } from './graph-sink.ts';
import { callsBefore, inEdgesOf, refsOf, type NodeLookup } from './build-edges.ts';
import { buildNode } from './build-node.ts';
import { CorrelationState, hasSources, isShown } from './correlation-state.ts';
import { Dependents } from './dependents.ts';
import { DerivedGraph } from './derived-graph.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { updateContext } from './node-context.ts';
import type { NodeEntry } from './node-entry.ts';
import { nodeLookup } from './node-lookup.ts';
import { NodeMetrics } from './node-metrics.ts';
import { NodeSources } from './node-sources.ts';
import { Overrides, type Restore } from './overrides.ts';
import { recordReader, type ReadRecord, type ReduceFacts } from './read-record.ts';
import type { Journal, Taken } from './journal.ts';
import type { TextSink } from './text-sink.ts';

export interface CorrelatorOptions {
  readonly graph: GraphSink;
  readonly texts: TextSink;
  /** Without one nothing outlives the process. */
  readonly journal?: Journal | undefined;
  readonly clock: Clock;
  /** Called after each batch, when the graph holds it. */
  readonly onBatch: (batch: SafeBatch) => void;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** For overrides; without it they change nothing. */
  readonly restore?: Restore | undefined;
  /** Steps of one chain of thought that become nodes of their own. */
  readonly maxCoTDepth: number;
  /** Users' own rules for the types of steps. @throws BoundaryError INVALID_ARGUMENT for a bad one */
  readonly typeRules?: readonly TypeRuleSpec[] | undefined;
  /** Draw edges that nothing but time speaks for. Default false. */
  readonly inferEdges?: boolean | undefined;
}

/**
 * Joins records into nodes and says which edges lead into each. The graph is a function of the set of facts:
 * a change marks the nodes that it touches, and those that refer to them, and each is made anew from its
 * sources. Nothing that can be placed at once is held back.
 */
export class Correlator implements SafeRecordConsumer {
  private readonly options: CorrelatorOptions;
  private readonly state: CorrelationState;
  private readonly dependents = new Dependents();
  private readonly overrides: Overrides;
  /** Nodes whose sources changed, and nodes of which something they refer to changed. */
  private readonly touched = new Set<NodeEntry>();
  private readonly toRevisit = new Set<string>();
  /** Of these the nodes that show something else now, though their own sources are the same. */
  private readonly stale = new Set<string>();
  private estimatedBytes = 0;
  private readonly lookup: NodeLookup;
  /** The records behind each node. */
  readonly sources: NodeSources;
  private readonly derived: DerivedGraph;
  private readonly metrics: NodeMetrics;
  private readonly read: ReadRecord;
  private readonly reduce: ReduceFacts;

  constructor(options: CorrelatorOptions) {
    this.options = options;
    this.reduce = options.reduce ?? ((facts) => facts);
    this.read = recordReader(this.reduce, options.typeRules ?? []);
    this.overrides = new Overrides(options.restore ?? ((value) => value));
    this.state = new CorrelationState(
      {
        onTouched: (entry) => this.touched.add(entry),
        onKeyChanged: (key) => this.revisitDependents(key),
        onRevisit: (nodeId) => this.toRevisit.add(nodeId),
        onBelowChanged: (nodeId) => {
          this.toRevisit.add(nodeId);
          this.stale.add(nodeId);
        },
        hasKeys: () => ({ spanIds: this.dependents.hasSpanIdKeys, stepIds: this.dependents.hasStepIdKeys }),
      },
      options.inferEdges ?? false,
    );
    this.lookup = nodeLookup(this.state);
    const { state } = this;
    this.metrics = new NodeMetrics({
      steps: {
        has: (key) => state.spans.has(key) || state.logs.has(key),
        *[Symbol.iterator]() {
          yield* state.spans;
          yield* state.logs;
        },
      },
    });
    this.derived = new DerivedGraph(options.graph, this.overrides, {
      maxCoTDepth: options.maxCoTDepth,
      callsBefore: (entry) => callsBefore(entry, this.lookup),
      nodeOf: (id) => options.graph.node(id),
      queryOf: (root) => state.indexes.queries.queryOf(root),
    });
    this.sources = new NodeSources(state, this.derived, options.graph);
  }

  /** Estimated bytes held in memory for the nodes. */
  get bytes(): number {
    return this.estimatedBytes + this.metrics.bytes;
  }

  async consume(batch: SafeBatch): Promise<void> {
    const taken = batch.records.flatMap((record) => this.read(record));
    const { journal } = this.options;
    // Only what is kept may change anything: what the graph shows was acknowledged, and outlives the process.
    if (journal && taken.length > 0) await journal.append(taken);
    for (const one of taken) this.take(one);
    for (const record of batch.records) if (record.kind === 'metric') this.metrics.add(record);
    this.settle();
    await this.keepMetrics();
    this.options.onBatch(batch);
  }

  /**
   * Keeps what was joined of metrics since the last time.
   * @param all of steps that still run as well: before a clean stop
   */
  async keepMetrics(all = false): Promise<void> {
    const { journal } = this.options;
    const facts = this.metrics.takeUnkept(all);
    if (!journal || facts.length === 0) return;
    try {
      await journal.append(facts.map((kept) => ({ facts: kept })));
    } catch (error) {
      this.metrics.notKept(facts);
      throw error;
    }
  }

  /** Takes facts that were kept over a restart. */
  replay(facts: Iterable<Facts>): void {
    for (const fact of facts) this.take({ facts: this.reduce(fact) });
    this.settle();
  }

  /** From now on the node shows what was hidden in it, or hides it again. */
  override(facts: OverrideFacts): void {
    this.overrides.keep(facts);
    const entry = this.state.nodes.get(facts.nodeId);
    if (entry?.inGraph === true) this.rebuild(entry);
  }

  /** What an administrator has had shown of a node, by marker. */
  overrideOf(nodeId: string): OverrideFacts['originals'] | undefined {
    return this.overrides.of(nodeId);
  }

  /** Everything that a restart needs to make the same graph again. */
  *facts(): Generator<Facts> {
    for (const span of this.state.spans.values()) yield span.facts;
    for (const log of this.state.logs.values()) yield log.facts;
    for (const request of this.state.requests.all()) yield* request.parts.values();
    for (const entry of this.state.nodes.values()) if (entry.event) yield entry.event;
    yield* this.overrides.all();
    yield* this.metrics.facts();
  }

  /** The task of the node that a record, by its source key, is part of now; undefined when it is in none. */
  taskOfSource(sourceKey: string): string | undefined {
    const nodeId = this.lookup.nodeOfSpan(sourceKey) ?? sourceKey;
    const entry = this.state.nodes.get(nodeId);
    return entry?.inGraph === true ? entry.taskId : undefined;
  }

  /** Clock.now() of the last change of a node's sources; undefined for an unknown node. */
  changedAt(nodeId: string): number | undefined {
    return this.entryOf(nodeId)?.changedAt;
  }

  /** Takes nodes and all that is behind them out of memory. */
  evict(nodeIds: Iterable<string>): number {
    let count = 0;
    for (const id of nodeIds) {
      const entry = this.state.nodes.get(id);
      if (!entry) continue;
      for (const key of this.sources.keysOf(id)) this.options.texts.delete(key);
      for (const { key } of entry.steps) this.metrics.forget(key);
      this.state.forget(entry);
      this.dropEntry(entry);
      count++;
    }
    this.settle();
    return count;
  }

  /** Says of nodes still running that their end is no longer waited for. */
  abandon(nodeIds: Iterable<string>): void {
    for (const id of nodeIds) {
      const entry = this.entryOf(id);
      if (!entry || entry.abandoned) continue;
      entry.abandoned = true;
      for (const { key } of entry.steps) this.metrics.freeze(key);
      this.rebuild(entry);
    }
    this.settle();
  }

  private take({ facts, texts }: Taken): void {
    switch (facts.kind) {
      case 'span': {
        const span = this.state.addSpan(facts);
        if (span && texts) this.options.texts.put(span.key, texts);
        break;
      }
      case 'log': {
        const log = this.state.addLog(facts);
        if (log && texts) this.options.texts.put(log.key, texts);
        break;
      }
      case 'cot':
        this.state.requests.addCot(facts);
        break;
      case 'event':
        this.state.addEvent(facts);
        break;
      case 'override':
        this.overrides.keep(facts);
        break;
      case 'metric':
        this.metrics.restore(facts);
        break;
    }
  }

  private revisitDependents(key: string): void {
    for (const nodeId of this.dependents.of(key)) this.toRevisit.add(nodeId);
  }

  /** Brings the graph up to date with the state: first the nodes, then, as all ends exist, the edges. */
  private settle(): void {
    const needEdges = new Set<NodeEntry>();
    while (this.touched.size > 0 || this.toRevisit.size > 0) {
      for (const entry of this.touched) {
        this.touched.delete(entry);
        // It was forgotten after something touched it.
        if (this.state.nodes.get(entry.id) !== entry) continue;
        if (!hasSources(entry)) {
          this.state.nodes.delete(entry.id);
          needEdges.delete(entry);
          this.dropEntry(entry);
          continue;
        }
        this.refresh(entry);
        needEdges.add(entry);
      }
      for (const nodeId of this.toRevisit) {
        this.toRevisit.delete(nodeId);
        const entry = this.state.nodes.get(nodeId);
        if (!entry || this.touched.has(entry) || !hasSources(entry)) continue;
        const isStale = this.stale.has(nodeId);
        if (this.updateContext(entry) || isStale) this.rebuild(entry);
        needEdges.add(entry);
      }
    }
    this.stale.clear();
    for (const source of this.metrics.takeChanged()) {
      const entry = this.state.nodes.get(this.lookup.nodeOfSpan(source) ?? '');
      if (entry?.inGraph === true) this.rebuild(entry);
    }
    for (const entry of needEdges) {
      if (!entry.inGraph) continue;
      const { edges, bytes } = this.derived.put(entry);
      entry.bytes += bytes;
      this.estimatedBytes += bytes;
      this.options.graph.putInEdges(entry.id, [...inEdgesOf(entry, this.lookup), ...edges]);
    }
  }

  /** What is behind a node, or behind the one that it was made from. */
  private entryOf(nodeId: string): NodeEntry | undefined {
    return this.state.nodes.get(nodeId) ?? this.state.nodes.get(this.derived.ownerOf(nodeId) ?? '');
  }

  /** The sources of a node changed. */
  private refresh(entry: NodeEntry): void {
    entry.changedAt = this.options.clock.now();
    entry.abandoned = false;
    for (const step of entry.steps) this.metrics.stepChanged(step.key, step.facts);
    const refs = refsOf(entry);
    this.dependents.replace(entry.id, entry.refs, refs);
    entry.refs = refs;
    const bytes = estimateBytes(entry);
    this.estimatedBytes += bytes - entry.bytes;
    entry.bytes = bytes;
    // Whether an event can be the cause of another depends on its time too.
    if (!this.updateContext(entry) && entry.event) this.notifyDependents(entry);
    this.rebuild(entry);
  }

  /** True when what a node inherits changed, and then whoever inherits from it looks again. */
  private updateContext(entry: NodeEntry): boolean {
    const isChanged = updateContext(entry, this.state, this.lookup);
    if (isChanged) this.notifyDependents(entry);
    return isChanged;
  }

  private notifyDependents(entry: NodeEntry): void {
    if (entry.steps[0]?.key !== entry.id) this.revisitDependents(entry.id);
    for (const step of entry.steps) this.state.indexes.tellOf(step);
  }

  private rebuild(entry: NodeEntry): void {
    if (!isShown(entry)) {
      if (entry.inGraph) this.takeOutOfGraph(entry);
      return;
    }
    const metrics = this.metrics.of(entry.steps);
    const node = this.overrides.apply(buildNode(entry, this.state.indexes.below, metrics));
    if (entry.inGraph) {
      if (!isDeepStrictEqual(node, this.options.graph.node(entry.id))) this.options.graph.putNode(node);
      return;
    }
    entry.inGraph = true;
    this.options.graph.putNode(node);
    this.notifyDependents(entry);
  }

  private dropEntry(entry: NodeEntry): void {
    this.overrides.forget(entry.id);
    this.dependents.replace(entry.id, entry.refs, []);
    this.estimatedBytes -= entry.bytes;
    this.takeOutOfGraph(entry);
  }

  private takeOutOfGraph(entry: NodeEntry): void {
    this.derived.drop(entry);
    if (!entry.inGraph) return;
    entry.inGraph = false;
    this.options.graph.dropNode(entry.id);
    this.notifyDependents(entry);
  }
}
