import { isSpan, type StepEntry } from './node-entry.ts';
import type { TrackedMultimap } from './tracker.ts';

/** How often an agent is named. Nearly every trace names one. */
interface Named {
  readonly agent: string;
  count: number;
}

/** The agents that the agent runs and workflows of each trace name. */
export class TraceAgents {
  private readonly traces = new Map<string, Named | Map<string, Named>>();

  private readonly keys: TrackedMultimap<StepEntry>;

  /** @param keys of the traces */
  constructor(keys: TrackedMultimap<StepEntry>) {
    this.keys = keys;
  }

  /** The agent of a trace that names exactly one. */
  onlyAgentOf(traceId: string): string | undefined {
    this.keys.read(traceId);
    const named = this.traces.get(traceId);
    return named instanceof Map ? undefined : named?.agent;
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const by = verb === 'add' ? 1 : -1;
    const { agent, container } = step.facts.step;
    if (agent === undefined || container !== true || !isSpan(step)) return;
    const { traceId } = step.facts;
    const before = this.onlyAgentOf(traceId);
    const held = this.traces.get(traceId);
    if (held === undefined) this.traces.set(traceId, { agent, count: 1 });
    else if (!(held instanceof Map) && held.agent === agent) this.count(traceId, held, by);
    else
      this.countOneOfSeveral(traceId, held instanceof Map ? held : new Map([[held.agent, held]]), agent, by);
    if (this.onlyAgentOf(traceId) !== before) this.keys.changed(traceId);
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
