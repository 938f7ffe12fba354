import type { Clock } from '../base/clock.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import { counted, Pace, short, type Turns } from '../base/pace.ts';
import type { TypeRuleSpec } from '../conventions/type-rules.ts';
import type { Facts, MarkerOriginals, OverrideFacts, StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { SafeBatch, SafeRecordConsumer } from '../model/pipeline.ts';
import { shownThought } from '../model/thought-text.ts';
import { tiesDropped, type Tie } from '../model/ties.ts';
import type { GraphSink } from './graph-sink.ts';
import { callsBefore } from './build-edges.ts';
import { ComebackRounds } from './comeback-rounds.ts';
import { CorrelationState } from './correlation-state.ts';
import { DerivedGraph } from './derived-graph.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LeftRecords } from './left-records.ts';
import { MetricJoins } from './metric-joins.ts';
import { NodeMetrics } from './node-metrics.ts';
import { NodeUpkeep } from './node-upkeep.ts';
import { NodeSources } from './node-sources.ts';
import { Overrides, type OverrideWays } from './overrides.ts';
import { recordReader, type ReadRecord, type ReduceFacts } from './read-record.ts';
import type { Journal, Taken } from './journal.ts';
import { Tracker } from './tracker.ts';
import { Unsettled } from './unsettled.ts';

/** Where the long texts of a record go; keyed by source, not by node, so that joining records moves nothing. */
interface TextSink {
  put(
    sourceKey: string,
    texts: { readonly texts?: StepTexts; readonly attributes?: { readonly [key: string]: unknown } },
  ): void;
  delete(sourceKey: string): void;
  /** Texts are read where the journal keeps them: `put` only tells that there are others now. */
  readonly isOfJournal?: true;
}

/** What readers may see of what agents think. */
export interface VisibleThoughts {
  readonly node: (node: ExplanationNode) => ExplanationNode;
  /** Are the steps of its thoughts nodes of their own? */
  readonly hasSteps: (agent: string) => boolean;
}

export interface CorrelatorOptions {
  readonly graph: GraphSink;
  readonly texts: TextSink;
  /** Without one nothing outlives the process. */
  readonly journal?: Journal | undefined;
  /** What left memory, where it may come back. */
  readonly left?: LeftRecords | undefined;
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  /** Called after each batch, when the graph holds it. */
  readonly onBatch: (receivedAt: number) => void;
  /** Lets those who follow the graph catch up; waited for between the pieces of a large batch. */
  readonly follow?: (() => Promise<void>) | undefined;
  /** Waited for before a batch is begun: undefined when there is room. */
  readonly room?: (() => Promise<void> | undefined) | undefined;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** Without them nodes are shown as they are kept, and overrides change nothing. */
  readonly overrides?: OverrideWays | undefined;
  /** What of nodes readers may see. All of it if absent. */
  readonly visible?: VisibleThoughts | undefined;
  /** Steps of one chain of thought that become nodes of their own. */
  readonly maxCoTDepth: number;
  /** Users' own rules for the types of steps. @throws BoundaryError INVALID_ARGUMENT for a bad one */
  readonly typeRules?: readonly TypeRuleSpec[] | undefined;
  /** Draw edges that nothing but time speaks for. Default false. */
  readonly inferEdges?: boolean | undefined;
}

const NO_TIES: readonly Tie[] = [];

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
  readonly overrides: Overrides;
  private readonly tracker = new Tracker();
  private readonly unsettled = new Unsettled(this.tracker);
  private readonly upkeep: NodeUpkeep;
  /** The records behind each node. */
  readonly sources: NodeSources;
  private readonly derived: DerivedGraph;
  private readonly metrics: NodeMetrics;
  private readonly joins: MetricJoins;
  private readonly read: ReadRecord;
  private readonly reduce: ReduceFacts;
  private readonly pace: Pace;
  /** Absent where nothing comes back. */
  private readonly rounds: ComebackRounds | undefined;

  constructor(options: CorrelatorOptions) {
    this.options = options;
    this.pace = options.pace ?? new Pace(options.clock);
    this.reduce = options.reduce ?? ((facts) => facts);
    this.read = recordReader(this.reduce, options.typeRules ?? [], options.overrides?.ownId);
    this.overrides = new Overrides(options.overrides);
    const { overrides, unsettled, tracker } = this;
    this.state = new CorrelationState({ tracker, unsettled, inferEdges: options.inferEdges ?? false });
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
      hasSteps: (agent) => options.visible?.hasSteps(agent) ?? true,
      callsBefore: (entry) => callsBefore(entry, state),
      nodeOf: ({ id }) => options.graph.node(id),
      queryOf: (root) => state.indexes.queries.queryOf(root),
      isTold: (id) => state.nodes.get(id)?.inGraph === true,
      saidOf: (entry) => state.said.of(entry.id),
    });
    const { derived, metrics } = this;
    const { graph, clock } = options;
    this.upkeep = new NodeUpkeep({
      graph,
      clock,
      state,
      tracker,
      derived,
      metrics,
      overrides,
      visible: (node) => options.visible?.node(node) ?? node,
      onLook: (entry) => this.rounds?.looks(entry),
    });
    this.joins = new MetricJoins({
      metrics,
      clock,
      pace: this.pace,
      journal: options.journal,
      shownIn: (source) => {
        const entry = state.entryOfRecord(source);
        return entry?.inGraph === true ? entry : undefined;
      },
      rebuild: (entry) => this.upkeep.rebuild(entry),
    });
    this.sources = new NodeSources(state, this.derived, options.graph);
    this.rounds =
      options.left &&
      new ComebackRounds({
        left: options.left,
        clock,
        pace: this.pace,
        factsOf: (entry) => this.sources.factsOf(entry),
        // Many may wait for what comes back.
        take: (facts) => this.takeAll(this.kept(facts), short(this.pace)),
      });
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
    const pace = counted(this.pace);
    const room = this.options.room?.();
    if (room) await room;
    let taken: Taken[] = [];
    for (const record of batch.records) {
      if (pace.isOver) await pace.rest();
      taken.push(...this.read(record));
    }
    const points = batch.records.filter(({ kind }) => kind === 'metric');
    batch.release?.();
    const { journal, left, texts } = this.options;
    const facts = taken.map((one) => one.facts);
    // What is refused is refused before it is kept.
    left?.assertRoom(facts);
    // Once it is kept nothing says any more what was named until now: a crash would leave the edge where it is.
    await this.rounds?.bringBack(facts, (one) => this.tiesDroppedBy(one));
    // Only what is kept may change anything: what the graph shows was acknowledged, and outlives the process.
    if (journal && taken.length > 0) {
      const read = taken;
      // As many texts as wait for the disk would outgrow what is cheap to collect.
      if (texts.isOfJournal === true) taken = read.map(withoutTexts);
      await journal.append(read, texts.isOfJournal && (() => void (read.length = 0)));
    }
    await this.takeWithLeft(taken, pace);
    await this.joins.take(points);
    await this.untangled(pace);
    await this.joins.settled(points.length > 0);
    this.options.onBatch(batch.receivedAt);
  }

  /** Keeps what was joined of metrics, for steps that still run as well: before a clean stop. */
  async keepMetrics(): Promise<void> {
    await this.joins.settleAll();
  }

  /** Takes facts that were kept over a restart. Resolves when the graph holds them. */
  async replay(facts: Iterable<Facts>): Promise<void> {
    const taken = this.kept(facts);
    await this.takeWithLeft(taken, this.pace);
    await this.untangled(this.pace);
    await this.joins.settled();
  }

  /** From now on the node shows what was hidden in it, or hides it again. */
  override(facts: OverrideFacts): void {
    this.overrides.keep(facts);
    const entry = this.state.nodes.get(facts.nodeId);
    if (entry?.inGraph === true) this.upkeep.rebuild(entry);
  }

  /** What an administrator has had shown of a node, by marker. */
  overrideOf(nodeId: string): MarkerOriginals | undefined {
    return this.overrides.of(nodeId);
  }

  /** The words of administrators that these nodes, and those made from them, show more because of, by node. */
  overridesBehind(nodeIds: Iterable<string>): ReadonlyMap<string, OverrideFacts> {
    const found = new Map<string, OverrideFacts>();
    for (const id of nodeIds) {
      const facts = this.overrides.factsOf(id);
      if (facts) for (const shown of [id, ...this.sources.madeFrom(id)]) found.set(shown, facts);
    }
    return found;
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

  /** The node that a record, by its source key, is part of now; undefined when it is in none. */
  nodeOfSource(sourceKey: string): { readonly id: string; readonly taskId: string } | undefined {
    const entry = this.state.entryOfRecord(sourceKey) ?? this.state.nodes.get(sourceKey);
    return entry?.inGraph === true ? entry : undefined;
  }

  /** Clock.monotonic() of the last change of a node's sources; undefined for an unknown node. */
  changedAt(nodeId: string): number | undefined {
    return this.entryOf(nodeId)?.changedAt;
  }

  /**
   * Takes nodes and all that is behind them out of memory. What stays shows what it showed before: neither it nor what leaves
   * later is looked at anew because of them. Everything is settled before: how they are now is how they leave.
   */
  evict(nodeIds: Iterable<string>): number {
    return this.takeOut(nodeIds, (entry) => this.state.leave(entry));
  }

  /** Forgets nodes and all that is behind them for good: what stays no longer shows anything of them. */
  erase(nodeIds: Iterable<string>): void {
    this.takeOut(nodeIds, (entry) => this.state.forget(entry));
    this.settle();
  }

  /** Says of nodes still running that their end is no longer waited for. */
  abandon(nodeIds: Iterable<string>): void {
    for (const id of nodeIds) {
      const entry = this.entryOf(id);
      if (!entry || entry.abandoned) continue;
      entry.abandoned = true;
      for (const { key, facts } of entry.steps) this.metrics.freeze(key, facts);
      this.upkeep.rebuild(entry);
    }
    this.settle();
  }

  /** What a record named until now, and names no more: what of it left memory holds an edge that goes. */
  private tiesDroppedBy(facts: Facts): readonly Tie[] {
    const replaced = this.state.replacedBy(facts);
    return replaced ? tiesDropped(replaced, facts) : NO_TIES;
  }

  /** What left memory, and these belong to, is there again before they are taken. */
  private async takeWithLeft(taken: readonly Taken[], pace: Turns): Promise<void> {
    const asked = new Set(taken.map(({ facts }) => facts));
    await this.rounds?.bringBack([...asked]);
    await this.takeAll(taken, pace);
    await this.rounds?.bringBackForLooked(asked);
  }

  /** Facts as they were kept. */
  private kept(facts: Iterable<Facts>): Taken[] {
    const taken: Taken[] = [];
    for (const fact of facts) taken.push({ facts: this.reduce(fact) });
    return taken;
  }

  private takeOut(nodeIds: Iterable<string>, forget: (entry: NodeEntry) => void): number {
    let count = 0;
    for (const id of nodeIds) {
      const entry = this.state.nodes.get(id);
      if (!entry) continue;
      this.joins.joinTo(entry);
      for (const key of this.sources.keysOf(id)) this.options.texts.delete(key);
      for (const { key } of entry.steps) this.metrics.forget(key);
      forget(entry);
      this.upkeep.drop(entry);
      this.rounds?.forget(entry);
      count++;
    }
    return count;
  }

  private async takeAll(taken: readonly Taken[], pace: Turns): Promise<void> {
    let inChunk = 0;
    for (const one of taken) {
      if (inChunk === CHUNK_RECORDS || pace.isOver) {
        if (inChunk > 0) {
          await this.settled(pace);
          await this.options.follow?.();
        }
        // Before the first one, too: small requests that were kept together go on together, and add up to a large one.
        if (pace.isOver) await pace.rest();
        inChunk = 0;
      }
      this.take(one);
      inChunk++;
    }
    await this.settled(pace);
  }

  /** Resolves when the graph has the nodes of what was taken, and the edges that were asked for. */
  private async settled(pace: Turns): Promise<void> {
    while (!this.unsettled.settle(this.upkeep, () => pace.isOver)) {
      await pace.rest();
      await this.options.follow?.();
    }
  }

  /** Resolves when the edges of the graph are those of its rule: once for a batch, since it costs as much as all that lies on cycles. */
  private async untangled(pace: Turns): Promise<void> {
    while (!this.options.graph.untangle(() => pace.isOver)) await pace.rest();
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
        this.state.requests.addCot(shownThought(facts));
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
    return this.unsettled.settle(this.upkeep, isLate) && this.options.graph.untangle(isLate);
  }

  /** The node that one without records of its own was made from; undefined for others. */
  madeFrom(nodeId: string): string | undefined {
    return this.state.nodes.has(nodeId) ? undefined : this.derived.ownerOf(nodeId);
  }

  /** What is behind a node, or behind the one that it was made from. */
  private entryOf(nodeId: string): NodeEntry | undefined {
    return this.state.nodes.get(nodeId) ?? this.state.nodes.get(this.derived.ownerOf(nodeId) ?? '');
  }
}

const NO_TEXTS = {};

function withoutTexts({ facts, texts }: Taken): Taken {
  return texts ? { facts, texts: NO_TEXTS } : { facts };
}
