import type { CotText, Facts, StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { requestNodeId } from '../model/ids.ts';
import type { SourceKey } from '../model/source-key.ts';
import { rootsTie, tiesOf, type Tie } from '../model/ties.ts';
import { derivedThought, thoughtTexts } from '../model/thought-text.ts';
import type { CorrelationState } from './correlation-state.ts';
import type { DerivedGraph } from './derived-graph.ts';
import type { GraphSink } from './graph-sink.ts';
import { countedStep, type CountedStep } from './said-by.ts';
import { isSpan, isWrapper, orderedParts, orderedSteps, type NodeEntry } from './node-entry.ts';
import { isJoined } from './task-roots.ts';

/** The records behind nodes, by the keys under which their texts are kept. */
export class NodeSources {
  private readonly state: CorrelationState;
  private readonly derived: DerivedGraph;
  private readonly graph: GraphSink;

  constructor(state: CorrelationState, derived: DerivedGraph, graph: GraphSink) {
    this.state = state;
    this.derived = derived;
    this.graph = graph;
  }

  /** Where the texts of a node are, the weakest first. Of a query: where its prompt is. */
  of(nodeId: string): readonly SourceKey[] {
    const entry = this.state.nodes.get(nodeId);
    if (!entry) {
      const asked = this.derived.askedIn(nodeId);
      return asked ? [{ key: asked.key, only: 'prompt', behind: asked.nodeId }] : [];
    }
    const steps = orderedSteps(entry);
    // Plumbing and log records come before the spans, which know better.
    const spans = steps.filter((step) => isSpan(step) && !isWrapper(step));
    const keys = [...steps.slice(spans.length).reverse(), ...spans].map((step) =>
      isSpan(step) ? { key: step.key, spanId: step.facts.spanId } : { key: step.key },
    );
    return entry.request ? [...keys, { key: requestNodeId(entry.request.requestId) }] : keys;
  }

  /** Those of them whose records are behind other nodes. */
  borrowedBy(nodeId: string): readonly SourceKey[] {
    return this.of(nodeId).filter(({ only }) => only !== undefined);
  }

  /** The nodes that are made from the records of this one besides it. */
  madeFrom(nodeId: string): readonly string[] {
    return this.state.nodes.get(nodeId)?.derived ?? [];
  }

  /**
   * The keys of the records that are behind this node and no other, in the order of their texts, its own id among them;
   * none for a derived node.
   */
  keysOf(nodeId: string): readonly string[] {
    if (!this.state.nodes.has(nodeId)) return [];
    return [...new Set([...this.of(nodeId).map(({ key }) => key), nodeId])];
  }

  /** By which what comes later finds this node; none for a derived node. */
  tiesOf(nodeId: string): readonly Tie[] {
    const entry = this.state.nodes.get(nodeId);
    if (!entry) return [];
    const ties = this.factsOf(entry).flatMap(tiesOf);
    // Another root of its task may come, whose edge leads from it, or from which one leads to it.
    if (entry.rootOf) ties.push(rootsTie(entry.taskId, isJoined(entry.rootOf)));
    return [...new Set(ties)];
  }

  /** The records behind a node, as they are kept. */
  factsOf({ steps, request, event }: NodeEntry): readonly Facts[] {
    const parts = request?.parts.values() ?? [];
    return [...steps.map((step) => step.facts), ...parts, ...(event ? [event] : [])];
  }

  /** What the node counts as, for those who count steps; undefined where it is none. */
  countedAs(node: ExplanationNode): CountedStep | undefined {
    const entry = this.state.nodes.get(node.id);
    return entry && countedStep(entry, node);
  }

  /** Was it made of an event that came here, and not told as a node by another service? */
  isEvent({ id }: ExplanationNode): boolean {
    return this.state.nodes.get(id)?.event !== undefined;
  }

  /** The chain of thought behind a node, in full; of one of its steps what the node shows of it. */
  thoughtOf(nodeId: string): StepTexts {
    const entry = this.state.nodes.get(nodeId);
    if (entry) return thoughtTexts(orderedParts(entry.request));
    const derived = this.graph.node(nodeId);
    return derived ? derivedThought(derived) : {};
  }

  /** The same in its parts. */
  partsOf(nodeId: string): readonly CotText[] {
    return orderedParts(this.state.nodes.get(nodeId)?.request);
  }
}
