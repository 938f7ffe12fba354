import { Below } from './below.ts';
import { Content } from './content.ts';
import { SPAN_ID_PREFIX, STEP_ID_PREFIX } from './dependents.ts';
import { Handoffs } from './handoffs.ts';
import { isSpan, type SpanEntry, type StepEntry } from './node-entry.ts';
import { Siblings } from './siblings.ts';
import type { StateListener } from './state-listener.ts';
import { StepGroups } from './step-groups.ts';
import { TraceTasks } from './tasks.ts';
import { ToolCalls, toolCallsOf } from './tool-calls.ts';
import { TraceAgents } from './trace-agents.ts';
import { TraceQueries } from './trace-queries.ts';

export interface StepIndexesOptions {
  readonly listener: StateListener;
  readonly spanOf: (key: string) => SpanEntry | undefined;
  /** Is it one of several records of a node? */
  readonly isJoined: (step: StepEntry) => boolean;
  /** Are edges by time alone asked for? */
  readonly inferEdges: boolean;
}

/** What records say, to be looked up from the other side; who is concerned by a change is told. */
export class StepIndexes {
  readonly groups: StepGroups;
  readonly below: Below;
  readonly toolCalls = new ToolCalls();
  readonly content = new Content();
  readonly queries = new TraceQueries();
  readonly handoffs = new Handoffs();
  readonly traceAgents = new TraceAgents();
  readonly traceTasks = new TraceTasks();
  readonly siblings: Siblings | undefined;
  private readonly listener: StateListener;

  constructor({ listener, spanOf, isJoined, inferEdges }: StepIndexesOptions) {
    this.listener = listener;
    this.groups = new StepGroups(spanOf);
    this.below = new Below(
      spanOf,
      (key) => this.groups.callsBelowOf(key),
      isJoined,
      (step) => listener.onBelowChanged(step.nodeId),
    );
    this.siblings = inferEdges ? new Siblings() : undefined;
  }

  /** Takes note of a record that is new, or of what it says now. */
  add(step: StepEntry): void {
    const { facts, key } = step;
    const { traceId } = facts;
    this.toolCalls.add(key, facts);
    this.groups.add(step);
    this.below.add(step);
    this.content.add(step);
    if (isSpan(step)) this.revisit(this.queries.add(step));
    this.revisit(this.handoffs.add(step));
    if (this.siblings) this.revisit(this.siblings.add(step));
    if (traceId === undefined) return;
    if (this.traceAgents.add(step)) this.listener.onKeyChanged(traceId);
    if (this.traceTasks.learn(key, traceId, facts)) this.listener.onKeyChanged(traceId);
  }

  /** Forgets a record: before it changes, or goes. */
  remove(step: StepEntry): void {
    const { facts, key } = step;
    const { traceId } = facts;
    for (const call of this.toolCalls.remove(key, facts)) this.listener.onKeyChanged(call);
    this.groups.remove(step);
    this.below.remove(step);
    this.revisit(this.content.hearersOf(step));
    this.content.remove(step);
    if (isSpan(step)) this.revisit(this.queries.remove(step));
    this.revisit(this.handoffs.remove(step));
    if (this.siblings) this.revisit(this.siblings.remove(step));
    if (traceId === undefined) return;
    if (this.traceAgents.remove(step)) this.listener.onKeyChanged(traceId);
    if (this.traceTasks.forget(key, traceId)) this.listener.onKeyChanged(traceId);
  }

  /** Tells all who refer to a record, by whatever key, that its node is another, or that it changed. */
  tellOf(step: StepEntry): void {
    const { onKeyChanged, hasKeys } = this.listener;
    onKeyChanged(step.key);
    const { asked, ran } = toolCallsOf(step.facts);
    for (const call of asked) onKeyChanged(call);
    for (const call of ran) onKeyChanged(call);
    this.revisit(this.content.hearersOf(step));
    this.revisit(this.handoffs.runsAfter(step));
    if (this.siblings) this.revisit(this.siblings.of(step));
    const { spanIds, stepIds } = hasKeys();
    if (spanIds && isSpan(step)) onKeyChanged(SPAN_ID_PREFIX + step.facts.spanId);
    const { stepId } = step.facts.step;
    if (stepIds && stepId !== undefined) onKeyChanged(STEP_ID_PREFIX + stepId);
  }

  private revisit(steps: readonly StepEntry[]): void {
    for (const { nodeId } of steps) this.listener.onRevisit(nodeId);
  }
}
