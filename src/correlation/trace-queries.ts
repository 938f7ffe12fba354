import type { SpanEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** Spans of a trace, and the one of them that began first. */
interface Spans {
  readonly all: Set<SpanEntry>;
  first: SpanEntry | undefined;
}

interface TraceQuery {
  /** Spans without a parent that are not calls of a model themselves. */
  readonly roots: Spans;
  /** LLM calls below them whose newest message is a user's. */
  readonly calls: Spans;
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

  /** The span whose `promptSummary` is the user's query that began this root; undefined when there is none. */
  queryOf(root: SpanEntry): SpanEntry | undefined {
    if (!isRoot(root)) return undefined;
    this.keys.read(root.facts.traceId);
    const trace = this.traces.get(root.facts.traceId);
    if (!trace || trace.explicit > 0 || trace.roots.first !== root) return undefined;
    return asks(root) ? root : trace.calls.first;
  }

  change(span: SpanEntry, verb: 'add' | 'delete'): void {
    const isThere = verb === 'add';
    const { step, traceId, parentSpanId } = span.facts;
    const begins = isRoot(span);
    const isAsked = parentSpanId !== undefined && step.type === 'LLM_CALL' && asks(span);
    const isExplicit = step.type === 'USER_QUERY';
    if (!begins && !isAsked && !isExplicit) return;
    let trace = this.traces.get(traceId);
    if (!trace) {
      trace = { roots: noSpans(), calls: noSpans(), explicit: 0 };
      this.traces.set(traceId, trace);
    }
    const before = [trace.roots.first, trace.calls.first, trace.explicit > 0] as const;
    if (begins) put(trace.roots, span, isThere);
    if (isAsked) put(trace.calls, span, isThere);
    if (isExplicit) trace.explicit += isThere ? 1 : -1;
    if (trace.roots.all.size + trace.calls.all.size + trace.explicit === 0) this.traces.delete(traceId);
    if (
      before[0] !== trace.roots.first ||
      before[1] !== trace.calls.first ||
      before[2] !== trace.explicit > 0
    )
      this.keys.changed(traceId);
  }
}

/** Of a call of a model nothing is asked but by itself. */
function isRoot({ facts: { parentSpanId, step } }: SpanEntry): boolean {
  return parentSpanId === undefined && step.type !== 'LLM_CALL' && step.wrapper !== true;
}

function noSpans(): Spans {
  return { all: new Set(), first: undefined };
}

function asks({ facts: { step } }: SpanEntry): boolean {
  return step.byUser === true && step.promptSummary !== undefined;
}

function put(spans: Spans, span: SpanEntry, isThere: boolean): void {
  if (isThere) {
    spans.all.add(span);
    if (!spans.first || isEarlier(span, spans.first)) spans.first = span;
    return;
  }
  spans.all.delete(span);
  if (spans.first !== span) return;
  spans.first = undefined;
  for (const other of spans.all) if (!spans.first || isEarlier(other, spans.first)) spans.first = other;
}

function isEarlier(a: SpanEntry, b: SpanEntry): boolean {
  return a.facts.start - b.facts.start < 0 || (a.facts.start === b.facts.start && a.key < b.key);
}
