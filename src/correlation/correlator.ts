import type { Clock } from '../base/clock.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import { Pace } from '../base/pace.ts';
import type { TypeRuleSpec } from '../conventions/type-rules.ts';
import type { Facts, OverrideFacts } from '../model/facts.ts';
import type { SafeBatch, SafeRecordConsumer } from '../model/pipeline.ts';
import type { GraphSink } from './graph-sink.ts';
import { callsBefore, type NodeLookup } from './build-edges.ts';
import { CorrelationState } from './correlation-state.ts';
import { Dependents } from './dependents.ts';
import { DerivedGraph } from './derived-graph.ts';
import type { NodeEntry } from './node-entry.ts';
import { nodeLookup } from './node-lookup.ts';
import { NodeMetrics } from './node-metrics.ts';
import { NodeUpkeep } from './node-upkeep.ts';
import { NodeSources } from './node-sources.ts';
import { Overrides, type Restore } from './overrides.ts';
import { recordReader, type ReadRecord, type ReduceFacts } from './read-record.ts';
import type { Journal, Taken } from './journal.ts';
import type { TextSink } from './text-sink.ts';
import { Unsettled } from './unsettled.ts';

export interface CorrelatorOptions {
  readonly graph: GraphSink;
  readonly texts: TextSink;
  /** Without one nothing outlives the process. */
  readonly journal?: Journal | undefined;
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  /** Called after each batch, when the graph holds it. */
  readonly onBatch: (batch: SafeBatch) => void;
  /** Lets those who follow the graph catch up; waited for between the pieces of a large batch. */
  readonly follow?: (() => Promise<void>) | undefined;
  /** Waited for before a batch is begun: undefined when there is room. */
  readonly room?: (() => Promise<void> | undefined) | undefined;
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

/** Records that are taken before the graph follows: what they touch together is made once. */
const CHUNK_RECORDS = 250;

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
  private readonly unsettled = new Unsettled();
  private readonly upkeep: NodeUpkeep;
  private readonly lookup: NodeLookup;
  /** The records behind each node. */
  readonly sources: NodeSources;
  private readonly derived: DerivedGraph;
  private readonly metrics: NodeMetrics;
  private readonly read: ReadRecord;
  private readonly reduce: ReduceFacts;
  private readonly pace: Pace;

  constructor(options: CorrelatorOptions) {
    this.options = options;
    this.pace = options.pace ?? new Pace(options.clock);
    this.reduce = options.reduce ?? ((facts) => facts);
    this.read = recordReader(this.reduce, options.typeRules ?? []);
    this.overrides = new Overrides(options.restore ?? ((value) => value));
    this.state = new CorrelationState(
      {
        onTouched: (entry) => {
          entry.isNameStale = true;
          this.unsettled.touch(entry);
        },
        onKeyChanged: (key) => this.upkeep.revisitDependents(key),
        onRevisit: (nodeId) => this.unsettled.lookAgain(nodeId),
        onBelowChanged: (nodeId) => this.unsettled.lookAgain(nodeId, true),
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
    const { lookup, dependents, derived, metrics, overrides, unsettled } = this;
    const { graph, clock } = options;
    this.upkeep = new NodeUpkeep({
      graph,
      clock,
      state,
      lookup,
      dependents,
      derived,
      metrics,
      overrides,
      unsettled,
    });
    this.sources = new NodeSources(state, this.derived, options.graph);
  }

  /** Estimated bytes held in memory for the nodes. */
  get bytes(): number {
    return this.upkeep.bytes + this.metrics.bytes;
  }

  /**
   * Resolves when the graph holds all of the batch. Of a large one it holds some before, since it is worked off in
   * pieces between which everything else goes on; what refuses it does so before any of it is taken.
   */
  async consume(batch: SafeBatch): Promise<void> {
    const { pace } = this;
    const room = this.options.room?.();
    if (room) await room;
    const taken: Taken[] = [];
    for (const record of batch.records) {
      if (pace.isOver) await pace.rest();
      taken.push(...this.read(record));
    }
    const { journal } = this.options;
    // Only what is kept may change anything: what the graph shows was acknowledged, and outlives the process.
    if (journal && taken.length > 0) await journal.append(taken);
    await this.takeAll(taken);
    for (const record of batch.records) if (record.kind === 'metric') this.metrics.add(record);
    await this.settled();
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

  /** Takes facts that were kept over a restart. Resolves when the graph holds them. */
  async replay(facts: Iterable<Facts>): Promise<void> {
    const taken: Taken[] = [];
    for (const fact of facts) taken.push({ facts: this.reduce(fact) });
    await this.takeAll(taken);
  }

  /** From now on the node shows what was hidden in it, or hides it again. */
  override(facts: OverrideFacts): void {
    this.overrides.keep(facts);
    const entry = this.state.nodes.get(facts.nodeId);
    if (entry?.inGraph === true) this.upkeep.rebuild(entry);
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

  /** Clock.monotonic() of the last change of a node's sources; undefined for an unknown node. */
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
      this.upkeep.drop(entry);
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
      this.upkeep.rebuild(entry);
    }
    this.settle();
  }

  private async takeAll(taken: readonly Taken[]): Promise<void> {
    let inChunk = 0;
    for (const one of taken) {
      if (inChunk === CHUNK_RECORDS || (inChunk > 0 && this.pace.isOver)) {
        await this.settled();
        await this.options.follow?.();
        inChunk = 0;
      }
      this.take(one);
      inChunk++;
    }
    await this.settled();
  }

  /** Resolves when the graph is up to date with what was taken. */
  private async settled(): Promise<void> {
    while (!this.settle(() => this.pace.isOver)) {
      await this.pace.rest();
      await this.options.follow?.();
    }
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

  /**
   * Brings the graph up to date with what was taken.
   * @param isLate asked after each node whether to leave the rest for the next call
   * @returns whether the graph is up to date
   */
  settle(isLate: IsOver = NEVER_OVER): boolean {
    return this.unsettled.settle(this.upkeep, isLate);
  }

  /** What is behind a node, or behind the one that it was made from. */
  private entryOf(nodeId: string): NodeEntry | undefined {
    return this.state.nodes.get(nodeId) ?? this.state.nodes.get(this.derived.ownerOf(nodeId) ?? '');
  }
}
