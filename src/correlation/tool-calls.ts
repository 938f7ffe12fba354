import { isAnyBefore, isMessage, type StepEntry, type StepRecord } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/**
 * A tool-call id for which so many steps of a trace ask, or that so many run, names no single call: it leads nowhere. Else
 * each that asked would lead to each that ran.
 */
const MAX_ALIKE = 32;

/** Who asked for a tool call, who ran it, who read its result: records by the id of the call within a trace. */
export class ToolCalls {
  private readonly calls: TrackedMultimap<StepEntry>;
  private readonly readers: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker) {
    this.calls = new TrackedMultimap(tracker, 2 * MAX_ALIKE);
    this.readers = new TrackedMultimap(tracker, 2 * MAX_ALIKE);
  }

  /** LLM calls that asked for it. */
  asked(callKey: string): readonly StepEntry[] {
    return this.of(callKey, true);
  }

  /** Tools that ran it. */
  ran(callKey: string): readonly StepEntry[] {
    return this.of(callKey, false);
  }

  /**
   * Had another step read the result when this one did? Asked of records of single messages, which are sent again with
   * every call: of whole conversations only the new part is looked at.
   */
  wasReadBefore(callKey: string, step: StepEntry): boolean {
    if (!isMessage(step.facts)) return false;
    return isAnyBefore(this.readers.few(callKey), step);
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const { asked, ran, read } = toolCallsOf(step.facts);
    for (const key of read) if (isMessage(step.facts)) this.readers[verb](key, step);
    for (const key of asked) this.calls[verb](key, step);
    for (const key of ran) this.calls[verb](key, step);
  }

  private of(callKey: string, isAsker: boolean): readonly StepEntry[] {
    const steps = this.calls.few(callKey);
    const found = steps.filter(({ facts }) => asks(facts) === isAsker);
    return Math.max(found.length, steps.length - found.length) > MAX_ALIKE ? NO_STEPS : found;
  }
}

const NO_STEPS: readonly StepEntry[] = [];
const NONE: readonly string[] = [];
const NO_CALLS = { asked: NONE, ran: NONE, read: NONE };

/**
 * The tool calls that a span has to do with, by keys that hold within its trace (models number their calls
 * anew in every run). An LLM call asks and reads, everything else runs.
 */
export function toolCallsOf(facts: StepRecord): {
  readonly asked: readonly string[];
  readonly ran: readonly string[];
  readonly read: readonly string[];
} {
  const { traceId, step } = facts;
  const { requestedToolCallIds, answeredToolCallIds, toolCallId } = step.details;
  if (requestedToolCallIds === undefined && answeredToolCallIds === undefined && toolCallId === undefined) {
    return NO_CALLS;
  }
  // A log record without a trace is part of its session.
  const run = traceId ?? step.task?.id;
  if (run === undefined) return NO_CALLS;
  const keys = (ids: unknown): readonly string[] =>
    Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').map((id) => callKey(run, id)) : NONE;
  if (asks(facts)) {
    return { asked: keys(requestedToolCallIds), ran: NONE, read: keys(answeredToolCallIds) };
  }
  return {
    asked: NONE,
    ran: typeof toolCallId === 'string' ? [callKey(run, toolCallId)] : NONE,
    read: NONE,
  };
}

/** The id in a key, as its sender wrote it. */
export function idOfCall(key: string): string {
  return key.slice(key.indexOf(':', KEY.length) + 1);
}

const KEY = 'call:';

function callKey(run: string, toolCallId: string): string {
  return `${KEY}${run}:${toolCallId}`;
}

/** Of a streamed answer a chunk may be all that tells of the tool call, of a message a log record without a type. */
function asks(facts: StepRecord): boolean {
  const { type, wrapper } = facts.step;
  return type === 'LLM_CALL' || wrapper === true || isMessage(facts);
}
