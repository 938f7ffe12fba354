import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { createLogInterpreter, type InterpretLog } from '../conventions/interpret-log.ts';
import { createInterpreter, type InterpretSpan } from '../conventions/interpret-span.ts';
import { compileTypeRules, type TypeRuleSpec } from '../conventions/type-rules.ts';
import type { CotText, Facts, OverrideFacts, StepTexts } from '../model/facts.ts';
import { madeOf, queryId, requestNodeId } from '../model/ids.ts';
import type { SafeBatch, SafeRecord, SafeRecordConsumer } from '../model/pipeline.ts';
import type { ExplanationEdge } from '../model/node.ts';
import type { GraphSink } from './graph-sink.ts';
import { fallbackAgentOf, knownAgentOf, namedAgentOf } from './agents.ts';
import { callsBefore, causesOf, inEdgesOf, refsOf, type NodeLookup } from './build-edges.ts';
import { buildNode } from './build-node.ts';
import { CorrelationState, hasSources, isShown } from './correlation-state.ts';
import { Dependents } from './dependents.ts';
import { derivedNodes, type DerivedOptions } from './derived-nodes.ts';
import { BYTES_PER_DERIVED, estimateBytes } from './estimate-bytes.ts';
import { eventFacts } from './event-facts.ts';
import { isLaterEvent, isSpan, orderedParts, orderedSteps, type NodeEntry } from './node-entry.ts';
import { NodeMetrics } from './node-metrics.ts';
import { Overrides, type Restore } from './overrides.ts';
import { taskOf } from './tasks.ts';
import type { Journal, Taken } from './journal.ts';
import type { TextSink } from './text-sink.ts';

const NO_EDGES: ExplanationEdge[] = [];

/** Where a text behind a node is. */
export interface SourceKey {
  readonly key: string;
  /** The span that brought it. */
  readonly spanId?: string;
  /** Only this text of it is the node's. */
  readonly only?: keyof StepTexts;
}

