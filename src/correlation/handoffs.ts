import { canonicalAgent } from '../model/agent.ts';
import { isSpan, type StepEntry } from './node-entry.ts';
import { Multimap } from './multimap.ts';

/** How frameworks name the tool by which an agent hands over to another one. */
const HANDOFF = /^(?:transfer|hand_?off|delegate)(?:_back)?_to_(.+)$/i;
/** An agent that is handed over to more often in one trace says nothing about which run followed from which. */
const MAX_ALIKE = 64;

/** Who hands over to whom: a tool call named after an agent leads to the next run of that agent in its trace. */
export class Handoffs {
  private readonly calls = new Multimap<StepEntry>();
  private readonly runs = new Multimap<StepEntry>();

  /** @returns the runs of agents that may now follow from another step */
  add(step: StepEntry): readonly StepEntry[] {
    return this.change(step, 'add');
  }

  /** Forgets what a record says now: before it changes, or goes. */
  remove(step: StepEntry): readonly StepEntry[] {
    return this.change(step, 'delete');
  }

  /** The runs of agents that may follow from this tool call. */
  runsAfter(step: StepEntry): readonly StepEntry[] {
    const called = callKey(step);
    return called === undefined ? NONE : this.runs.few(called, MAX_ALIKE);
  }

  /** The tool calls by which this run of an agent was begun. */
  handedBy(run: StepEntry): StepEntry[] {
    const key = runKey(run);
    if (key === undefined) return [];
    const runs = this.runs.few(key, MAX_ALIKE);
    return this.calls.few(key, MAX_ALIKE).filter((call) => nextRun(call, runs) === run);
  }

  private change(step: StepEntry, verb: 'add' | 'delete'): readonly StepEntry[] {
    const called = callKey(step);
    if (called !== undefined) {
      this.calls[verb](called, step);
      return this.runs.few(called, MAX_ALIKE);
    }
    const run = runKey(step);
    if (run === undefined) return NONE;
    this.runs[verb](run, step);
    return this.calls.has(run) ? this.runs.few(run, MAX_ALIKE) : NONE;
  }
}

const NONE: readonly StepEntry[] = [];

function callKey({ facts }: StepEntry): string | undefined {
  const name = facts.step.details['toolName'];
  const agent =
    typeof name === 'string' && facts.step.type !== 'LLM_CALL' ? HANDOFF.exec(name)?.[1] : undefined;
  return agent === undefined || facts.traceId === undefined ? undefined : keyOf(facts.traceId, agent);
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
