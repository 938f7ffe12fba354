import type { ExplanationNode } from '../../model/node.ts';
import type { TaskEvent } from './events.ts';
import { agentRunId, toolCallId } from './message-ids.ts';
import type { TaskGraph } from './task-graph.ts';

/** One call of a sub-agent: the steps of one agent that a step of another one contains, and what is below them. */
interface AgentRun {
  readonly id: string;
  readonly key: string;
  /** The step in which it works; absent where nothing is known to contain it. */
  readonly anchor: string | undefined;
  readonly parent: AgentRun | undefined;
  /** Steps of it that are open, and calls of others within it. */
  open: number;
  isAnchorClosed: boolean;
  /** How the last of its outermost steps ended. */
  failure: string | undefined;
}

/** What is shown as the agent where nobody names one. */
const UNKNOWN = 'unknown';

/** Who does what in a run: its own agent, which is that of its first step, and the others as its sub-agents. */
export class SubAgents {
  private readonly graph: TaskGraph;
  /** Told at once, where an event begins or ends one. */
  private readonly tell: (event: TaskEvent) => void;
  private runAgent: string | undefined;
  private readonly open = new Map<string, AgentRun>();
  private calls = 0;
  private readonly openSteps = new Set<string>();
  private readonly byNode = new Map<string, AgentRun | undefined>();
  /** Calls that work within a step. */
  private readonly byAnchor = new Map<string, AgentRun[]>();

  constructor(graph: TaskGraph, tell: (event: TaskEvent) => void) {
    this.graph = graph;
    this.tell = tell;
  }

  /** A step begins. */
  enter(node: ExplanationNode): void {
    const run = this.runOf(node);
    this.byNode.set(node.id, run);
    this.openSteps.add(node.id);
    if (run) run.open++;
  }

  /** The sub-agent whose step it is; undefined for the run's own agent. */
  ownerOf(nodeId: string): string | undefined {
    return this.byNode.get(nodeId)?.id;
  }

  /** A step is about to end, and so does what others did within it. */
  leaveWithin(node: ExplanationNode): void {
    this.openSteps.delete(node.id);
    for (const within of this.byAnchor.get(node.id) ?? []) {
      within.isAnchorClosed = true;
      this.finishIfDone(within);
    }
  }

  /** A step ended. */
  leave(node: ExplanationNode): void {
    const run = this.byNode.get(node.id);
    if (!run) return;
    const isOutermost = this.byNode.get(this.graph.parentOf(node.id)?.id ?? '') !== run;
    if (isOutermost) run.failure = node.status === 'ERROR' ? node.title : undefined;
    run.open--;
    this.finishIfDone(run);
  }

  /** The run is over, and so are all that are still at work: the last that began first. */
  finishAll(): void {
    for (const run of [...this.open.values()].reverse()) this.finish(run);
  }

  private runOf(node: ExplanationNode): AgentRun | undefined {
    const partOf = node.details?.['partOf'];
    const around = typeof partOf === 'string' ? this.graph.node(partOf) : this.graph.parentOf(node.id);
    const parent = around && this.byNode.has(around.id) ? around : undefined;
    const parentRun = parent && this.byNode.get(parent.id);
    this.runAgent ??= node.agent;
    const agentAround = parent?.agent ?? this.runAgent;
    if (node.agent === agentAround || node.agent === UNKNOWN) return parentRun;
    const key = JSON.stringify([parent?.id, node.agent]);
    return this.open.get(key) ?? this.begin(key, node, parent, parentRun);
  }

  private begin(
    key: string,
    { agent: name }: ExplanationNode,
    anchor: ExplanationNode | undefined,
    parent: AgentRun | undefined,
  ): AgentRun {
    const id = agentRunId(++this.calls, name);
    const isAnchorClosed = anchor !== undefined && !this.openSteps.has(anchor.id);
    const run = { id, key, anchor: anchor?.id, parent, open: 0, isAnchorClosed, failure: undefined };
    this.open.set(key, run);
    if (parent) parent.open++;
    if (anchor) this.byAnchor.set(anchor.id, [...(this.byAnchor.get(anchor.id) ?? []), run]);
    this.tell({
      type: 'SUBAGENT_STARTED',
      subagentRunId: id,
      name,
      ...(parent && { parentSubagentRunId: parent.id }),
      ...(anchor?.type === 'TOOL_CALL' && { parentToolCallId: toolCallId(anchor.id) }),
    });
    return run;
  }

  private finishIfDone(run: AgentRun): void {
    if (run.open === 0 && run.isAnchorClosed && this.open.get(run.key) === run) this.finish(run);
  }

  private finish(run: AgentRun): void {
    const { id: subagentRunId, failure: message, parent, anchor } = run;
    this.open.delete(run.key);
    if (anchor !== undefined) {
      const others = this.byAnchor.get(anchor)?.filter((other) => other !== run) ?? [];
      if (others.length > 0) this.byAnchor.set(anchor, others);
      else this.byAnchor.delete(anchor);
    }
    this.tell(
      message === undefined
        ? { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' } }
        : { type: 'SUBAGENT_ERROR', subagentRunId, message },
    );
    if (!parent) return;
    parent.open--;
    this.finishIfDone(parent);
  }
}