export type ReduceFacts = <T extends Facts>(facts: T) => T;

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
  private readonly derivedOptions: DerivedOptions;
  /** The root that each query was made from, by the query's id. */
  private readonly queryOwners = new Map<string, NodeEntry>();
  private readonly metrics: NodeMetrics;
  private readonly interpretSpan: InterpretSpan;
  private readonly interpretLog: InterpretLog;
  private readonly reduce: ReduceFacts;

  constructor(options: CorrelatorOptions) {
    this.options = options;
    this.reduce = options.reduce ?? ((facts) => facts);
    const typeRules = compileTypeRules(options.typeRules ?? []);
    this.interpretSpan = createInterpreter({ typeRules });
    this.interpretLog = createLogInterpreter({ typeRules });
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
    this.lookup = {
      nodeOfSpan: (key) => this.state.spans.get(key)?.nodeId ?? this.state.logs.get(key)?.nodeId,
      spanById: (spanId) => this.state.spanById(spanId),
      stepById: (stepId) => this.state.stepById(stepId),
      toolCalls: this.state.toolCalls,
      content: this.state.content,
      handoffs: this.state.handoffs,
      siblings: this.state.siblings,
      has: (nodeId) => this.state.nodes.get(nodeId)?.inGraph === true,
    };
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
    this.derivedOptions = {
      maxCoTDepth: options.maxCoTDepth,
      callsBefore: (entry) => callsBefore(entry, this.lookup),
      nodeOf: (id) => options.graph.node(id),
      queryOf: (root) => this.state.queries.queryOf(root),
    };
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
    for (const request of this.state.requests.values()) yield* request.parts.values();
    for (const entry of this.state.nodes.values()) if (entry.event) yield entry.event;
    yield* this.overrides.all();
    yield* this.metrics.facts();
  }

  /** The keys under which the texts behind a node were put, the weakest first. */
  sourceKeys(nodeId: string): readonly SourceKey[] {
    const entry = this.state.nodes.get(nodeId);
    if (!entry) return this.derivedSourceKeys(nodeId);
    const steps = [...orderedSteps(entry)];
    // Plumbing and log records come before the spans, which know better.
    const spans = steps.filter((step) => isSpan(step) && step.facts.step.wrapper !== true);
    const keys = [...steps.slice(spans.length).reverse(), ...spans].map((step) =>
      isSpan(step) ? { key: step.key, spanId: step.facts.spanId } : { key: step.key },
    );
    return entry.request ? [...keys, { key: requestNodeId(entry.request.requestId) }] : keys;
  }

  /** Of what a node was made from only what it shows: of a user's query the prompt. */
  private derivedSourceKeys(nodeId: string): readonly SourceKey[] {
    for (const root of this.queryOwners.get(nodeId)?.steps ?? []) {
      const asked = isSpan(root) ? this.state.queries.queryOf(root) : undefined;
      if (asked) return [{ key: asked.key, only: 'prompt' }];
    }
    return [];
  }

  /** The chain of thought behind a node, in full. */
  thoughtOf(nodeId: string): string | undefined {
    const entry = this.state.nodes.get(nodeId);
    if (!entry) {
      const derived = this.options.graph.node(nodeId);
      return derived?.type === 'REASONING' ? derived.promptSummary : undefined;
    }
    const parts = orderedParts(entry.request);
    const texts = parts.map((part) => part.text).filter((text) => text !== '');
    return texts.length === 0 ? undefined : texts.join('\n');
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
      for (const { key } of this.sourceKeys(id)) this.options.texts.delete(key);
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

  /** What is kept of a record; nothing of one that has no place in the graph. */
  private read(record: SafeRecord): readonly Taken[] {
    switch (record.kind) {
      case 'span': {
        const { facts, implied, texts } = this.interpretSpan(record);
        const span = { facts: this.reduce(facts), texts };
        return implied ? [span, ...implied.map((open) => ({ facts: this.reduce(open) }))] : [span];
      }
      case 'cot':
        return [{ facts: this.reduce<CotText>(record) }];
      case 'event':
        return [{ facts: this.reduce(eventFacts(record)) }];
      case 'log': {
        // One that is neither thought nor event and tells of no step.
        const told = this.interpretLog(record);
        return told ? [{ facts: this.reduce(told.facts), texts: told.texts }] : [];
      }
      case 'metric':
        // Points are joined first; what is kept is what was joined to a step.
        return [];
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
        this.state.addCot(facts);
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
      const leadingHere = this.putDerived(entry);
      this.options.graph.putInEdges(entry.id, [...inEdgesOf(entry, this.lookup), ...leadingHere]);
    }
  }

  /** @returns the edges that lead from them into the node itself */
  private putDerived(entry: NodeEntry): ExplanationEdge[] {
    const { graph } = this.options;
    const owner = graph.node(entry.id);
    const made = owner ? derivedNodes(entry, owner, this.derivedOptions) : [];
    if (made.length === 0 && entry.derived.length === 0) return NO_EDGES;
    const ids = made.map(({ node }) => node.id);
    for (const id of entry.derived) if (!ids.includes(id)) this.dropDerived(id, entry);
    for (const { node } of made) {
      const shown = this.overrides.apply(node, entry.id);
      if (!isDeepStrictEqual(shown, graph.node(node.id))) graph.putNode(shown);
      if (node.id === queryId(String(node.details?.['traceId']))) this.queryOwners.set(node.id, entry);
    }
    for (const { node, edges } of made) graph.putInEdges(node.id, edges);
    const bytes = BYTES_PER_DERIVED * (ids.length - entry.derived.length);
    entry.bytes += bytes;
    this.estimatedBytes += bytes;
    entry.derived = ids;
    return made.flatMap(({ leadsToOwner }) => leadsToOwner ?? []);
  }

  /** The query of a trace may by now be made from another root. */
  private dropDerived(id: string, entry: NodeEntry): void {
    const owner = this.queryOwners.get(id);
    if (owner && owner !== entry) return;
    this.queryOwners.delete(id);
    this.options.graph.dropNode(id);
  }

  /** What is behind a node, or behind the one that it was made from. */
  private entryOf(nodeId: string): NodeEntry | undefined {
    return (
      this.state.nodes.get(nodeId) ??
      this.state.nodes.get(madeOf(nodeId) ?? '') ??
      this.queryOwners.get(nodeId)
    );
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

  /** Works out what a node inherits; true when that changed, and then whoever inherits from it looks again. */
  private updateContext(entry: NodeEntry): boolean {
    const steps = orderedSteps(entry);
    const namedBefore = entry.namedAgent;
    entry.namedAgent = namedAgentOf(entry);
    const known = knownAgentOf(
      entry,
      (key) => this.entryOfSpan(key),
      (traceId) => this.state.traceAgents.onlyAgentOf(traceId),
    );
    const agent = known ?? fallbackAgentOf(entry, steps);
    const taskId = taskOf(entry, steps, this.state.traceTasks, () => this.taskOfCause(entry));
    const same =
      agent === entry.agent &&
      taskId === entry.taskId &&
      known === entry.knownAgent &&
      namedBefore === entry.namedAgent;
    if (same) return false;
    entry.knownAgent = known;
    entry.agent = agent;
    entry.taskId = taskId;
    this.notifyDependents(entry);
    return true;
  }

  private notifyDependents(entry: NodeEntry): void {
    if (entry.steps[0]?.key !== entry.id) this.revisitDependents(entry.id);
    for (const step of entry.steps) this.state.tellOf(step);
  }

  private rebuild(entry: NodeEntry): void {
    if (!isShown(entry)) {
      if (entry.inGraph) this.takeOutOfGraph(entry);
      return;
    }
    const metrics = this.metrics.of(entry.steps);
    const node = this.overrides.apply(buildNode(entry, this.state.below, metrics));
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
    for (const id of entry.derived) this.dropDerived(id, entry);
    entry.derived = [];
    if (!entry.inGraph) return;
    entry.inGraph = false;
    this.options.graph.dropNode(entry.id);
    this.notifyDependents(entry);
  }

  private entryOfSpan(key: string): NodeEntry | undefined {
    const span = this.state.spans.get(key);
    return span && this.state.nodes.get(span.nodeId);
  }

  /** Of events that name one another the earlier one is the cause, so that no task comes out of a circle. */
  private taskOfCause(entry: NodeEntry): string | undefined {
    for (const id of causesOf(entry, this.lookup)) {
      const cause = this.state.nodes.get(id);
      if (cause?.inGraph && !isLaterEvent(cause, entry)) return cause.taskId;
    }
    return undefined;
  }
}
