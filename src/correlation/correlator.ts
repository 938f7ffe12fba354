import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { interpretSpan } from '../conventions/interpret-span.ts';
import type { CotText, EventFacts, Facts, OverrideFacts, SpanFacts } from '../model/facts.ts';
import { requestNodeId } from '../model/ids.ts';
import type { Redacted, SafeBatch, SafeRecord, SafeRecordConsumer } from '../model/pipeline.ts';
import type { EventRecord } from '../model/records.ts';
import type { GraphSink } from './graph-sink.ts';
import { fallbackAgentOf, knownAgentOf, namedAgentOf } from './agents.ts';
import { causesOf, inEdgesOf, refsOf, type NodeLookup } from './build-edges.ts';
import { buildNode } from './build-node.ts';
import { CorrelationState, hasSources } from './correlation-state.ts';
import { Dependents } from './dependents.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { eventFacts } from './event-facts.ts';
import { isLaterEvent, orderedEntries, orderedParts, orderedSpans, type NodeEntry } from './node-entry.ts';
import { Overrides, type Restore } from './overrides.ts';
import { taskOf } from './tasks.ts';
import type { TextSink } from './text-sink.ts';

export type ReduceFacts = <T extends Facts>(facts: T) => T;

export interface CorrelatorOptions {
  readonly graph: GraphSink;
  readonly texts: TextSink;
  readonly clock: Clock;
  /** Called after each batch, when the graph holds it. */
  readonly onBatch: (batch: SafeBatch) => void;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** For overrides; without it they change nothing. */
  readonly restore?: Restore | undefined;
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
  private estimatedBytes = 0;
  private readonly lookup: NodeLookup;
  private readonly reduce: ReduceFacts;

  constructor(options: CorrelatorOptions) {
    this.options = options;
    this.reduce = options.reduce ?? ((facts) => facts);
    this.overrides = new Overrides(options.restore ?? ((value) => value));
    this.state = new CorrelationState(
      (entry) => this.touched.add(entry),
      (key) => this.revisitDependents(key),
      () => this.dependents.hasSpanIdKeys,
    );
    this.lookup = {
      nodeOfSpan: (key) => this.state.spans.get(key)?.nodeId,
      spanById: (spanId) => this.state.spanById(spanId),
      toolCalls: this.state.toolCalls,
      has: (nodeId) => this.state.nodes.get(nodeId)?.inGraph === true,
    };
  }

  /** Estimated bytes held in memory for the nodes. */
  get bytes(): number {
    return this.estimatedBytes;
  }

  async consume(batch: SafeBatch): Promise<void> {
    for (const record of batch.records) this.addRecord(record);
    this.settle();
    this.options.onBatch(batch);
  }

  /** Takes facts that were kept over a restart. */
  replay(facts: Iterable<Facts>): void {
    for (const fact of facts) {
      if (fact.kind === 'span') this.state.addSpan(this.reduce(fact));
      else if (fact.kind === 'cot') this.state.addCot(this.reduce(fact));
      else if (fact.kind === 'event') this.state.addEvent(this.reduce(fact));
      else this.overrides.keep(this.reduce(fact));
    }
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
    for (const request of this.state.requests.values()) yield* request.parts.values();
    for (const entry of this.state.nodes.values()) if (entry.event) yield entry.event;
    yield* this.overrides.all();
  }

  /** The keys under which the texts behind a node were put. */
  sourceKeys(nodeId: string): readonly { readonly key: string; readonly spanId?: string }[] {
    const entry = this.state.nodes.get(nodeId);
    if (!entry) return [];
    const spans = orderedEntries(entry).map(({ key, facts }) => ({ key, spanId: facts.spanId }));
    return entry.request ? [...spans, { key: requestNodeId(entry.request.requestId) }] : spans;
  }

  /** The chain of thought behind a node, in full. */
  thoughtOf(nodeId: string): string | undefined {
    const parts = orderedParts(this.state.nodes.get(nodeId)?.request);
    const texts = parts.map((part) => part.text).filter((text) => text !== '');
    return texts.length === 0 ? undefined : texts.join('\n');
  }

  /** The task of the node that a record, by its source key, is part of now; undefined when it is in none. */
  taskOfSource(sourceKey: string): string | undefined {
    const nodeId = this.state.spans.get(sourceKey)?.nodeId ?? sourceKey;
    const entry = this.state.nodes.get(nodeId);
    return entry?.inGraph === true ? entry.taskId : undefined;
  }

  /** Clock.now() of the last change of a node's sources; undefined for an unknown node. */
  changedAt(nodeId: string): number | undefined {
    return this.state.nodes.get(nodeId)?.changedAt;
  }

  /** Takes nodes and all that is behind them out of memory. */
  evict(nodeIds: Iterable<string>): number {
    let count = 0;
    for (const id of nodeIds) {
      const entry = this.state.nodes.get(id);
      if (!entry) continue;
      for (const { key } of this.sourceKeys(id)) this.options.texts.delete(key);
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
      const entry = this.state.nodes.get(id);
      if (!entry) continue;
      entry.abandoned = true;
      this.rebuild(entry);
    }
    this.settle();
  }

  private addRecord(record: SafeRecord): void {
    switch (record.kind) {
      case 'span': {
        const { facts, texts } = interpretSpan(record);
        this.addSpan(facts, texts);
        break;
      }
      case 'cot':
        this.state.addCot(this.reduce<CotText>(record));
        break;
      case 'event':
        this.addEvent(record);
        break;
      case 'log':
        // A log record that is neither thought nor event has no place in the graph.
        break;
    }
  }

  private addSpan(facts: SpanFacts, texts: Parameters<TextSink['put']>[1]): void {
    const span = this.state.addSpan(this.reduce(facts));
    if (span) this.options.texts.put(span.key, texts);
  }

  private addEvent(record: Redacted<EventRecord>): void {
    const facts: EventFacts = eventFacts(record);
    this.state.addEvent(this.reduce(facts));
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
        if (this.updateContext(entry)) this.rebuild(entry);
        needEdges.add(entry);
      }
    }
    for (const entry of needEdges) this.options.graph.putInEdges(entry.id, inEdgesOf(entry, this.lookup));
  }

  /** The sources of a node changed. */
  private refresh(entry: NodeEntry): void {
    entry.changedAt = this.options.clock.now();
    entry.abandoned = false;
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
    const spans = orderedSpans(entry);
    const namedBefore = entry.namedAgent;
    entry.namedAgent = namedAgentOf(entry);
    const known = knownAgentOf(entry, (key) => this.entryOfSpan(key));
    const agent = known ?? fallbackAgentOf(spans);
    const taskId = taskOf(entry, spans, this.state.traceTasks, () => this.taskOfCause(entry));
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
    if (entry.spans[0]?.key !== entry.id) this.revisitDependents(entry.id);
    for (const span of entry.spans) this.state.tellOf(span);
  }

  private rebuild(entry: NodeEntry): void {
    const node = this.overrides.apply(buildNode(entry));
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
