import { canonicalAgent } from '../model/agent.ts';
import { isSpan, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** An agent that is handed over to more often in one trace says nothing about which run followed from which. */
const MAX_ALIKE = 64;

/** Who hands over to whom: a tool call that names an agent leads to the next run of that agent in its trace. */
export class Handoffs {
  private readonly calls: TrackedMultimap<StepEntry>;
  private readonly runs: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker) {
    this.calls = new TrackedMultimap(tracker, MAX_ALIKE);
    this.runs = new TrackedMultimap(tracker, MAX_ALIKE);
  }

  /** The tool calls by which this run of an agent was begun. */
  handedBy(run: StepEntry): readonly StepEntry[] {
    const key = runKey(run);
    if (key === undefined) return NONE;
    const calls = this.calls.few(key);
    return calls.length === 0 ? NONE : calls.filter((call) => nextRun(call, this.runs.few(key)) === run);
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const called = callKey(step);
    if (called !== undefined) return this.calls[verb](called, step);
    const run = runKey(step);
    if (run !== undefined) this.runs[verb](run, step);
  }
}

const NONE: readonly StepEntry[] = [];

function callKey({ facts }: StepEntry): string | undefined {
  const { handsTo } = facts.step;
  return handsTo === undefined || facts.traceId === undefined ? undefined : keyOf(facts.traceId, handsTo);
}

function runKey(step: StepEntry): string | undefined {
  if (!isSpan(step)) return undefined;
  const { agent, container, wrapper } = step.facts.step;
  if (agent === undefined || container !== true || wrapper === true) return undefined;
  return keyOf(step.facts.traceId, agent);
}

function keyOf(traceId: string, agent: string): string {
  return `${traceId}|${canonicalAgent(agent)}`;
}

function nextRun({ facts }: StepEntry, runs: readonly StepEntry[]): StepEntry | undefined {
  let next: StepEntry | undefined;
  for (const run of runs) {
    if (run.facts.start < facts.start) continue;
    const byStart = next === undefined ? -1 : run.facts.start - next.facts.start;
    if (byStart < 0 || (byStart === 0 && next && run.key < next.key)) next = run;
  }
  return next;
}
