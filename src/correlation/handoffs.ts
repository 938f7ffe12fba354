import { canonicalAgent } from '../model/agent.ts';
import { ANY_AGENT } from '../model/facts.ts';
import { isSpan, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** An agent that is handed over to more often in one trace says nothing about which run followed from which. */
const MAX_ALIKE = 64;

/**
 * Who hands over to whom: a tool call that names an agent leads to the next run of that agent in its trace, one that names
 * none to the next run of another agent than its own.
 */
export class Handoffs {
  private readonly calls: TrackedMultimap<StepEntry>;
  private readonly runs: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker) {
    this.calls = new TrackedMultimap(tracker, MAX_ALIKE);
    this.runs = new TrackedMultimap(tracker, MAX_ALIKE);
  }

  /** The tool calls by which this run of an agent was begun. */
  handedBy(run: StepEntry): readonly StepEntry[] {
    return runKeys(run).flatMap((key) => {
      const calls = this.calls.few(key);
      return calls.length === 0 ? NONE : calls.filter((call) => nextRun(call, this.runs.few(key)) === run);
    });
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const called = callKey(step);
    if (called !== undefined) return this.calls[verb](called, step);
    for (const key of runKeys(step)) this.runs[verb](key, step);
  }
}

const NONE: readonly StepEntry[] = [];

function callKey({ facts }: StepEntry): string | undefined {
  const { handsTo } = facts.step;
  return handsTo === undefined || facts.traceId === undefined ? undefined : keyOf(facts.traceId, handsTo);
}

const NO_KEYS: readonly string[] = [];

/** The run of an agent by its name, and as that of any. */
function runKeys(step: StepEntry): readonly string[] {
  if (!isSpan(step)) return NO_KEYS;
  const { traceId } = step.facts;
  const { agent, container, wrapper } = step.facts.step;
  if (agent === undefined || container !== true || wrapper === true) return NO_KEYS;
  return [keyOf(traceId, agent), keyOf(traceId, ANY_AGENT)];
}

function keyOf(traceId: string, agent: string): string {
  return `${traceId}|${canonicalAgent(agent)}`;
}

function nextRun({ facts }: StepEntry, runs: readonly StepEntry[]): StepEntry | undefined {
  let next: StepEntry | undefined;
  const own = canonicalAgent(facts.step.agent ?? '');
  const isOwn = (agent = ''): boolean => facts.step.handsTo === ANY_AGENT && canonicalAgent(agent) === own;
  for (const run of runs) {
    if (run.facts.start < facts.start || isOwn(run.facts.step.agent)) continue;
    const byStart = next === undefined ? -1 : run.facts.start - next.facts.start;
    if (byStart < 0 || (byStart === 0 && next && run.key < next.key)) next = run;
  }
  return next;
}
