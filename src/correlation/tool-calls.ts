import type { StepRecord } from './node-entry.ts';

/** Who asked for a tool call, who ran it, who read its result: spans by the id of the call within a trace. */
export class ToolCalls {
  private readonly calls = new Map<string, { readonly asked: Set<string>; readonly ran: Set<string> }>();

  /** Spans of LLM calls that asked for it. */
  asked(callKey: string): Iterable<string> {
    return this.calls.get(callKey)?.asked ?? [];
  }

  /** Spans of tools that ran it. */
  ran(callKey: string): Iterable<string> {
    return this.calls.get(callKey)?.ran ?? [];
  }

  /** Takes note of a span. */
  add(spanKey: string, facts: StepRecord): void {
    const { asked, ran } = toolCallsOf(facts);
    for (const key of asked) this.entry(key).asked.add(spanKey);
    for (const key of ran) this.entry(key).ran.add(spanKey);
  }

  /** @returns the keys of the calls that it had asked for or run */
  remove(spanKey: string, facts: StepRecord): readonly string[] {
    const { asked, ran } = toolCallsOf(facts);
    const keys = [...asked, ...ran];
    for (const key of keys) {
      const call = this.calls.get(key);
      call?.asked.delete(spanKey);
      call?.ran.delete(spanKey);
      if (call && call.asked.size + call.ran.size === 0) this.calls.delete(key);
    }
    return keys;
  }

  private entry(key: string): { readonly asked: Set<string>; readonly ran: Set<string> } {
    const held = this.calls.get(key);
    if (held) return held;
    const call = { asked: new Set<string>(), ran: new Set<string>() };
    this.calls.set(key, call);
    return call;
  }
}

const NONE: readonly string[] = [];
const NO_CALLS = { asked: NONE, ran: NONE, read: NONE };

/**
 * The tool calls that a span has to do with, by keys that hold within its trace (models number their calls
 * anew in every run). An LLM call asks and reads, everything else runs.
 */
export function toolCallsOf({ kind, traceId, step }: StepRecord): {
  readonly asked: readonly string[];
  readonly ran: readonly string[];
  readonly read: readonly string[];
} {
  const { requestedToolCallIds, answeredToolCallIds, toolCallId } = step.details;
  if (requestedToolCallIds === undefined && answeredToolCallIds === undefined && toolCallId === undefined) {
    return NO_CALLS;
  }
  // A log record without a trace is part of its session.
  const run = traceId ?? step.task?.id;
  if (run === undefined) return NO_CALLS;
  const keys = (ids: unknown): readonly string[] =>
    Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').map((id) => callKey(run, id)) : NONE;
  // Of a streamed answer a chunk may be all that tells of the tool call, of a message a log record without a type.
  if (step.type === 'LLM_CALL' || step.wrapper === true || (kind === 'log' && step.type === undefined)) {
    return { asked: keys(requestedToolCallIds), ran: NONE, read: keys(answeredToolCallIds) };
  }
  return {
    asked: NONE,
    ran: typeof toolCallId === 'string' ? [callKey(run, toolCallId)] : NONE,
    read: NONE,
  };
}

function callKey(run: string, toolCallId: string): string {
  return `call:${run}:${toolCallId}`;
}
