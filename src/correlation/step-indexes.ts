import { Below } from './below.ts';
import { Content } from './content.ts';
import { Handoffs } from './handoffs.ts';
import { isRetold, type SpanEntry, type StepEntry } from './node-entry.ts';
import { Siblings } from './siblings.ts';
import { StepGroups } from './step-groups.ts';
import { TraceTasks } from './tasks.ts';
import { ToolCalls } from './tool-calls.ts';
import { TraceAgents } from './trace-agents.ts';
import { TraceQueries } from './trace-queries.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

export interface StepIndexesOptions {
  readonly tracker: Tracker;
  /** Not of one that is retold. */
  readonly spanOf: (key: string) => SpanEntry | undefined;
  /** Is it one of several records of a node? */
  readonly isJoined: (step: StepEntry) => boolean;
  /** Told of a step below which something is another, and with it what its node shows. */
  readonly onBelowChanged: (step: StepEntry) => void;
  /** Are edges by time alone asked for? */
  readonly inferEdges: boolean;
}

/** What records say, to be looked up from the other side; who looked is told of a change. */
export class StepIndexes {
  readonly groups: StepGroups;
  readonly below: Below;
  readonly toolCalls: ToolCalls;
  readonly content: Content;
  readonly queries: TraceQueries;
  readonly handoffs: Handoffs;
  readonly traceAgents: TraceAgents;
  readonly traceTasks: TraceTasks;
  readonly siblings: Siblings | undefined;

  constructor({ tracker, spanOf, isJoined, onBelowChanged, inferEdges }: StepIndexesOptions) {
    const traces = new TrackedMultimap<StepEntry>(tracker);
    this.groups = new StepGroups(tracker, spanOf);
    this.below = new Below(spanOf, (key) => this.groups.callsBelowOf(key), isJoined, onBelowChanged);
    this.toolCalls = new ToolCalls(tracker);
    this.content = new Content(tracker);
    this.queries = new TraceQueries(tracker);
    this.handoffs = new Handoffs(tracker);
    this.traceAgents = new TraceAgents(traces);
    this.traceTasks = new TraceTasks(traces);
    this.siblings = inferEdges ? new Siblings(tracker) : undefined;
  }

  /** Takes note of a record that is new, or of what it says now; or forgets it before it changes, or goes. */
  change(step: StepEntry, verb: 'add' | 'delete'): void {
    this.traceAgents.change(step, verb);
    this.traceTasks.change(step, verb);
    // What leads to such a node, and what it leads to, is told and not found.
    if (isRetold(step)) return;
    this.toolCalls.change(step, verb);
    this.groups.change(step, verb);
    this.below.change(step, verb);
    this.content.change(step, verb);
    this.queries.change(step, verb);
    this.handoffs.change(step, verb);
    this.siblings?.change(step, verb);
  }
}
