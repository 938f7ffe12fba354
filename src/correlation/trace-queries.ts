import { isMessage, isSpan, type SpanEntry, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** Records of a trace. The first of them is looked for when somebody asks: many may leave memory one after the other. */
class Steps<Entry extends StepEntry> {
  private readonly all = new Set<Entry>();
  private found: Entry | undefined;

  get size(): number {
    return this.all.size;
  }

  /** The one that began first. */
  get first(): Entry | undefined {
    if (!this.found)
      for (const step of this.all) if (!this.found || isEarlier(step, this.found)) this.found = step;
    return this.found;
  }

  /** @returns whether another one may be the first now */
  change(step: Entry, verb: 'add' | 'delete'): boolean {
    const first = verb === 'add' ? this.first : this.found;
    this.all[verb](step);
    if (first && (verb === 'add' ? !isEarlier(step, first) : step !== first)) return false;
    this.found = verb === 'add' ? step : undefined;
    return true;
  }
}

interface TraceQuery {
  /** Spans without a parent that are not calls of a model themselves. */
  readonly roots: Steps<SpanEntry>;
  /** LLM calls below them whose newest message is a user's, and messages of users that calls have as records. */
  readonly calls: Steps<StepEntry>;
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
      trace = { roots: new Steps(), calls: new Steps(), explicit: 0 };
      this.traces.set(traceId, trace);
    }
    const wasExplicit = trace.explicit > 0;
    if (isExplicit) trace.explicit += verb === 'add' ? 1 : -1;
    const isOtherRoot = root !== undefined && trace.roots.change(root, verb);
    const isOtherCall = isAsked && trace.calls.change(record, verb);
    if (trace.roots.size + trace.calls.size + trace.explicit === 0) this.traces.delete(traceId);
    if (isOtherRoot || isOtherCall || wasExplicit !== trace.explicit > 0) this.keys.changed(traceId);
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
