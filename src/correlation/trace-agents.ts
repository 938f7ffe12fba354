import { isSpan, type StepEntry } from './node-entry.ts';

/** How often an agent is named. Nearly every trace names one. */
interface Named {
  readonly agent: string;
  count: number;
}

/** The agents that the agent runs and workflows of each trace name. */
export class TraceAgents {
  private readonly traces = new Map<string, Named | Map<string, Named>>();

  /** The agent of a trace that names exactly one. */
  onlyAgentOf(traceId: string): string | undefined {
    const named = this.traces.get(traceId);
    return named instanceof Map ? undefined : named?.agent;
  }

  /** Takes note of what a record says now; true when its trace's only agent is another. */
  add(step: StepEntry): boolean {
    return this.change(step, 1);
  }

  /** Forgets a record: before it changes, or goes. */
  remove(step: StepEntry): boolean {
    return this.change(step, -1);
  }

  private change(step: StepEntry, by: 1 | -1): boolean {
    const { agent, container } = step.facts.step;
    if (agent === undefined || container !== true || !isSpan(step)) return false;
    const { traceId } = step.facts;
    const before = this.onlyAgentOf(traceId);
    const held = this.traces.get(traceId);
    if (held === undefined) this.traces.set(traceId, { agent, count: 1 });
    else if (!(held instanceof Map) && held.agent === agent) this.count(traceId, held, by);
    else
      this.countOneOfSeveral(traceId, held instanceof Map ? held : new Map([[held.agent, held]]), agent, by);
    return this.onlyAgentOf(traceId) !== before;
  }

  private count(traceId: string, named: Named, by: 1 | -1): void {
    named.count += by;
    if (named.count === 0) this.traces.delete(traceId);
  }

  private countOneOfSeveral(traceId: string, several: Map<string, Named>, agent: string, by: 1 | -1): void {
    const named = several.get(agent) ?? { agent, count: 0 };
    named.count += by;
    if (named.count > 0) several.set(agent, named);
    else several.delete(agent);
    const [only, second] = several.values();
    if (second === undefined && only !== undefined) this.traces.set(traceId, only);
    else this.traces.set(traceId, several);
  }
}
