import { FirstOf } from '../base/first-of.ts';
import { isMessage, isSpan, type SpanEntry, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

interface TraceQuery {
  /** Spans without a parent that are not calls of a model themselves. */
  readonly roots: FirstOf<StepEntry>;
  /** LLM calls below them whose newest message is a user's, and messages of users that calls have as records. */
  readonly calls: FirstOf<StepEntry>;
  /** How many spans are a user's query themselves. */
  explicit: number;
}

/**
 * What the user asked, where no span says so itself: the input of the step that a trace begins with, else of the
 * first call of a model in it. Every later call has the whole conversation sent again, so they say nothing new.
 */
export class TraceQueries {
  private readonly traces = new Map<string, TraceQuery>();

  private readonly keys: TrackedMultimap<SpanEntry>;

  constructor(tracker: Tracker) {
    this.keys = new TrackedMultimap(tracker);
  }

  /** The record whose `promptSummary` is the user's query that began this root; undefined when there is none. */
  queryOf(root: SpanEntry): StepEntry | undefined {
    if (!isRoot(root)) return undefined;
    this.keys.read(root.facts.traceId);
    const trace = this.traces.get(root.facts.traceId);
    if (!trace || trace.explicit > 0 || trace.roots.first !== root) return undefined;
    return asks(root) ? root : trace.calls.first;
  }

  change(record: StepEntry, verb: 'add' | 'delete'): void {
    const { step, traceId } = record.facts;
    if (traceId === undefined) return;
    const root = isSpan(record) && isRoot(record) ? record : undefined;
    const isAsked = isRead(record) && asks(record);
    const isExplicit = isSpan(record) && step.type === 'USER_QUERY';
    if (!root && !isAsked && !isExplicit) return;
    let trace = this.traces.get(traceId);
    if (!trace) {
      trace = { roots: new FirstOf(isEarlier), calls: new FirstOf(isEarlier), explicit: 0 };
      this.traces.set(traceId, trace);
    }
    const { roots, calls } = trace;
    const before = [roots.first, calls.first, trace.explicit > 0];
    if (root) roots[verb](root);
    if (isAsked) calls[verb](record);
    if (isExplicit) trace.explicit += verb === 'add' ? 1 : -1;
    if (roots.size + calls.size + trace.explicit === 0) this.traces.delete(traceId);
    const now = [roots.first, calls.first, trace.explicit > 0];
    if (now.some((it, index) => it !== before[index])) this.keys.changed(traceId);
  }
}

/** Of a call of a model nothing is asked but by itself. */
function isRoot({ facts: { parentSpanId, step } }: SpanEntry): boolean {
  return parentSpanId === undefined && step.type !== 'LLM_CALL' && step.wrapper !== true;
}

/** By a call below another step, or by the call in whose context a record of one message was written. */
function isRead({ facts }: StepEntry): boolean {
  return facts.kind === 'span'
    ? facts.parentSpanId !== undefined && facts.step.type === 'LLM_CALL'
    : isMessage(facts);
}

function asks({ facts: { step } }: StepEntry): boolean {
  return step.byUser === true && step.promptSummary !== undefined;
}

function isEarlier(a: StepEntry, b: StepEntry): boolean {
  return a.facts.start - b.facts.start < 0 || (a.facts.start === b.facts.start && a.key < b.key);
}
