import type { SpanEntry } from './node-entry.ts';

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

  /** Takes note of a span. @returns the roots whose query may be another now */
  add(span: SpanEntry): readonly SpanEntry[] {
    return this.change(span, true);
  }

  /** Forgets a span: before it changes, or goes. @returns the roots whose query may be another now */
  remove(span: SpanEntry): readonly SpanEntry[] {
    return this.change(span, false);
  }

  /** The span whose `promptSummary` is the user's query that began this root; undefined when there is none. */
  queryOf(root: SpanEntry): SpanEntry | undefined {
    const trace = this.traces.get(root.facts.traceId);
    if (!trace || trace.explicit > 0 || trace.roots.first !== root) return undefined;
    return asks(root) ? root : trace.calls.first;
  }

  private change(span: SpanEntry, isThere: boolean): readonly SpanEntry[] {
    const { step, traceId, parentSpanId } = span.facts;
    const isCall = step.type === 'LLM_CALL';
    const isRoot = parentSpanId === undefined && !isCall && step.wrapper !== true;
    const isAsked = parentSpanId !== undefined && isCall && asks(span);
    const isExplicit = step.type === 'USER_QUERY';
    if (!isRoot && !isAsked && !isExplicit) return NONE;
    let trace = this.traces.get(traceId);
    if (!trace) {
      trace = { roots: noSpans(), calls: noSpans(), explicit: 0 };
      this.traces.set(traceId, trace);
    }
    const before = [trace.roots.first, trace.calls.first, trace.explicit > 0] as const;
    if (isRoot) put(trace.roots, span, isThere);
    if (isAsked) put(trace.calls, span, isThere);
    if (isExplicit) trace.explicit += isThere ? 1 : -1;
    if (trace.roots.all.size + trace.calls.all.size + trace.explicit === 0) this.traces.delete(traceId);
    const root = trace.roots.first;
    if (before[0] === root && before[1] === trace.calls.first && before[2] === trace.explicit > 0)
      return NONE;
    return [before[0], root].filter((other) => other !== undefined);
  }
}

const NONE: readonly SpanEntry[] = [];

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
